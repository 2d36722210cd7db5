// SPDX-License-Identifier: Apache-2.0
#include "features/index_form.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::expert {

namespace {
constexpr size_t mostTerms = 64;
}

void Dependence::add(const Dependence &other)
{
    thread = thread || other.thread;
    block = block || other.block;
    parameter = parameter || other.parameter;
    data = data || other.data;
    loops.insert(other.loops.begin(), other.loops.end());
    carried.insert(other.carried.begin(), other.carried.end());
}

int AtomTable::intern(const QString &text, const Dependence &dependence, double extent, bool launchSize)
{
    const auto known = m_known.constFind(text);
    if (known != m_known.cend()) return *known;
    const int atom = int(m_atoms.size());
    m_atoms.push_back({text, dependence, extent, launchSize});
    m_known.insert(text, atom);
    return atom;
}

Polynomial Polynomial::constant(double value)
{
    Polynomial made;
    if (value != 0) made.m_terms[{}] = value;
    return made;
}

Polynomial Polynomial::atom(int atom)
{
    Polynomial made;
    made.m_terms[{atom}] = 1;
    return made;
}

std::optional<double> Polynomial::asConstant() const
{
    if (m_terms.empty()) return 0;
    if (m_terms.size() == 1 && m_terms.begin()->first.empty()) return m_terms.begin()->second;
    return std::nullopt;
}

Polynomial Polynomial::plus(const Polynomial &other, double factor) const
{
    Polynomial sum = *this;
    for (const auto &[monomial, coefficient] : other.m_terms) {
        double &place = sum.m_terms[monomial];
        place += factor * coefficient;
        if (place == 0) sum.m_terms.erase(monomial);
    }
    return sum;
}

std::optional<Polynomial> Polynomial::times(const Polynomial &other) const
{
    if (m_terms.size() * other.m_terms.size() > mostTerms) return std::nullopt;
    Polynomial product;
    for (const auto &[left, a] : m_terms) {
        for (const auto &[right, b] : other.m_terms) {
            Monomial both = left;
            both.insert(both.end(), right.begin(), right.end());
            if (both.size() > 12) return std::nullopt;
            std::ranges::sort(both);
            double &place = product.m_terms[both];
            place += a * b;
            if (place == 0) product.m_terms.erase(both);
        }
    }
    return product;
}

Polynomial Polynomial::scaled(double factor) const
{
    return Polynomial().plus(*this, factor);
}

bool Polynomial::isDivisibleBy(double divisor) const
{
    return std::ranges::all_of(m_terms, [&](const auto &term) { return std::fmod(term.second, divisor) == 0; });
}

std::set<int> Polynomial::atoms() const
{
    std::set<int> all;
    for (const auto &[monomial, coefficient] : m_terms)
        all.insert(monomial.begin(), monomial.end());
    return all;
}

Polynomial Polynomial::coefficientOf(int atom) const
{
    Polynomial made;
    for (const auto &[monomial, coefficient] : m_terms) {
        if (std::ranges::count(monomial, atom) != 1) continue;
        Monomial rest = monomial;
        rest.erase(std::ranges::find(rest, atom));
        made.m_terms[rest] += coefficient;
    }
    return made;
}

double Polynomial::constantTerm() const
{
    const auto term = m_terms.find({});
    return term == m_terms.end() ? 0 : term->second;
}

QString Polynomial::text() const
{
    QString text;
    for (const auto &[monomial, coefficient] : m_terms) {
        text += QString::number(coefficient, 'g', 17);
        for (int atom : monomial)
            text += u'*' + QString::number(atom);
        text += u'+';
    }
    return text;
}

std::optional<double> ratioOf(const Polynomial &b, const Polynomial &a)
{
    if (a.terms().empty() || a.terms().size() != b.terms().size()) return std::nullopt;
    std::optional<double> ratio;
    for (auto left = a.terms().begin(), right = b.terms().begin(); left != a.terms().end(); ++left, ++right) {
        if (left->first != right->first) return std::nullopt;
        const double here = right->second / left->second;
        if (ratio && *ratio != here) return std::nullopt;
        ratio = here;
    }
    return ratio;
}

} // namespace kernelskill::expert
