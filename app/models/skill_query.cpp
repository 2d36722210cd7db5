// SPDX-License-Identifier: Apache-2.0
#include "models/skill_query.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

bool hasAny(const QStringList &values, const QStringList &wanted)
{
    return std::ranges::any_of(
        values, [&](const QString &value) { return wanted.contains(value, Qt::CaseInsensitive); });
}

bool compares(int value, const QString &comparison, int bound)
{
    if (comparison == "<"_L1) return value < bound;
    if (comparison == "<="_L1) return value <= bound;
    if (comparison == ">"_L1) return value > bound;
    if (comparison == ">="_L1) return value >= bound;
    return value == bound;
}

} // namespace

const QStringList &SkillQuery::keys()
{
    static const QStringList all{u"state"_s, u"structure"_s, u"bottleneck"_s, u"gpu"_s, u"won"_s, u"lost"_s, u"used"_s};
    return all;
}

SkillQuery SkillQuery::parse(const QString &text, const QDateTime &now)
{
    SkillQuery query;
    for (const QString &part : text.split(u' ', Qt::SkipEmptyParts))
        query.add(part, now);
    return query;
}

void SkillQuery::add(const QString &part, const QDateTime &now)
{
    static const QRegularExpression form(u"^([a-z]+)(:|<=|>=|<|>|=)(.*)$"_s, QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(part);
    const QString key = match.captured(1).toLower(), value = match.captured(3);
    if (!match.hasMatch() || !keys().contains(key)) {
        m_words.append(part.toLower());
        return;
    }
    if (value.isEmpty()) return; // still being typed
    Term term{key, value.toLower().split(u',', Qt::SkipEmptyParts), match.captured(2), 0, {}};
    if (key == "won"_L1 || key == "lost"_L1) {
        bool isNumber = false;
        term.number = value.toInt(&isNumber);
        if (term.comparison == ":"_L1) term.comparison = u"="_s;
        if (!isNumber) {
            m_trouble = u"%1 takes a number: %1>=2"_s.arg(key);
            return;
        }
    } else if (key == "used"_L1 && value.compare("never"_L1, Qt::CaseInsensitive) != 0) {
        static const QRegularExpression days(u"^([0-9]{1,5})d?$"_s);
        const auto given = days.match(value);
        if (!given.hasMatch()) {
            m_trouble = u"used takes days or never: used:7d"_s;
            return;
        }
        term.since = now.addDays(-given.captured(1).toInt());
    }
    m_terms.append(term);
}

bool SkillQuery::holds(const Term &term, const SkillFacts &facts)
{
    if (term.key == "state"_L1) return term.values.contains(toString(facts.state));
    if (term.key == "structure"_L1) return facts.structures.isEmpty() || hasAny(facts.structures, term.values);
    if (term.key == "bottleneck"_L1) return hasAny(facts.bottlenecks, term.values);
    if (term.key == "gpu"_L1) return hasAny(facts.architectures, term.values);
    if (term.key == "used"_L1)
        return term.since.isValid() ? facts.lastUsed.isValid() && facts.lastUsed >= term.since
                                    : !facts.lastUsed.isValid();
    return compares(term.key == "won"_L1 ? facts.won : facts.lost, term.comparison, term.number);
}

bool SkillQuery::accepts(const SkillFacts &facts) const
{
    return std::ranges::all_of(m_terms, [&](const Term &term) { return holds(term, facts); }) &&
           std::ranges::all_of(m_words, [&](const QString &word) { return facts.search.contains(word); });
}

QStringList SkillQuery::valuesOf(const QString &text, const QString &key)
{
    QStringList values;
    for (const QString &part : text.split(u' ', Qt::SkipEmptyParts)) {
        if (part.startsWith(key + u':', Qt::CaseInsensitive))
            values += part.mid(key.size() + 1).split(u',', Qt::SkipEmptyParts);
        else if (part.size() > key.size() && part.startsWith(key, Qt::CaseInsensitive) &&
                 u"<>="_s.contains(part[key.size()]))
            values.append(part.mid(key.size()));
    }
    return values;
}

QString SkillQuery::toggled(const QString &text, const QString &key, const QString &value, bool alone)
{
    QStringList values = valuesOf(text, key);
    const bool had = values.contains(value, Qt::CaseInsensitive);
    if (alone) values.clear();
    values.removeIf([&](const QString &one) { return one.compare(value, Qt::CaseInsensitive) == 0; });
    if (!had) values.append(value);
    QStringList parts;
    for (const QString &part : text.split(u' ', Qt::SkipEmptyParts)) {
        if (valuesOf(part, key).isEmpty()) parts.append(part);
    }
    // "won>=2" stands by itself; the values of all other keys in one term.
    if (!values.isEmpty())
        parts.prepend(u"<>="_s.contains(values.first().front()) ? key + values.first() : key + u':' + values.join(u','));
    return parts.join(u' ');
}

} // namespace kernelskill
