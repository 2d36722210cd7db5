// SPDX-License-Identifier: Apache-2.0
// What a list of skills is narrowed by, as one types it: "state:draft structure:S1,S3 won>=2 used:7d tile". Pure.
#pragma once

#include "memory/longterm/skill.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

namespace kernelskill {

// What a skill is judged by.
struct SkillFacts
{
    SkillState state = SkillState::Active;
    QStringList structures;    // it fits; empty: all
    QStringList bottlenecks;   // the policy offers it for, or it was used on
    QStringList architectures; // it was used on
    int won = 0, lost = 0;     // of the rows that count
    QDateTime lastUsed;        // invalid: never
    QString search;            // everything words are looked for in, in lower case: thousands are searched at each key
};

class SkillQuery
{
public:
    SkillQuery() = default;
    // Terms: state: structure: bottleneck: gpu: with values joined by ','; won and lost with = < <= > >= and a number;
    // used:7d (days back), used:never. All else are words. Terms and words must all hold.
    [[nodiscard]] static SkillQuery parse(const QString &text, const QDateTime &now);

    [[nodiscard]] bool accepts(const SkillFacts &facts) const;
    [[nodiscard]] bool isEmpty() const { return m_terms.isEmpty() && m_words.isEmpty(); }
    // What cannot be understood, in words; such a term narrows nothing.
    [[nodiscard]] const QString &trouble() const { return m_trouble; }

    [[nodiscard]] static const QStringList &keys();
    // The values a text has for a key: "S1", "S3".
    [[nodiscard]] static QStringList valuesOf(const QString &text, const QString &key);
    // The text with the value of a key added, or taken away when it has it. `alone`: it replaces the others.
    [[nodiscard]] static QString toggled(const QString &text, const QString &key, const QString &value,
                                         bool alone = false);

private:
    struct Term
    {
        QString key;
        QStringList values;     // lower case
        QString comparison;     // of won and lost
        int number = 0;         // their bound
        QDateTime since;        // of used; invalid: never
    };
    [[nodiscard]] static bool holds(const Term &term, const SkillFacts &facts);
    void add(const QString &part, const QDateTime &now);

    QList<Term> m_terms;
    QStringList m_words;
    QString m_trouble;
};

} // namespace kernelskill
