// SPDX-License-Identifier: Apache-2.0
// Indices as polynomials: row * K + k is one term with the coefficient K and one with 1. Two accesses to neighbours, to
// lanes of one record, or to rows that have nothing in common then differ by what the polynomials say, however written.
#pragma once

#include <QHash>
#include <QString>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kernelskill::expert {

// What a value depends on.
struct Dependence
{
    bool thread = false;    // the thread's place in its block
    bool block = false;     // the block's place in the grid
    bool parameter = false; // an argument of the kernel
    bool data = false;      // values loaded from memory
    std::set<int> loops;
    std::set<int> carried; // loop-carried variables, by number

    void add(const Dependence &other);
    [[nodiscard]] bool isVarying() const { return thread || block || !loops.empty(); }
};

struct Atom
{
    QString text;
    Dependence dependence;
    double extent = 0;         // how many values it takes, 0 when unknown
    bool isLaunchSize = false; // blockDim, gridDim
};

// Everything that is no sum or product is an atom; the same text is the same atom.
class AtomTable
{
public:
    int intern(const QString &text, const Dependence &dependence, double extent = 0, bool launchSize = false);
    [[nodiscard]] const Atom &at(int atom) const { return m_atoms[size_t(atom)]; }

private:
    std::vector<Atom> m_atoms;
    QHash<QString, int> m_known;
};

using Monomial = std::vector<int>; // sorted atoms, repeated for powers

class Polynomial
{
public:
    Polynomial() = default;
    static Polynomial constant(double value);
    static Polynomial atom(int atom);

    [[nodiscard]] std::optional<double> asConstant() const; // 0 for the empty one
    [[nodiscard]] const std::map<Monomial, double> &terms() const { return m_terms; }
    [[nodiscard]] Polynomial plus(const Polynomial &other, double factor = 1) const;
    // Nothing when the product has more terms than an index ever has.
    [[nodiscard]] std::optional<Polynomial> times(const Polynomial &other) const;
    [[nodiscard]] Polynomial scaled(double factor) const;
    [[nodiscard]] bool isDivisibleBy(double divisor) const;
    [[nodiscard]] std::set<int> atoms() const;
    // What stands before `atom` where it occurs to the first power.
    [[nodiscard]] Polynomial coefficientOf(int atom) const;
    [[nodiscard]] double constantTerm() const;
    [[nodiscard]] QString text() const;
    bool operator==(const Polynomial &) const = default;

private:
    std::map<Monomial, double> m_terms;
};

// b / a when that is one number.
[[nodiscard]] std::optional<double> ratioOf(const Polynomial &b, const Polynomial &a);

} // namespace kernelskill::expert
