// SPDX-License-Identifier: Apache-2.0
// The one way a run changes: events go into the session file, then into the trajectory, then to whoever looks.
#pragma once

#include "memory/shortterm/attempts.h"
#include "session/session_file.h"
#include "session/trajectory.h"

#include <QHash>
#include <QSet>

#include <functional>

namespace kernelskill {

struct PendingEvent
{
    QString kind;
    QJsonObject data;
};

// What the engine needs of the events beyond the trajectory: a second fold over the same stream.
class EngineState
{
public:
    void apply(const Event &event);

    // Everything tried, then the plans refused for good.
    [[nodiscard]] Attempts attempts(const Trajectory &trajectory) const;
    [[nodiscard]] const QHash<int, Diagnosis> &diagnoses() const
    {
        return m_diagnoses;
    } // failing node → its last diagnosis
    [[nodiscard]] const QHash<QString, SkillState> &skillStates() const { return m_skillStates; } // a person's changes
    struct EditedSkill
    {
        QString text; // whole SKILL.md
        int revision = 0;
    };
    [[nodiscard]] const QHash<QString, EditedSkill> &skillTexts() const { return m_skillTexts; } // a person's edits
    [[nodiscard]] bool hasRolledBack(int node) const { return m_rolledBack.contains(node); }
    // The planner's first plan of a round where it was accepted and neither carried out nor refused: the run was interrupted
    // there, and what was asked for once, and perhaps paid for, is not asked for again.
    [[nodiscard]] std::optional<Plan> openPlan(int round, int base) const;
    // Likewise a diagnosis of a failing node of which no repair came yet.
    [[nodiscard]] std::optional<Diagnosis> openDiagnosis(int failing) const;
    // The bottleneck whose case was chosen in a round.
    [[nodiscard]] QString bottleneck(int round) const { return m_bottlenecks.value(round); }

private:
    struct Refused
    {
        int round = 0;
        Attempt attempt;
    };
    QList<Refused> m_refused;
    QHash<int, Diagnosis> m_diagnoses;
    QHash<QString, SkillState> m_skillStates;
    QHash<QString, EditedSkill> m_skillTexts;
    QSet<int> m_rolledBack;
    QHash<int, QString> m_bottlenecks;
    struct OpenPlan
    {
        int round = 0, base = -1;
        Plan plan;
    };
    std::optional<OpenPlan> m_openPlan;
    int m_openDiagnosis = -1; // the failing node
    int m_roundWithRefusal = -1;                    // as it stands now
};

class Journal
{
public:
    using Sink = std::function<void(const Event &)>;
    // Folds the events that are there already, without telling the sink.
    [[nodiscard]] static Result<std::unique_ptr<Journal>> open(SessionFile file, Sink sink);

    [[nodiscard]] Result<void> append(const QList<PendingEvent> &events);
    [[nodiscard]] Result<void> append(const QString &kind, const QJsonObject &data) { return append({{kind, data}}); }
    [[nodiscard]] Result<QString> putJson(const QJsonObject &object);
    [[nodiscard]] Result<QJsonObject> json(const QString &blob) const;
    [[nodiscard]] Result<QString> putText(const QString &text);

    [[nodiscard]] const Trajectory &trajectory() const { return m_trajectory; }
    [[nodiscard]] const EngineState &state() const { return m_state; }
    [[nodiscard]] SessionFile &file() { return m_file; }
    [[nodiscard]] const SessionFile &file() const { return m_file; }

private:
    Journal(SessionFile file, Sink sink) : m_file(std::move(file)), m_sink(std::move(sink)) {}

    SessionFile m_file;
    Sink m_sink;
    Trajectory m_trajectory;
    EngineState m_state;
};

} // namespace kernelskill
