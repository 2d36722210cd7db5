// SPDX-License-Identifier: Apache-2.0
// explain: why a node came about. The same facts as the window's Why tab.
#include "command.h"

#include "retrieval/retrieval.h"
#include "session/session_file.h"
#include "session/trajectory.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace kernelskill::cli {

namespace {

struct Story
{
    TrajectoryNode node;
    RoundRecord round;
    std::optional<Retrieval> retrieval;
};

Result<Story> readStory(const SessionFile &file, int nodeId)
{
    auto events = file.events();
    if (!events) return std::unexpected(events.error());
    const Trajectory trajectory = Trajectory::fold(*events);
    const TrajectoryNode *node = trajectory.node(nodeId);
    if (!node)
        return failure(QStringLiteral("session.node"), QStringLiteral("%1: there is no node %2; nodes are 0 to %3")
                                                           .arg(file.path()).arg(nodeId).arg(int(trajectory.nodes.size()) - 1));
    Story story{*node, {}, {}};
    const auto round = std::ranges::find_if(trajectory.rounds, [&](const RoundRecord &r) { return r.round == node->round; });
    if (round != trajectory.rounds.end()) {
        story.round = *round;
        if (!round->retrievalBlob.isEmpty()) {
            auto blob = file.blob(round->retrievalBlob);
            if (!blob) return std::unexpected(blob.error());
            story.retrieval = Retrieval::fromJson(QJsonDocument::fromJson(*blob).object());
        }
    }
    return story;
}

QString valueText(const QVariant &value)
{
    if (!value.isValid()) return QStringLiteral("no counter");
    if (value.typeId() == QMetaType::Double) return QString::number(value.toDouble(), 'g', 4);
    return value.toString();
}

QString valuesText(const QVariantMap &values)
{
    QStringList parts;
    for (auto value = values.begin(); value != values.end(); ++value)
        parts << QStringLiteral("%1 = %2").arg(value.key(), valueText(*value));
    return parts.join(QStringLiteral(", "));
}

void printPredicates(const QList<PredicateTrace> &predicates)
{
    for (const PredicateTrace &predicate : predicates)
        print(QStringLiteral("      %1 %2  (%3)").arg(toString(predicate.truth), -8).arg(predicate.text, valuesText(predicate.values)));
}

void printRetrieval(const Retrieval &retrieval)
{
    print(QStringLiteral("\nKernel %1 decides; headroom tier %2").arg(retrieval.kernel, retrieval.tier));
    print(retrieval.explanation);
    print(QStringLiteral("\nBottlenecks"));
    for (const BottleneckTrace &bottleneck : retrieval.bottlenecks) {
        print(QStringLiteral("  %1 %2").arg(toString(bottleneck.truth), -8).arg(bottleneck.title));
        printPredicates(bottleneck.predicates);
    }
    print(QStringLiteral("\nCases"));
    for (const CaseTrace &c : retrieval.cases) {
        print(QStringLiteral("  %1 %2%3").arg(toString(c.truth), -8).arg(c.title, c.chosen ? QStringLiteral("  ← chosen") : QString()));
        if (c.truth != Truth::False) printPredicates(c.predicates);
    }
    print(QStringLiteral("\nAllowed, best first"));
    for (const RankedMethod &method : retrieval.allowed)
        print(QStringLiteral("  %1 %2 %3").arg(method.method, -4).arg(method.skill, -26).arg(method.reason));
    if (!retrieval.forbidden.isEmpty()) print(QStringLiteral("Forbidden: %1").arg(retrieval.forbidden.join(QStringLiteral(", "))));
}

void printChanges(const QList<ObservedChange> &changes, const QString &said)
{
    const auto value = [](const std::optional<double> &v) { return v ? number(*v, 2) : QStringLiteral("no counter"); };
    for (const ObservedChange &change : changes) {
        print(QStringLiteral("  %1 %2 %3, observed %4 → %5, %6").arg(change.metric, said, change.promised, value(change.before), value(change.after),
                  !change.kept ? QStringLiteral("cannot be told") : *change.kept ? QStringLiteral("kept") : QStringLiteral("not kept")));
    }
}

void printStory(const Story &story)
{
    const TrajectoryNode &node = story.node;
    print(QStringLiteral("Node %1, round %2, %3 from node %4: %5").arg(node.id).arg(node.round).arg(node.kind).arg(node.parent).arg(node.summary));
    if (node.speedup) {
        const Verdict verdict = verdictFromString(toString(node.state)).value_or(Verdict::Unproven);
        print(QStringLiteral("Outcome: %1").arg(speedupText(*node.speedup, verdict)));
        if (node.stepSpeedup) print(QStringLiteral("Over its parent: %1").arg(speedupText(*node.stepSpeedup, verdict)));
    } else {
        print(QStringLiteral("Outcome: %1%2").arg(toString(node.state), node.why.isEmpty() ? QString() : QStringLiteral(", ") + node.why));
    }
    if (node.recorded) print(QStringLiteral("Recorded: node %1 of the record, played again").arg(node.recorded->node));
    if (!node.divergence.isEmpty()) print(QStringLiteral("Otherwise than recorded: %1").arg(node.divergence));
    if (story.retrieval) printRetrieval(*story.retrieval);
    for (const QString &refusal : story.round.refusals) print(QStringLiteral("Refused: %1").arg(refusal));
    if (!node.plan.skill.isEmpty() || !node.plan.method.isEmpty()) {
        print(QStringLiteral("\nPlan: %1 %2 %3").arg(node.plan.method, node.plan.skill,
                                                   QString::fromUtf8(QJsonDocument(node.plan.parameters).toJson(QJsonDocument::Compact))));
        print(node.plan.rationale);
    }
    printChanges(node.observed, QStringLiteral("promised"));
    if (!node.prediction) return;
    if (node.prediction->speedup) print(QStringLiteral("\nPredicted: %1, over the base").arg(guessTitle(*node.prediction->speedup)));
    printChanges(node.predicted, QStringLiteral("predicted"));
}

QJsonArray changesJson(const QList<ObservedChange> &changes)
{
    QJsonArray array;
    for (const ObservedChange &change : changes) {
        QJsonObject o{{QStringLiteral("metric"), change.metric}, {QStringLiteral("promised"), change.promised}};
        o[QStringLiteral("before")] = change.before ? QJsonValue(*change.before) : QJsonValue();
        o[QStringLiteral("after")] = change.after ? QJsonValue(*change.after) : QJsonValue();
        o[QStringLiteral("kept")] = change.kept ? QJsonValue(*change.kept) : QJsonValue();
        array.append(o);
    }
    return array;
}

QJsonObject storyJson(const Story &story)
{
    const TrajectoryNode &node = story.node;
    QJsonObject json{{QStringLiteral("node"), node.id},       {QStringLiteral("parent"), node.parent},
                     {QStringLiteral("round"), node.round},   {QStringLiteral("kind"), node.kind},
                     {QStringLiteral("state"), toString(node.state)}, {QStringLiteral("summary"), node.summary},
                     {QStringLiteral("why"), node.why},       {QStringLiteral("plan"), node.plan.toJson()},
                     {QStringLiteral("observed"), changesJson(node.observed)},  {QStringLiteral("refusals"), QJsonArray::fromStringList(story.round.refusals)},
                     {QStringLiteral("features"), QJsonObject::fromVariantMap(story.round.features)}};
    if (node.recorded) json[QStringLiteral("recorded")] = node.recorded->toJson();
    if (!node.divergence.isEmpty()) json[QStringLiteral("divergence")] = node.divergence;
    if (node.prediction) {
        json[QStringLiteral("prediction")] = node.prediction->toJson();
        json[QStringLiteral("predicted")] = changesJson(node.predicted);
    }
    if (story.retrieval) json[QStringLiteral("retrieval")] = story.retrieval->toJson();
    if (node.speedup) {
        json[QStringLiteral("speedup")] = node.speedup->value;
        json[QStringLiteral("interval")] = QJsonArray{node.speedup->interval.low, node.speedup->interval.high};
        json[QStringLiteral("time_kind")] = toString(node.speedup->kind);
    }
    return json;
}

} // namespace

int explain(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Why a node came about: evidence, cases, ranking, plan, outcome."));
    parser.addPositionalArgument(QStringLiteral("SESSION"), QStringLiteral("Session file."));
    parser.addPositionalArgument(QStringLiteral("NODE"), QStringLiteral("Node number."));
    parser.addOption({QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")});
    if (const auto parsed = parse(parser, QStringLiteral("explain"), arguments, 2, 2); parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(QStringLiteral("json"));
    bool isNumber = false;
    const int node = parser.positionalArguments().at(1).toInt(&isNumber);
    if (!isNumber)
        return report(Error{QStringLiteral("usage"), QStringLiteral("NODE is a number, not “%1”").arg(parser.positionalArguments().at(1)), {}}, json);
    auto file = SessionFile::open(parser.positionalArguments().first(), true);
    if (!file) return report(file.error(), json);
    auto story = readStory(*file, node);
    if (!story) return report(story.error(), json);
    if (json) printJson(storyJson(*story));
    else printStory(*story);
    return Done;
}

} // namespace kernelskill::cli
