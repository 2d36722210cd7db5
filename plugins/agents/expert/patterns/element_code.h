// SPDX-License-Identifier: Apache-2.0
// CUDA for one element, before it is known how elements are laid over threads.
//
// References in a text: ${x} an element of a buffer (loaded by whoever emits the loop), #{mean} a value all elements of
// a row share, @{h} another value of the same element. Emission replaces ${x} by x[i], x4.y, x_cache[j].z … as it
// needs.
#pragma once

#include <QMap>
#include <QString>
#include <QStringList>

#include <functional>

namespace kernelskill::expert {

// An expression with its C precedence, so that composing puts parentheses only where they are needed.
struct Code
{
    enum Level { Primary, Unary, Product, Sum, Conditional };
    QString text;
    Level level = Primary;
};

[[nodiscard]] Code primary(const QString &text);
[[nodiscard]] Code call(const QString &function, const QStringList &arguments);
[[nodiscard]] Code product(const Code &left, const QString &op, const Code &right); // op: * or /
[[nodiscard]] Code sum(const Code &left, const QString &op, const Code &right);     // op: + or -
[[nodiscard]] QString parenthesised(const Code &code, Code::Level atMost);

[[nodiscard]] Code loadReference(const QString &name);    // ${name}
[[nodiscard]] Code rowReference(const QString &name);     // #{name}
[[nodiscard]] Code elementReference(const QString &name); // @{name}

struct Local
{
    QString name;
    Code code;
};

// Locals in order, then the value. Complete: no @{…} refers to anything but its own locals.
struct ElementCode
{
    QList<Local> locals;
    Code result;

    [[nodiscard]] QStringList loads() const;     // names in ${…}, in order of first use
    [[nodiscard]] QStringList rowValues() const; // names in #{…}
    [[nodiscard]] bool usesLoad(const QString &name) const { return loads().contains(name); }
};

// All element values of a group; cuts out what one of them needs.
class ElementGraph
{
public:
    void add(const QString &name, const Code &code);
    [[nodiscard]] bool contains(const QString &name) const { return m_code.contains(name); }
    // `reference` is a Code made of references; the value itself is inlined as the result.
    [[nodiscard]] ElementCode closure(const Code &reference) const;

private:
    void collect(const QString &text, QStringList &names) const;

    QStringList m_order;
    QMap<QString, Code> m_code;
};

// Replaces references; local names become plain identifiers.
using Substitution = std::function<QString(const QString &name)>;
[[nodiscard]] QString substituted(const QString &text, const Substitution &load, const Substitution &row);

// An identifier for a value of the graph: letters, digits and _, no keyword of C++ or CUDA.
[[nodiscard]] QString identifierFor(const QString &name);

} // namespace kernelskill::expert
