// SPDX-License-Identifier: Apache-2.0
// skills prove NAME --on SESSION:NODE: the counterfactual run, and the promotion of a draft that gains.
#include "command.h"

#include "engine/proof.h"

#include <QFileInfo>
#include <QJsonArray>

namespace kernelskill::cli {

namespace {

struct Place
{
    QString session;
    int node = -1;
};

// "runs/a.kss:4"; the last colon counts, for a path may hold others.
Result<Place> placeOf(const QString &text)
{
    const qsizetype colon = text.lastIndexOf(u':');
    bool isNumber = false;
    const int node = colon < 0 ? -1 : text.mid(colon + 1).toInt(&isNumber);
    if (!isNumber || node < 0 || colon == 0) {
        return failure(QStringLiteral("usage"), QStringLiteral("--on takes SESSION:NODE, a session file and the number of one of its nodes, not “%1”").arg(text));
    }
    return Place{text.left(colon), node};
}

QJsonObject toJson(const Proof &proof, const Skill &skill, const QString &state)
{
    QJsonObject json{{QStringLiteral("skill"), skill.name},
                     {QStringLiteral("revision"), skill.revision},
                     {QStringLiteral("proved"), proof.proved},
                     {QStringLiteral("why"), proof.why},
                     {QStringLiteral("state"), state},
                     {QStringLiteral("task"), proof.task},
                     {QStringLiteral("architecture"), proof.architecture},
                     {QStringLiteral("evaluator"), proof.evaluator},
                     {QStringLiteral("node_without"), proof.without},
                     {QStringLiteral("promises"), kernelskill::toJson(proof.observed)},
                     {QStringLiteral("verdict_without"), toString(proof.evaluationWithout.verdict)},
                     {QStringLiteral("verdict_with"), toString(proof.evaluationWith.verdict)}};
    if (proof.with >= 0) json[QStringLiteral("node_with")] = proof.with;
    if (const auto time_us = proof.evaluationWithout.time_us()) json[QStringLiteral("time_us_without")] = *time_us;
    if (const auto time_us = proof.evaluationWith.time_us()) json[QStringLiteral("time_us_with")] = *time_us;
    if (proof.gain) {
        json[QStringLiteral("speedup")] = proof.gain->value;
        json[QStringLiteral("interval")] = QJsonArray{proof.gain->interval.low, proof.gain->interval.high};
        json[QStringLiteral("kind")] = toString(proof.gain->kind);
    }
    return json;
}

void tell(const Proof &proof, const Skill &skill, const QString &state)
{
    print(QStringLiteral("%1 on %2, node %3: %4").arg(skill.name, proof.task).arg(proof.without)
              .arg(proof.gain ? speedupText(*proof.gain, proof.evaluationWith.verdict) : proof.why));
    for (const ObservedChange &change : proof.observed) {
        const auto value = [](const std::optional<double> &v) { return v ? number(*v, 2) : QStringLiteral("unknown"); };
        print(QStringLiteral("  %1 promised %2: %3 → %4%5").arg(change.metric, change.promised, value(change.before), value(change.after),
                  change.kept ? (*change.kept ? QStringLiteral(", kept") : QStringLiteral(", not kept")) : QString()));
    }
    print(QStringLiteral("%1: %2; the skill is %3").arg(proof.proved ? QStringLiteral("proved") : QStringLiteral("not proved"), proof.why, state));
}

// A draft or quarantined skill that gains is offered from now on; whatever else a person decided stays.
Result<QString> promote(SkillStore &store, const Skill &skill, const Proof &proof, const QString &on)
{
    const bool waits = skill.state == SkillState::Draft || skill.state == SkillState::Quarantined;
    if (!waits || !proof.proved) return toString(skill.state);
    const QString reason = QStringLiteral("proved on %1: %2× [%3, %4] %5")
                               .arg(on).arg(proof.gain->value, 0, 'f', 2).arg(proof.gain->interval.low, 0, 'f', 2)
                               .arg(proof.gain->interval.high, 0, 'f', 2).arg(toString(proof.gain->kind));
    if (auto done = store.setState(skill.name, SkillState::Active, reason, QStringLiteral("counterfactual run")); !done)
        return std::unexpected(done.error());
    return toString(SkillState::Active);
}

} // namespace

int proveSkill(SkillStore &store, const QString &name, const QString &on, const QString &agent, bool json)
{
    auto place = placeOf(on);
    if (!place) return report(place.error(), json);
    auto skill = findSkill(store, name);
    if (!skill) return report(skill.error(), json);
    PluginManager manager;
    const PlayerFactory players = playersOf(&manager);
    std::stop_source stop;
    const ProofRequest request{place->session, place->node, agent, 0};
    return runToEnd(
        [&]() -> QCoro::Task<int> {
            QString last;
            const auto progress = [&last](const EvaluationProgress &step) {
                if (step.stage != last) progressLine(QStringLiteral("  ") + step.stage);
                last = step.stage;
            };
            auto proof = co_await prove(request, players, *skill, progress, stop.get_token());
            if (stop.stop_requested()) co_return StoppedByPerson;
            if (!proof) co_return report(proof.error(), json);
            auto state = promote(store, *skill, *proof, QStringLiteral("%1:%2").arg(QFileInfo(place->session).fileName()).arg(place->node));
            if (!state) co_return report(state.error(), json);
            if (json) printJson(toJson(*proof, *skill, *state));
            else tell(*proof, *skill, *state);
            co_return proof->proved ? Done : CandidateFailed;
        },
        [&stop] { stop.request_stop(); });
}

} // namespace kernelskill::cli
