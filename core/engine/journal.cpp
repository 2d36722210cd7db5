// SPDX-License-Identifier: Apache-2.0
#include "engine/journal.h"

#include "engine/loop.h"

#include <QJsonDocument>

namespace kernelskill {

void EngineState::apply(const Event &event)
{
    const QJsonObject &data = event.data;
    if (event.kind == u"round.start") {
        // A round that is done again after a resume starts with a clean slate.
        const int round = data.value("round").toInt();
        m_refused.removeIf([round](const Refused &refused) { return refused.round == round; });
        if (m_roundWithRefusal == round) m_roundWithRefusal = -1;
    } else if (event.kind == u"round.plan") {
        // A person's plan is a person's to put again. Later plans of a round stand on refusals that a resume forgets.
        const int round = data.value("round").toInt();
        if (data.value("agent") != QLatin1String(personAgent) && m_roundWithRefusal != round)
            m_openPlan = OpenPlan{round, data.value("base").toInt(-1), Plan::fromJson(data.value("plan").toObject())};
    } else if (event.kind == u"node.candidate" || event.kind == u"node.dropped") {
        m_openPlan.reset();
        m_openDiagnosis = -1;
    } else if (event.kind == u"round.refused") {
        m_openPlan.reset();
        m_openDiagnosis = -1;
        m_roundWithRefusal = data.value("round").toInt();
        if (!data.value("final").toBool()) return;
        const Plan plan = Plan::fromJson(data.value("plan").toObject());
        Attempt attempt;
        attempt.baseNode = data.value("base").toInt(-1);
        attempt.method = plan.method;
        attempt.skill = plan.skill;
        attempt.parameters = plan.parameters;
        attempt.outcome = QStringLiteral("refused");
        attempt.why = data.value("reason").toString();
        m_refused.append({data.value("round").toInt(), attempt});
    } else if (event.kind == u"round.retrieval") {
        m_bottlenecks.insert(data.value("round").toInt(), data.value("chosen_case").toString().section(u'.', 0, 0));
    } else if (event.kind == u"repair.diagnosis") {
        m_openDiagnosis = data.value("node").toInt();
        m_diagnoses.insert(m_openDiagnosis, Diagnosis::fromJson(data.value("diagnosis").toObject()));
    } else if (event.kind == u"repair.rollback") {
        m_rolledBack.insert(data.value("node").toInt());
    } else if (event.kind == u"person.skill") {
        const QString skill = data.value("skill").toString();
        if (data.contains("state")) m_skillStates.insert(skill, skillStateFromString(data.value("state").toString()));
        if (data.contains("text"))
            m_skillTexts.insert(skill, {data.value("text").toString(), data.value("revision").toInt()});
    }
}

std::optional<Plan> EngineState::openPlan(int round, int base) const
{
    const bool fits = m_openPlan && m_openPlan->round == round && m_openPlan->base == base;
    return fits ? std::optional(m_openPlan->plan) : std::nullopt;
}

std::optional<Diagnosis> EngineState::openDiagnosis(int failing) const
{
    return m_openDiagnosis == failing ? std::optional(m_diagnoses.value(failing)) : std::nullopt;
}

Attempts EngineState::attempts(const Trajectory &trajectory) const
{
    Attempts attempts;
    for (const TrajectoryNode &node : trajectory.nodes) {
        if (node.candidateBlob.isEmpty()) continue;
        Attempt attempt;
        attempt.node = node.id;
        attempt.baseNode = node.parent;
        attempt.method = node.method;
        attempt.skill = node.skill;
        attempt.parameters = node.plan.parameters;
        attempt.codeDigest = node.codeDigest.toLatin1();
        attempt.outcome = toString(node.state);
        attempt.speedupOverBase = node.stepSpeedup ? node.stepSpeedup->value : 0;
        attempt.why = node.why;
        attempts.add(attempt);
    }
    for (const Refused &refused : m_refused)
        attempts.add(refused.attempt);
    return attempts;
}

Result<std::unique_ptr<Journal>> Journal::open(SessionFile file, Sink sink)
{
    // Of nothing: takes the writer's lock, so that what is folded now stays all there is.
    if (auto locked = file.append({}); !locked) return std::unexpected(locked.error());
    auto events = file.events();
    if (!events) return std::unexpected(events.error());
    std::unique_ptr<Journal> journal(new Journal(std::move(file), std::move(sink)));
    for (const Event &event : *events) {
        journal->m_trajectory.apply(event);
        journal->m_state.apply(event);
    }
    return journal;
}

Result<void> Journal::append(const QList<PendingEvent> &events)
{
    QList<Event> batch;
    for (const PendingEvent &pending : events)
        batch.append({0, pending.kind, 0, pending.data});
    auto stored = m_file.append(batch);
    if (!stored) return std::unexpected(stored.error());
    for (const Event &event : *stored) {
        m_trajectory.apply(event);
        m_state.apply(event);
        if (m_sink) m_sink(event);
    }
    return {};
}

Result<QString> Journal::putJson(const QJsonObject &object)
{
    return m_file.putBlob(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

Result<QString> Journal::putText(const QString &text)
{
    return m_file.putBlob(text.toUtf8());
}

Result<QJsonObject> Journal::json(const QString &blob) const
{
    auto content = m_file.blob(blob);
    if (!content) return std::unexpected(content.error());
    return QJsonDocument::fromJson(*content).object();
}

} // namespace kernelskill
