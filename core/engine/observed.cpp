// SPDX-License-Identifier: Apache-2.0
#include "engine/observed.h"

namespace kernelskill {

namespace {

std::optional<bool> isKept(const QString &promised, std::optional<double> before, std::optional<double> after)
{
    if (!after) return std::nullopt;
    const QStringList words = promised.split(u' ', Qt::SkipEmptyParts);
    if (promised == u"lower" || promised == u"higher") {
        if (!before) return std::nullopt;
        return promised == u"lower" ? *after < *before : *after > *before;
    }
    bool isNumber = false;
    const double bound = words.value(2).toDouble(&isNumber);
    if (words.size() != 3 || words[0] != u"at" || !isNumber) return std::nullopt;
    return words[1] == u"most" ? *after <= bound : *after >= bound;
}

} // namespace

QList<ObservedChange> observedChanges(const QList<MetricPromise> &promises, const Profile &before, const Profile &after)
{
    QList<ObservedChange> changes;
    for (const MetricPromise &promise : promises) {
        ObservedChange change;
        change.metric = promise.metric;
        change.promised = promise.change;
        change.before = before.metric(promise.metric);
        change.after = after.metric(promise.metric);
        change.kept = isKept(promise.change, change.before, change.after);
        changes.append(change);
    }
    return changes;
}

QList<ObservedChange> predictedChanges(const Prediction &prediction, const Profile &before, const Profile &after)
{
    QList<ObservedChange> changes;
    for (const CounterPrediction &counter : prediction.counters) {
        ObservedChange change{counter.metric, toString(counter.movement), before.metric(counter.metric),
                              after.metric(counter.metric), {}};
        if (change.before && change.after) change.kept = movementOf(*change.before, *change.after) == counter.movement;
        changes.append(change);
    }
    return changes;
}

QJsonArray toJson(const QList<ObservedChange> &changes)
{
    QJsonArray array;
    for (const ObservedChange &change : changes) {
        QJsonObject object{{"metric", change.metric}, {"promised", change.promised}};
        if (change.before) object.insert("before", *change.before);
        if (change.after) object.insert("after", *change.after);
        if (change.kept) object.insert("kept", *change.kept);
        array.append(object);
    }
    return array;
}

} // namespace kernelskill
