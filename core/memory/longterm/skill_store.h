// SPDX-License-Identifier: Apache-2.0
// The long-term memory: skills with states and revisions, and the ledger of what each did. One SQLite file (WAL).
#pragma once

#include "base/result.h"
#include "evaluation/evaluation.h"
#include "memory/longterm/skill.h"

#include <QDateTime>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <memory>
#include <optional>

namespace kernelskill {

// One application of a skill. Keyed (session, node): recording it twice changes nothing.
struct LedgerEntry
{
    QString session; // session id (from its file), not a path
    int node = 0;
    QString task;
    QString skill;
    int revision = 1;
    QString method;
    QString architecture; // "sm_90"
    QString bottleneck;   // id
    QString structure;    // "S3"
    QString verdict;
    double logSpeedup = 0; // ln(time base / time node); 0 when not verified
    Interval interval; // of the speedup
    QJsonObject observed;
    QDateTime when;
};

// What ranking needs, per (skill, architecture, bottleneck, structure) and in total. A session copies it at its start.
struct SkillStatistics
{
    QString skill, architecture, bottleneck, structure;
    int uses = 0, wins = 0, losses = 0; // a win: verified and the interval above 1
    double sumLogSpeedup = 0, sumSquaredLogSpeedup = 0;
};

struct SkillRevision
{
    int revision = 1;
    QString author, reason, text; // whole SKILL.md
    QDateTime when;
};

class SkillStore
{
public:
    SkillStore(SkillStore &&) noexcept;
    SkillStore &operator=(SkillStore &&) noexcept;
    ~SkillStore();

    // Creates or migrates. The skills of `skillsFolder` are taken in when new or changed on disk (a person's revision stays).
    // path ":memory:" for none.
    [[nodiscard]] static Result<SkillStore> open(const QString &path, const QString &skillsFolder);

    [[nodiscard]] Result<QList<Skill>> skills() const; // by name
    [[nodiscard]] Result<std::optional<Skill>> skill(const QString &name) const;
    [[nodiscard]] Result<QList<SkillRevision>> history(const QString &name) const;
    [[nodiscard]] Result<void> setState(const QString &name, SkillState state, const QString &reason, const QString &author);
    [[nodiscard]] Result<Skill> edit(const QString &name, const QString &text, const QString &reason, const QString &author);
    [[nodiscard]] Result<void> record(const LedgerEntry &entry);
    [[nodiscard]] Result<QList<LedgerEntry>> ledger(const QString &skill) const;
    // `withoutTask`: rows from that task do not count (campaigns never rank with the task under test).
    // `upToRow`: only what the ledger held when it was frozen.
    [[nodiscard]] Result<QList<SkillStatistics>> statistics(const QString &withoutTask = {},
                                                            std::optional<qint64> upToRow = {}) const;
    // The ledger's last row at the time it was frozen, which is the first call's unless `renew`. Frozen runs rank with what
    // stood there then, so that they repeat themselves whatever was learnt since.
    [[nodiscard]] Result<qint64> frozenAt(bool renew = false) const;

private:
    struct Impl;
    explicit SkillStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace kernelskill
