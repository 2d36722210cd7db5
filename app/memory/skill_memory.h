// SPDX-License-Identifier: Apache-2.0
// The window's own connection to the skill store. Everything happens on a thread of its own, one thing after the other,
// so that a busy or large memory never holds up the window; answers come as signals in the window's thread.
#pragma once

#include "memory/longterm/skill_store.h"
#include "retrieval/policy.h"

#include <QObject>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace kernelskill {

// All skills, without their texts.
struct MemoryContents
{
    QList<Skill> skills;
    QList<SkillStatistics> statistics;
    QHash<QString, QDateTime> lastUses;
    QList<SkillProblem> problems;
    Policy policy; // in force; empty when there is none
};

// What the memory has of one skill.
struct SkillDossier
{
    QString name;
    int revision = 0; // in use
    QString text;     // of it
    QList<LedgerEntry> ledger;
    QList<SkillRevision> history;
    QList<SkillStateChange> states;
    bool canUndo = false; // there is a change to take back
};

// One thing that was done to a skill.
struct SkillChange
{
    QString name;
    std::optional<Skill> before; // missing: it is new
    Skill after;                 // with its text
    QString reason;
    bool undone = false; // it took another change back
    [[nodiscard]] bool ofState() const { return !before || before->state != after.state; }
    [[nodiscard]] bool ofText() const { return !before || before->revision != after.revision; }
};

// The author of what is done in this window, as the command line has it.
[[nodiscard]] QString personName();

class SkillMemory : public QObject
{
    Q_OBJECT
public:
    explicit SkillMemory(QObject *parent = nullptr);
    ~SkillMemory() override; // waits for what is under way

    void open(const QString &memoryPath, const QString &skillsFolder);
    void reload(); // asked for several times in a row, it is done once
    void askDossier(const QString &name);
    [[nodiscard]] bool isBusy() const { return m_underway > 0; }

    // Each ends in `changed` or `failed`, and the contents are read anew.
    void setState(const QString &name, SkillState state, const QString &reason);
    void restoreState(const QString &name); // what a rejected skill was before
    void edit(const QString &name, const QString &text, const QString &reason);
    void restore(const QString &name, int revision);
    void undo(const QString &name);

    void importFrom(const QString &path);
    void exportTo(const QString &folder, const QStringList &names); // names empty: all

Q_SIGNALS:
    void contentsRead(const kernelskill::MemoryContents &contents);
    void dossierRead(const kernelskill::SkillDossier &dossier);
    void changed(const kernelskill::SkillChange &change);
    void imported(const QList<kernelskill::ImportedSkill> &skills);
    void exported(const QStringList &folders);
    void failed(const kernelskill::Error &error, const QString &skill); // skill empty: none in particular
    void settled();

private:
    using Store = std::shared_ptr<std::unique_ptr<SkillStore>>; // filled by the first job; null while it failed
    template <class T, class Job, class Then> void work(Job job, Then then);
    void change(const QString &name, const QString &reason, std::function<Result<void>(SkillStore &)> what,
                bool undone = false);

    QThreadPool m_pool;
    Store m_store;
    int m_underway = 0;
    bool m_reloadAsked = false;
};

} // namespace kernelskill
