// SPDX-License-Identifier: Apache-2.0
#ifdef KERNELSKILL_HAS_LIBCLANG_HEADERS
#include "features/clang_tree.h"

#include "features/code_parser.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

constexpr int deepest = 800; // levels of the tree; what lies below is left out

bool isAssignmentOperator(const QString &op)
{
    return op.endsWith(u'=') && op != u"==" && op != u"!=" && op != u"<=" && op != u">=";
}

NodePtr orEmpty(NodePtr node)
{
    return node ? std::move(node) : makeNode(Kind::Empty);
}

} // namespace

ClangTree::Cursors ClangTree::childrenOf(CXCursor cursor) const
{
    Cursors children;
    m_clang.visitChildren(
        cursor,
        [](CXCursor child, CXCursor, CXClientData data) {
            static_cast<Cursors *>(data)->push_back(child);
            return CXChildVisit_Continue;
        },
        &children);
    return children;
}

// Canonical, so that aliases are resolved, except where that loses the name of a template's parameter.
QString ClangTree::typeText(CXType type) const
{
    const QString canonical = m_clang.text(m_clang.getTypeSpelling(m_clang.getCanonicalType(type)));
    if (!canonical.contains(QLatin1String("type-parameter")) && !canonical.isEmpty()) return canonical;
    return m_clang.text(m_clang.getTypeSpelling(type));
}

bool ClangTree::isOurs(CXCursor cursor) const
{
    CXFile file = nullptr;
    m_clang.getFileLocation(m_clang.getCursorLocation(cursor), &file, nullptr, nullptr, nullptr);
    return file && m_clang.text(m_clang.getFileName(file)).startsWith(m_folder);
}

CodeProgram ClangTree::program()
{
    for (CXCursor cursor : childrenOf(m_clang.getTranslationUnitCursor(m_unit))) {
        if (isOurs(cursor)) declaration(cursor);
    }
    return std::move(m_program);
}

void ClangTree::declaration(CXCursor cursor)
{
    switch (m_clang.getCursorKind(cursor)) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl:
        for (CXCursor child : childrenOf(cursor))
            declaration(child);
        break;
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_ConversionFunction:
        function(cursor);
        break;
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_UnionDecl:
        structure(cursor);
        break;
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl: {
        const QString target = typeText(m_clang.getTypedefDeclUnderlyingType(cursor));
        if (target != nameOf(cursor)) m_program.aliases.insert(nameOf(cursor), target);
        break;
    }
    case CXCursor_VarDecl:
        m_program.globals.push_back(variable(cursor));
        break;
    default:
        break;
    }
}

void ClangTree::function(CXCursor cursor)
{
    CodeFunction made;
    made.name = nameOf(cursor);
    const CXCursor parent = m_clang.getCursorSemanticParent(cursor);
    const CXCursorKind parentKind = m_clang.getCursorKind(parent);
    if (parentKind == CXCursor_StructDecl || parentKind == CXCursor_ClassDecl || parentKind == CXCursor_ClassTemplate)
        made.owner = nameOf(parent);
    for (CXCursor child : childrenOf(cursor)) {
        switch (m_clang.getCursorKind(child)) {
        case CXCursor_CUDAGlobalAttr:
            made.isKernel = true;
            break;
        case CXCursor_CUDADeviceAttr:
            made.isDevice = true;
            break;
        case CXCursor_TemplateTypeParameter:
        case CXCursor_NonTypeTemplateParameter:
            made.templateParameters.append(nameOf(child));
            break;
        case CXCursor_ParmDecl:
            made.parameters.append({nameOf(child), typeText(m_clang.getCursorType(child))});
            break;
        case CXCursor_CompoundStmt:
            made.body = convert(child);
            break;
        default:
            break;
        }
    }
    if (made.body) m_program.functions.push_back(std::move(made));
}

void ClangTree::structure(CXCursor cursor)
{
    CodeStruct made;
    made.name = m_clang.text(m_clang.getTypeSpelling(m_clang.getCursorType(cursor)));
    if (made.name.isEmpty() || m_clang.getCursorKind(cursor) == CXCursor_ClassTemplate) made.name = nameOf(cursor);
    for (CXCursor child : childrenOf(cursor)) {
        switch (m_clang.getCursorKind(child)) {
        case CXCursor_AlignedAttr:
            made.alignment = int(std::max(1LL, m_clang.Type_getAlignOf(m_clang.getCursorType(cursor))));
            break;
        case CXCursor_FieldDecl: {
            const CXType type = m_clang.getCursorType(child);
            made.hasArray = made.hasArray || m_clang.getArraySize(type) > 0;
            made.fields.append({nameOf(child), typeText(type)});
            break;
        }
        default:
            declaration(child);
        }
    }
    if (!made.fields.isEmpty() || !m_program.structs.contains(made.name)) m_program.structs.insert(made.name, made);
}

NodePtr ClangTree::variable(CXCursor cursor)
{
    NodePtr made = makeNode(Kind::Declaration, nameOf(cursor));
    CXType type = m_clang.getCursorType(cursor);
    Cursors sizes; // expressions of extents that are no numbers
    const CXCursor initial = m_clang.Cursor_getVarDeclInitializer(cursor);
    QString where;
    for (CXCursor child : childrenOf(cursor)) {
        const CXCursorKind kind = m_clang.getCursorKind(child);
        made->isShared = made->isShared || kind == CXCursor_CUDASharedAttr;
        if (kind == CXCursor_CUDAConstantAttr) where = QStringLiteral("__constant__ ");
        if (kind == CXCursor_CUDADeviceAttr) where = QStringLiteral("__device__ ");
        if (m_clang.isExpression(kind)) sizes.push_back(child);
    }
    // In the order of the text the outermost extent comes first; clang gives the innermost first.
    if (!m_clang.Cursor_isNull(initial) && !sizes.empty()) sizes.pop_back();
    std::ranges::reverse(sizes);
    size_t next = 0, dimensions = 0;
    for (CXType inner = type; m_clang.getTypeSpelling && dimensions < 8; ++dimensions) {
        const CXType canonical = m_clang.getCanonicalType(inner);
        const bool isArray = canonical.kind == CXType_ConstantArray || canonical.kind == CXType_IncompleteArray ||
                             canonical.kind == CXType_VariableArray || canonical.kind == CXType_DependentSizedArray;
        if (!isArray) {
            type = inner;
            break;
        }
        const long long size = m_clang.getArraySize(canonical);
        if (size >= 0)
            made->extra.push_back(makeNode(Kind::Number, QString::number(size)));
        else
            made->extra.push_back(next < sizes.size() ? convert(sizes[next]) : makeNode(Kind::Empty));
        ++next;
        inner = m_clang.getArrayElementType(canonical);
    }
    made->type = where + typeText(type);
    if (!m_clang.Cursor_isNull(initial)) made->children.push_back(orEmpty(convert(initial)));
    return made;
}

void ClangTree::convertInto(CXCursor cursor, std::vector<NodePtr> &into)
{
    if (m_clang.getCursorKind(cursor) == CXCursor_DeclStmt) {
        for (CXCursor child : childrenOf(cursor)) {
            if (m_clang.getCursorKind(child) == CXCursor_VarDecl)
                into.push_back(variable(child));
            else
                declaration(child);
        }
        return;
    }
    into.push_back(orEmpty(convert(cursor)));
}

NodePtr ClangTree::all(Kind kind, const QString &text, const Cursors &children)
{
    NodePtr made = makeNode(kind, text);
    for (CXCursor child : children)
        made->children.push_back(orEmpty(convert(child)));
    return made;
}

NodePtr ClangTree::convert(CXCursor cursor)
{
    if (m_depth >= deepest) return makeNode(Kind::Empty);
    ++m_depth;
    NodePtr made = convertHere(cursor);
    --m_depth;
    return made;
}

// Casts, lists and literals.
NodePtr ClangTree::simpleValue(CXCursorKind kind, CXCursor cursor, const Cursors &children)
{
    switch (kind) {
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: {
        NodePtr made = makeNode(Kind::Cast);
        made->type = typeText(m_clang.getCursorType(cursor));
        if (!children.empty()) made->children.push_back(orEmpty(convert(children.back())));
        return made;
    }
    case CXCursor_InitListExpr: {
        NodePtr made = all(Kind::List, {}, children);
        made->type = typeText(m_clang.getCursorType(cursor));
        return made;
    }
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr:
        return literal(cursor);
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
        return makeNode(Kind::Name, QStringLiteral("nullptr"));
    case CXCursor_StringLiteral:
        return makeNode(Kind::Text, nameOf(cursor));
    case CXCursor_CXXThisExpr:
        return makeNode(Kind::Name, QStringLiteral("this"));
    default:
        return nullptr;
    }
}

NodePtr ClangTree::convertHere(CXCursor cursor)
{
    const CXCursorKind kind = m_clang.getCursorKind(cursor);
    const Cursors children = childrenOf(cursor);
    if (NodePtr made = statement(kind, cursor, children)) return made;
    if (NodePtr made = simpleValue(kind, cursor, children)) return made;
    switch (kind) {
    case CXCursor_OverloadedDeclRef:
    case CXCursor_DeclRefExpr: {
        if (nameOf(cursor).isEmpty()) return fromText(cursor); // unresolved, in a template
        NodePtr made = makeNode(Kind::Name, nameOf(cursor));
        made->templateArguments = templateArgumentsOf(m_clang.getCursorReferenced(cursor));
        return made;
    }
    case CXCursor_TemplateRef:
        return makeNode(Kind::Name, nameOf(cursor));
    case CXCursor_MemberRefExpr:
        return member(cursor, children);
    case CXCursor_CallExpr:
        return call(cursor, children);
    case CXCursor_ArraySubscriptExpr:
        return children.size() == 2 ? all(Kind::Subscript, {}, children) : nullptr;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return all(Kind::Binary,
                   m_clang.text(m_clang.getBinaryOperatorKindSpelling(m_clang.getCursorBinaryOperatorKind(cursor))),
                   children);
    case CXCursor_UnaryOperator: {
        const CXUnaryOperatorKind op = m_clang.getCursorUnaryOperatorKind(cursor);
        QString text = m_clang.text(m_clang.getUnaryOperatorKindSpelling(op));
        if (op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec) text.prepend(u'p');
        return all(Kind::Unary, text, children);
    }
    case CXCursor_ConditionalOperator:
        return all(Kind::Conditional, {}, children);
    case CXCursor_LambdaExpr:
        return lambda(children);
    case CXCursor_TypeRef:
    case CXCursor_NamespaceRef:
        return nullptr;
    default:
        break;
    }
    // Implicit conversions, parentheses, and statements with an attribute such as #pragma unroll.
    Cursors inner;
    for (CXCursor child : children) {
        const CXCursorKind childKind = m_clang.getCursorKind(child);
        if (m_clang.isExpression(childKind) || m_clang.isStatement(childKind)) inner.push_back(child);
    }
    if (inner.size() == 1) return convert(inner.front());
    return m_clang.Range_isNull(m_clang.getCursorExtent(cursor)) ? makeNode(Kind::Empty) : fromText(cursor);
}

NodePtr ClangTree::statement(CXCursorKind kind, CXCursor cursor, const Cursors &children)
{
    switch (kind) {
    case CXCursor_CompoundStmt: {
        NodePtr made = makeNode(Kind::Block);
        for (CXCursor child : children)
            convertInto(child, made->children);
        return made;
    }
    case CXCursor_DeclStmt: {
        NodePtr made = makeNode(Kind::Block);
        convertInto(cursor, made->children);
        return made;
    }
    case CXCursor_IfStmt: {
        Cursors parts = children; // a declaration may come before the condition
        while (parts.size() > 2 && (m_clang.getCursorKind(parts.front()) == CXCursor_DeclStmt ||
                                    m_clang.getCursorKind(parts.front()) == CXCursor_VarDecl))
            parts.erase(parts.begin());
        return all(Kind::If, {}, parts);
    }
    case CXCursor_ForStmt:
        return forLoop(children);
    case CXCursor_WhileStmt:
        return all(Kind::While, {}, children);
    case CXCursor_DoStmt:
        return all(Kind::DoWhile, {}, children);
    case CXCursor_SwitchStmt:
        return all(Kind::Switch, {}, children);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt: {
        // The label holds its first statement; our blocks have them side by side, so both go into one of their own.
        NodePtr made = makeNode(Kind::Block);
        made->children.push_back(makeNode(Kind::Case));
        if (!children.empty()) convertInto(children.back(), made->children);
        return made;
    }
    case CXCursor_ReturnStmt:
        return all(Kind::Return, {}, children);
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt:
        return makeNode(Kind::Jump);
    case CXCursor_NullStmt:
        return makeNode(Kind::Empty);
    case CXCursor_CXXForRangeStmt:
        return children.empty() ? makeNode(Kind::Empty) : convert(children.back());
    case CXCursor_GCCAsmStmt: {
        NodePtr made = fromText(cursor);
        return made && made->kind == Kind::Assembly ? std::move(made) : makeNode(Kind::Assembly);
    }
    default:
        return nullptr;
    }
}

// libclang leaves out the parts of the header that are not written, without a mark.
NodePtr ClangTree::forLoop(const Cursors &children)
{
    NodePtr made = makeNode(Kind::For);
    NodePtr init = makeNode(Kind::Block), condition, step;
    const size_t written = children.empty() ? 0 : children.size() - 1;
    for (size_t i = 0; i < written; ++i) {
        const CXCursorKind kind = m_clang.getCursorKind(children[i]);
        if (i == 0 && kind == CXCursor_DeclStmt) {
            convertInto(children[i], init->children);
            continue;
        }
        NodePtr part = orEmpty(convert(children[i]));
        const bool assigns = part->kind == Kind::Binary && (isAssignmentOperator(part->text) || part->text == u",");
        const bool steps = part->kind == Kind::Unary &&
                           (part->text.endsWith(QLatin1String("++")) || part->text.endsWith(QLatin1String("--")));
        if (written == 3 ? i == 0 : (i == 0 && assigns && part->text.size() == 1 && written == 2))
            init->children.push_back(std::move(part));
        else if (written == 3 ? i == 2 : (assigns || steps))
            step = std::move(part);
        else
            condition = std::move(part);
    }
    made->children.push_back(std::move(init));
    made->children.push_back(orEmpty(std::move(condition)));
    made->children.push_back(orEmpty(std::move(step)));
    made->children.push_back(children.empty() ? makeNode(Kind::Empty) : orEmpty(convert(children.back())));
    return made;
}

QStringList ClangTree::templateArgumentsOf(CXCursor reference) const
{
    QStringList arguments;
    const int count = m_clang.Cursor_isNull(reference) ? 0 : m_clang.Cursor_getNumTemplateArguments(reference);
    for (int i = 0; i < count; ++i) {
        const auto index = unsigned(i);
        const auto kind = m_clang.Cursor_getTemplateArgumentKind(reference, index);
        if (kind == CXTemplateArgumentKind_Integral)
            arguments.append(QString::number(m_clang.Cursor_getTemplateArgumentValue(reference, index)));
        else if (kind == CXTemplateArgumentKind_Type)
            arguments.append(typeText(m_clang.Cursor_getTemplateArgumentType(reference, index)));
        else
            arguments.append(QString());
    }
    return arguments;
}

NodePtr ClangTree::call(CXCursor cursor, const Cursors &children)
{
    const QString name = nameOf(cursor);
    const CXCursor target = m_clang.getCursorReferenced(cursor);
    if (m_clang.getCursorKind(target) == CXCursor_Constructor) {
        Cursors arguments;
        const int count = m_clang.Cursor_getNumArguments(cursor);
        for (int i = 0; i < count; ++i) {
            const CXCursor argument = m_clang.Cursor_getArgument(cursor, unsigned(i));
            if (!m_clang.Range_isNull(m_clang.getCursorExtent(argument))) arguments.push_back(argument);
        }
        if (arguments.size() == 1) return convert(arguments.front());
        NodePtr made = all(Kind::List, {}, arguments);
        made->type = typeText(m_clang.getCursorType(cursor));
        return made;
    }
    if (name.startsWith(QLatin1String("operator")) && name.size() > 8 && !name.at(8).isLetter() &&
        !(children.size() > 0 && m_clang.getCursorKind(children.front()) == CXCursor_MemberRefExpr))
        return operatorCall(cursor, name.mid(8));
    if (name.isEmpty()) {
        if (NodePtr made = dependentOperator(children)) return made;
    }
    const QStringList templates = templateArgumentsOf(target);
    if (children.size() >= 2) {
        const QString second = nameOf(children[1]);
        if (second == u"__cudaPushCallConfiguration" || second == u"cudaConfigureCall")
            return launch(children, name, templates);
    }
    NodePtr made = makeNode(Kind::Call, name);
    made->templateArguments = templates;
    for (CXCursor child : children) {
        if (m_clang.getCursorKind(child) == CXCursor_TypeRef) continue;
        NodePtr part = convert(child);
        if (part) made->children.push_back(std::move(part));
    }
    if (made->children.empty()) made->children.push_back(makeNode(Kind::Name, name));
    if (made->text.isEmpty()) made->text = made->children.front()->text;
    if (name.isEmpty() && made->templateArguments.isEmpty())
        made->templateArguments = made->children.front()->templateArguments;
    return made;
}

NodePtr ClangTree::launch(const Cursors &children, const QString &name, const QStringList &templates)
{
    NodePtr made = makeNode(Kind::Launch, name);
    const NodePtr callee = convert(children.front());
    made->templateArguments = templates;
    if (callee && made->text.isEmpty()) made->text = callee->text;
    if (callee && templates.isEmpty()) made->templateArguments = callee->templateArguments;
    const int count = m_clang.Cursor_getNumArguments(children[1]);
    for (int i = 0; i < count; ++i) {
        const CXCursor argument = m_clang.Cursor_getArgument(children[1], unsigned(i));
        if (m_clang.Range_isNull(m_clang.getCursorExtent(argument))) break; // a default
        made->extra.push_back(orEmpty(convert(argument)));
    }
    for (size_t i = 2; i < children.size(); ++i)
        made->children.push_back(orEmpty(convert(children[i])));
    return made;
}

// a + b of halves, v[i] of a class, f(x) of a functor.
NodePtr ClangTree::operatorCall(CXCursor cursor, const QString &name)
{
    Cursors arguments;
    const int count = m_clang.Cursor_getNumArguments(cursor);
    for (int i = 0; i < count; ++i)
        arguments.push_back(m_clang.Cursor_getArgument(cursor, unsigned(i)));
    if (name == u"()") {
        NodePtr made = all(Kind::Call, {}, arguments);
        if (!made->children.empty()) made->text = made->children.front()->text;
        return made;
    }
    if (name == u"[]" && arguments.size() == 2) return all(Kind::Subscript, {}, arguments);
    if (name == u"->" && arguments.size() == 1) return convert(arguments.front());
    if (arguments.size() == 2) return all(Kind::Binary, name, arguments);
    if (arguments.size() == 1) return all(Kind::Unary, name, arguments);
    return makeNode(Kind::Empty);
}

NodePtr ClangTree::member(CXCursor cursor, const Cursors &children)
{
    QString field = nameOf(cursor);
    if (field.isEmpty()) { // threadIdx.x: a property, whose name stands in the text only
        CXFile file = nullptr;
        unsigned offset = 0;
        m_clang.getSpellingLocation(m_clang.getCursorLocation(cursor), &file, nullptr, nullptr, &offset);
        const QByteArray text =
            file ? m_files.value(m_clang.text(m_clang.getFileName(file))).toUtf8().mid(qsizetype(offset))
                 : QByteArray();
        qsizetype length = 0;
        while (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) || text[length] == '_'))
            ++length;
        field = QString::fromUtf8(text.left(length));
        if (field.startsWith(QLatin1String("threadIdx")) || field.startsWith(QLatin1String("block")) ||
            field.startsWith(QLatin1String("gridDim")))
            field = QString::fromUtf8(text.mid(length + 1, 1));
    }
    for (CXCursor child : children) {
        if (!m_clang.isExpression(m_clang.getCursorKind(child))) continue;
        NodePtr made = makeNode(Kind::Member, field);
        made->children.push_back(orEmpty(convert(child)));
        return made;
    }
    return makeNode(Kind::Name, field); // of the object the function is a member of
}

NodePtr ClangTree::literal(CXCursor cursor)
{
    const CXEvalResult result = m_clang.Cursor_Evaluate(cursor);
    if (!result) return fromText(cursor);
    QString text;
    if (m_clang.EvalResult_getKind(result) == CXEval_Float) {
        text = QString::number(m_clang.EvalResult_getAsDouble(result), 'g', 17);
        if (!text.contains(u'.') && !text.contains(u'e')) text += QLatin1String(".0");
    } else {
        text = QString::number(m_clang.EvalResult_getAsLongLong(result));
    }
    m_clang.EvalResult_dispose(result);
    return makeNode(Kind::Number, text);
}

NodePtr ClangTree::lambda(const Cursors &children)
{
    NodePtr made = makeNode(Kind::Lambda), body = makeNode(Kind::Block);
    for (CXCursor child : children) {
        const CXCursorKind kind = m_clang.getCursorKind(child);
        if (kind == CXCursor_ParmDecl) {
            NodePtr parameter = makeNode(Kind::Declaration, nameOf(child));
            parameter->type = typeText(m_clang.getCursorType(child));
            made->children.push_back(std::move(parameter));
        } else if (kind == CXCursor_CompoundStmt) {
            body = convert(child);
        }
    }
    made->children.push_back(std::move(body));
    return made;
}

// In a template, a + b of unknown types is a call of whichever operator fits; its name stands in the text only.
NodePtr ClangTree::dependentOperator(const Cursors &children)
{
    const auto operatorAt = [&](size_t index) {
        if (index >= children.size() || !nameOf(children[index]).isEmpty()) return QString();
        const CXCursorKind kind = m_clang.getCursorKind(children[index]);
        if (kind != CXCursor_DeclRefExpr && kind != CXCursor_OverloadedDeclRef && kind != CXCursor_UnexposedExpr)
            return QString();
        const QString op = sourceOf(children[index]).trimmed();
        return op.isEmpty() || op.size() > 3 || op.at(0).isLetterOrNumber() || op.at(0) == u'_' ? QString() : op;
    };
    if (const QString op = operatorAt(1); children.size() == 3 && !op.isEmpty())
        return all(Kind::Binary, op, {children[0], children[2]});
    if (children.size() != 2) return nullptr;
    if (const QString op = operatorAt(0); !op.isEmpty()) return all(Kind::Unary, op, {children[1]});
    if (const QString op = operatorAt(1); !op.isEmpty()) return all(Kind::Unary, u'p' + op, {children[0]});
    return nullptr;
}

QString ClangTree::sourceOf(CXCursor cursor) const
{
    CXToken *tokens = nullptr;
    unsigned count = 0;
    m_clang.tokenize(m_unit, m_clang.getCursorExtent(cursor), &tokens, &count);
    QString source;
    for (unsigned i = 0; i < count; ++i)
        source += m_clang.text(m_clang.getTokenSpelling(m_unit, tokens[i])) + u' ';
    m_clang.disposeTokens(m_unit, tokens, count);
    return source;
}

NodePtr ClangTree::fromText(CXCursor cursor)
{
    return CodeParser(codeTokens(sourceOf(cursor))).expression();
}

} // namespace kernelskill::expert
#endif
