// SPDX-License-Identifier: Apache-2.0
// From libclang's cursors to our tree.
#pragma once

#include "features/clang_library.h"
#include "features/code_tree.h"

namespace kernelskill::expert {

class ClangTree
{
public:
    // Only declarations of files below `folder` are taken.
    ClangTree(const ClangLibrary &clang, CXTranslationUnit unit, QString folder, const QHash<QString, QString> &files)
        : m_clang(clang), m_unit(unit), m_folder(std::move(folder)), m_files(files)
    {
    }
    CodeProgram program();

private:
    using Cursors = std::vector<CXCursor>;
    [[nodiscard]] Cursors childrenOf(CXCursor cursor) const;
    [[nodiscard]] QString nameOf(CXCursor cursor) const { return m_clang.text(m_clang.getCursorSpelling(cursor)); }
    [[nodiscard]] QString typeText(CXType type) const;
    [[nodiscard]] bool isOurs(CXCursor cursor) const;

    void declaration(CXCursor cursor);
    void function(CXCursor cursor);
    void structure(CXCursor cursor);
    NodePtr variable(CXCursor cursor);

    NodePtr convert(CXCursor cursor);
    NodePtr convertHere(CXCursor cursor);
    void convertInto(CXCursor cursor, std::vector<NodePtr> &into);
    NodePtr statement(CXCursorKind kind, CXCursor cursor, const Cursors &children);
    NodePtr simpleValue(CXCursorKind kind, CXCursor cursor, const Cursors &children);
    NodePtr forLoop(const Cursors &children);
    NodePtr call(CXCursor cursor, const Cursors &children);
    NodePtr launch(const Cursors &children, const QString &name, const QStringList &templates);
    NodePtr operatorCall(CXCursor cursor, const QString &name);
    NodePtr dependentOperator(const Cursors &children);
    [[nodiscard]] QString sourceOf(CXCursor cursor) const; // its tokens
    NodePtr member(CXCursor cursor, const Cursors &children);
    NodePtr literal(CXCursor cursor);
    NodePtr lambda(const Cursors &children);
    NodePtr fromText(CXCursor cursor); // by our own parser
    NodePtr all(Node::Kind kind, const QString &text, const Cursors &children);
    [[nodiscard]] QStringList templateArgumentsOf(CXCursor reference) const;

    const ClangLibrary &m_clang;
    CXTranslationUnit m_unit;
    QString m_folder;
    const QHash<QString, QString> &m_files; // path → text
    CodeProgram m_program;
    int m_depth = 0;
};

} // namespace kernelskill::expert
