// SPDX-License-Identifier: Apache-2.0
// libclang, loaded when it is asked for the first time. The program neither links it nor needs it.
#pragma once

#include "base/result.h"

#include <clang-c/Index.h>

namespace kernelskill::expert {

// Every function that is used, under its own name without "clang_".
struct ClangLibrary
{
#define KERNELSKILL_CLANG_FUNCTIONS(F)                                                                                 \
    F(createIndex)                                                                                                     \
    F(disposeIndex)                                                                                                    \
    F(parseTranslationUnit2)                                                                                           \
    F(disposeTranslationUnit)                                                                                          \
    F(saveTranslationUnit)                                                                                             \
    F(getNumDiagnostics)                                                                                               \
    F(getDiagnostic)                                                                                                   \
    F(getDiagnosticSeverity)                                                                                           \
    F(getDiagnosticLocation) F(formatDiagnostic) F(disposeDiagnostic) F(getCString) F(disposeString)                   \
        F(getTranslationUnitCursor) F(visitChildren) F(getCursorKind) F(getCursorSpelling) F(getCursorType)            \
            F(getTypeSpelling) F(getCanonicalType) F(getCursorLocation) F(getCursorExtent) F(getRangeStart)            \
                F(getFileLocation) F(getSpellingLocation) F(getFileName) F(getCursorReferenced)                        \
                    F(getCursorSemanticParent) F(Cursor_getVarDeclInitializer) F(Cursor_isNull)                        \
                        F(getCursorBinaryOperatorKind) F(getBinaryOperatorKindSpelling) F(getCursorUnaryOperatorKind)  \
                            F(getUnaryOperatorKindSpelling) F(Cursor_getNumArguments) F(Cursor_getArgument)            \
                                F(Cursor_getNumTemplateArguments) F(Cursor_getTemplateArgumentKind)                    \
                                    F(Cursor_getTemplateArgumentType) F(Cursor_getTemplateArgumentValue)               \
                                        F(Cursor_Evaluate) F(EvalResult_getKind) F(EvalResult_getAsLongLong)           \
                                            F(EvalResult_getAsDouble) F(EvalResult_dispose) F(getArraySize)            \
                                                F(getArrayElementType) F(Type_getAlignOf)                              \
                                                    F(getTypedefDeclUnderlyingType) F(Range_isNull) F(tokenize)        \
                                                        F(getTokenSpelling) F(disposeTokens) F(getClangVersion)        \
                                                            F(isExpression) F(isStatement)
#define KERNELSKILL_CLANG_MEMBER(name) decltype(&::clang_##name) name = nullptr;
    KERNELSKILL_CLANG_FUNCTIONS(KERNELSKILL_CLANG_MEMBER)
#undef KERNELSKILL_CLANG_MEMBER

    // The one of this process; an error where there is no libclang of version 17 or later.
    [[nodiscard]] static Result<const ClangLibrary *> get();
    [[nodiscard]] QString text(CXString string) const; // and disposes of it
};

} // namespace kernelskill::expert
