// SPDX-License-Identifier: Apache-2.0
#include "engine/observed.h"

namespace kernelskill {

namespace {

bool isTotal(const QString &metric)
{
    static const QStringList totals{QStringLiteral("dram_bytes"),      QStringLiteral("l2_bytes"),
                                    QStringLiteral("l1_bytes"),        QStringLiteral("instructions"),
                                    QStringLiteral("fp32_flops"),      QStringLiteral("shared_bank_conflicts"),
                                    QStringLiteral("atomic_requests"), QStringLiteral("branch_targets_divergent")};
    return totals.contains(metric);
}

std::optional<double> valueOf(const QString &metric, const Profile &profile)
{
    if (profile.isEmpty()) return std::nullopt;
    if (metric == u"kernel_launch_count") return profile.launchCount;
    if (!isTotal(metric)) return profile.deciding()->metric(metric);
    double sum = 0;
    for (const KernelProfile &kernel : profile.kernels) {
        const auto value = kernel.metric(metric);
        if (!value) return std::nullopt; // a sum with a hole is no sum
        sum += *value;
    }
    return sum;
}

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
        change.before = valueOf(promise.metric, before);
        change.after = valueOf(promise.metric, after);
        change.kept = isKept(promise.change, change.before, change.after);
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
