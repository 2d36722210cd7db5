// SPDX-License-Identifier: Apache-2.0
// The long-term memory: skills with states and revisions, and the ledger of what each did. One SQLite file (WAL).
#pragma once

#include "base/result.h"
#include "diff/line_diff.h"
#include "memory/longterm/ledger.h"
#include "memory/longterm/skill.h"
#include "memory/longterm/skill_package.h"

#include <QDateTime>
#include <QHash>
#include <QList>
#include <QString>

#include <memory>
#include <optional>

namespace kernelskill {

struct SkillRevision
{
    int revision = 1;
    QString author, reason, text; // whole SKILL.md
    QDateTime when;
    QString error; // why this text can no longer be read; empty: it can
};

struct SkillStateChange
{
    SkillState state = SkillState::Active;
    QString reason, author;
    QDateTime when;
};

struct SkillRevisionDiff
{
    int from = 0, to = 0;
    LineDiff text;
    QStringList added, removed, changed; // attachments
};

struct SkillMatch
{
    QString name;
    QString excerpt; // of the text, the words found between « and »
};

// A skill that cannot be used as it is: on disk, or a stored revision.
struct SkillProblem
{
    QString skill;          // folder or skill name
    int revision = 0;       // 0: the folder on disk
    int servedRevision = 0; // what is used in its place; 0: nothing
    SkillDiagnostic diagnostic;
};

struct ImportedSkill
{
    enum class Outcome { Added, Changed, Unchanged };
    QString name;
    int revision = 1;
    Outcome outcome = Outcome::Added;
    QList<SkillDiagnostic> diagnostics; // notes and warnings
};

class SkillStore
{
public:
    enum class Access { ReadWrite, ReadOnly };
    SkillStore(SkillStore &&) noexcept;
    SkillStore &operator=(SkillStore &&) noexcept;
    ~SkillStore();

    // Creates or migrates. The skills of `skillsFolder` are taken in when new or changed on disk (a person's revision
    // stays; a broken skill is a problem, not an error). path ":memory:" for none. A file or medium that cannot be
    // written is served from a copy in the temporary folder: every change then fails with "memory.read_only". Errors:
    // memory.newer, memory.damaged, memory.not_a_memory, memory.database; the file is then left as it is.
    [[nodiscard]] static Result<SkillStore> open(const QString &path, const QString &skillsFolder,
                                                 Access access = Access::ReadWrite);
    [[nodiscard]] bool isReadOnly() const;

    // Skills. A skill whose newest revision cannot be read is served from the last one that can.
    [[nodiscard]] Result<QList<Skill>> skills() const; // by name; without `text`, which doubles them
    [[nodiscard]] Result<std::optional<Skill>> skill(const QString &name) const;
    [[nodiscard]] Result<QList<SkillProblem>> problems() const;
    // Words in name, title, description or body, best first; any text is a valid query, an empty one finds nothing.
    [[nodiscard]] Result<QList<SkillMatch>> search(const QString &text) const;

    // History.
    [[nodiscard]] Result<QList<SkillRevision>> history(const QString &name) const;
    [[nodiscard]] Result<Skill> revision(const QString &name, int revision) const;    // with the state of now
    [[nodiscard]] Result<QByteArray> textOf(const QString &name, int revision) const; // SKILL.md byte for byte
    [[nodiscard]] Result<QList<SkillAttachment>> attachments(const QString &name, int revision) const;
    [[nodiscard]] Result<SkillRevisionDiff> diff(const QString &name, int from, int to) const;
    [[nodiscard]] Result<QList<SkillStateChange>> stateHistory(const QString &name) const; // oldest first

    // What a rejected skill was before, and is again when it is restored; of any other its state.
    [[nodiscard]] Result<SkillState> stateBeforeRejection(const QString &name) const;

    // Changes.
    [[nodiscard]] Result<void> setState(const QString &name, SkillState state, const QString &reason,
                                        const QString &author);
    // The attachments stay. A name nobody knew becomes a draft.
    [[nodiscard]] Result<Skill> edit(const QString &name, const QString &text, const QString &reason,
                                     const QString &author);
    // A new revision with the text and attachments of an old one.
    [[nodiscard]] Result<Skill> restore(const QString &name, int revision, const QString &reason,
                                        const QString &author);
    // Takes the last change of text or state back that was not taken back yet, and says in words what it did.
    // "memory.nothing_to_undo" when only the beginning is left.
    [[nodiscard]] Result<QString> undo(const QString &name, const QString &author = {});
    [[nodiscard]] Result<bool> canUndo(const QString &name) const;

    // Interchange. All or nothing: one unsafe or broken skill refuses the import. Imported skills are drafts until they
    // are accepted, also when they change a skill that is in use.
    [[nodiscard]] Result<QList<ImportedSkill>> importSkills(const QString &path, const QString &author,
                                                            const PackageLimits &limits = {});
    // One folder a skill; names empty: all. Nothing is overwritten. Returns the folders.
    [[nodiscard]] Result<QStringList> exportSkills(const QString &folder, const QStringList &names = {}) const;

    // Ledger.
    [[nodiscard]] Result<void> record(const LedgerEntry &entry);
    [[nodiscard]] Result<void> record(const QList<LedgerEntry> &entries);        // all or none
    [[nodiscard]] Result<QList<LedgerEntry>> ledger(const QString &skill) const; // oldest first
    [[nodiscard]] Result<QList<LedgerEntry>> ledgerOfSession(const QString &session,
                                                             std::optional<int> node = {}) const;
    // `withoutTask`: rows from that task do not count (campaigns never rank with the task under test).
    // `upToRow`: only what the ledger held when it was frozen.
    [[nodiscard]] Result<QList<SkillStatistics>> statistics(const QString &withoutTask = {},
                                                            std::optional<qint64> upToRow = {}) const;
    // One row a skill, over everything: its other keys are empty.
    [[nodiscard]] Result<QList<SkillStatistics>> statisticsBySkill() const;
    [[nodiscard]] Result<QHash<QString, QDateTime>> lastUses() const; // skill → when it was applied last
    // The ledger's last row at the time it was frozen, which is the first call's unless `renew`. Frozen runs rank with
    // what stood there then, so that they repeat themselves whatever was learnt since.
    [[nodiscard]] Result<qint64> frozenAt(bool renew = false) const;

private:
    struct Impl;
    explicit SkillStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace kernelskill
