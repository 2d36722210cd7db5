// SPDX-License-Identifier: Apache-2.0
// CUDA source as a small tree that two front ends make: clang's AST and our own tolerant parser. Everything the
// features need is said once, over this tree, so both give the same answers wherever both understand the code.
#pragma once

#include <QHash>
#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

#include <initializer_list>
#include <memory>
#include <vector>

namespace kernelskill::expert {

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node
{
    enum class Kind {
        // Expressions. Children in the order of the text; what `text` holds is said where it is not the name.
        Name,
        Number,      // spelling
        Text,        // string literal
        Member,      // text: field; child: object ("." and "->" alike)
        Subscript,   // array, index
        Unary,       // text: operator, "p++" and "p--" for the postfix ones
        Binary,      // text: operator, assignments and "," included
        Conditional, // condition, then, else
        Call,        // callee, arguments…; text: its name without qualification, empty when computed
        Launch,      // arguments…; text: the kernel; `extra`: what stands between <<< and >>>
        Cast,        // type; child
        List,        // { … }, type where one is written
        Lambda,      // body is the last child; the others are parameters (Declaration)
        Assembly,    // text: the instruction's template; children: operands
        // Statements.
        Block,
        Declaration, // text: name; type; initialiser, when there is one, is the child; `extra`: array extents
        If,          // condition, then [, else]
        For,         // init, condition, increment, body; Empty where nothing is written
        While,       // condition, body
        DoWhile,     // body, condition
        Switch,      // value, body
        Case,        // label of a switch (also default)
        Return,      // [value]
        Jump,        // break, continue, goto
        Empty
    };

    explicit Node(Kind what, QString words = {}) : kind(what), text(std::move(words)) {}

    Kind kind;
    QString text;
    QString type; // as written or as clang prints it
    std::vector<NodePtr> children;
    std::vector<NodePtr> extra;
    QStringList templateArguments;
    bool isShared = false; // Declaration: __shared__

    [[nodiscard]] const Node *child(size_t index) const
    {
        return index < children.size() ? children[index].get() : nullptr;
    }
};

struct CodeParameter
{
    QString name, type;
};

struct CodeFunction
{
    QString name;
    QString owner; // the struct it is a member of
    bool isKernel = false;
    bool isDevice = false;
    QList<CodeParameter> parameters;
    QStringList templateParameters;
    NodePtr body;
};

struct CodeStruct
{
    QString name;
    QList<CodeParameter> fields;
    int alignment = 0; // of alignas or __align__, 0 when none is asked for
    bool hasArray = false;
};

struct CodeProgram
{
    std::vector<CodeFunction> functions;
    QHash<QString, CodeStruct> structs;
    QHash<QString, QString> aliases; // using and typedef
    std::vector<NodePtr> globals;    // declarations; type says __constant__ or __device__
    [[nodiscard]] const CodeFunction *find(const QString &name, const QString &owner = {}) const;
    // The type without aliases, const, references and template arguments bound in `bindings`.
    [[nodiscard]] QString plainType(const QString &type, const QHash<QString, QString> &bindings = {}) const;
};

[[nodiscard]] NodePtr makeNode(Node::Kind kind, QString text = {});
[[nodiscard]] bool isPointerType(const QString &type);

// Built-in vectors, "float4", "__half2"; 1 for anything else.
[[nodiscard]] int lanesOfType(const QString &plain);
[[nodiscard]] int bytesOfType(const QString &plain); // 0 when unknown
[[nodiscard]] bool isFloatingType(const QString &plain);
[[nodiscard]] bool isNarrowType(const QString &plain); // what tensor cores take as it is: half, bfloat16, int8, fp8

[[nodiscard]] QSet<QString> setOf(std::initializer_list<const char *> words);

// Calls `visit` for the node and all below it.
template <typename Visit> void forEachNode(const Node &node, const Visit &visit)
{
    visit(node);
    for (const NodePtr &child : node.children)
        if (child) forEachNode(*child, visit);
    for (const NodePtr &child : node.extra)
        if (child) forEachNode(*child, visit);
}

} // namespace kernelskill::expert
