// SPDX-License-Identifier: Apache-2.0
#ifdef KERNELSKILL_HAS_LIBCLANG_HEADERS
#include "features/clang_library.h"

#include <QLibrary>

namespace kernelskill::expert {

namespace {

struct Loaded
{
    ClangLibrary library;
    bool isComplete = false;
};

// clang_getCursorBinaryOperatorKind came with version 17: an older library is refused by its absence.
Loaded loadLibrary()
{
    static const QStringList names = {QStringLiteral("libclang-19.so.1"),
                                      QStringLiteral("libclang-19.so.19"),
                                      QStringLiteral("/usr/lib/llvm-19/lib/libclang.so.1"),
                                      QStringLiteral("libclang-20.so.1"),
                                      QStringLiteral("libclang-18.so.1"),
                                      QStringLiteral("libclang-17.so.1"),
                                      QStringLiteral("libclang.so.1"),
                                      QStringLiteral("libclang.so")};
    for (const QString &name : names) {
        QLibrary file(name);
        file.setLoadHints(QLibrary::PreventUnloadHint);
        if (!file.load()) continue;
        Loaded made;
        made.isComplete = true;
#define KERNELSKILL_CLANG_RESOLVE(function)                                                                            \
    made.library.function = reinterpret_cast<decltype(&::clang_##function)>(file.resolve("clang_" #function));         \
    made.isComplete = made.isComplete && made.library.function;
        KERNELSKILL_CLANG_FUNCTIONS(KERNELSKILL_CLANG_RESOLVE)
#undef KERNELSKILL_CLANG_RESOLVE
        if (made.isComplete) return made;
    }
    return {};
}

} // namespace

Result<const ClangLibrary *> ClangLibrary::get()
{
    static const Loaded loaded = loadLibrary();
    if (loaded.isComplete) return &loaded.library;
    return failure(QStringLiteral("features.clang"),
                   QStringLiteral("libclang 17 or later was not found; the package is libclang1-19"));
}

QString ClangLibrary::text(CXString string) const
{
    const QString text = QString::fromUtf8(getCString(string));
    disposeString(string);
    return text;
}

} // namespace kernelskill::expert
#endif
