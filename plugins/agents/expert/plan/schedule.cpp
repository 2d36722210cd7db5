// SPDX-License-Identifier: Apache-2.0
#include "plan/schedule.h"

namespace kernelskill::expert {

namespace {

// One list of fields serves writing and reading, so that neither can forget one.
template <class S, class Visit> void visitFields(S &schedule, Visit visit)
{
    visit("threads", schedule.threads);
    visit("vector_width", schedule.vectorWidth);
    visit("items_per_thread", schedule.itemsPerThread);
    visit("batched_loads", schedule.batchedLoads);
    visit("shuffle", schedule.shuffle);
    visit("cached_vectors", schedule.cachedVectors);
    visit("online", schedule.online);
    visit("reciprocal", schedule.reciprocal);
    visit("peeled", schedule.peeled);
    visit("keep_exponentials", schedule.keepExponentials);
    visit("coalesced", schedule.coalesced);
    visit("tile_m", schedule.tileM);
    visit("tile_n", schedule.tileN);
    visit("tile_k", schedule.tileK);
    visit("thread_m", schedule.threadM);
    visit("thread_n", schedule.threadN);
    visit("padding", schedule.padding);
    visit("prefetch", schedule.prefetch);
}

} // namespace

QString toString(RowMapping mapping)
{
    switch (mapping) {
    case RowMapping::Thread:
        return QStringLiteral("thread");
    case RowMapping::Warp:
        return QStringLiteral("warp");
    case RowMapping::Block:
        return QStringLiteral("block");
    }
    return {};
}

std::optional<RowMapping> rowMappingFromString(const QString &text)
{
    for (const RowMapping mapping : {RowMapping::Thread, RowMapping::Warp, RowMapping::Block}) {
        if (toString(mapping) == text) return mapping;
    }
    return std::nullopt;
}

QJsonObject Schedule::toJson() const
{
    QJsonObject all, defaults;
    visitFields(*this, [&all](const char *name, auto value) { all.insert(QLatin1String(name), value); });
    const Schedule plain;
    visitFields(plain, [&defaults](const char *name, auto value) { defaults.insert(QLatin1String(name), value); });
    QJsonObject object;
    for (auto it = all.constBegin(); it != all.constEnd(); ++it) {
        if (it.value() != defaults.value(it.key())) object.insert(it.key(), it.value());
    }
    if (mapping != RowMapping::Thread) object.insert(QStringLiteral("mapping"), toString(mapping));
    return object;
}

Schedule Schedule::fromJson(const QJsonObject &object)
{
    Schedule schedule;
    visitFields(schedule, [&object]<class T>(const char *name, T &value) {
        const QJsonValue json = object.value(QLatin1String(name));
        if constexpr (std::is_same_v<T, bool>)
            value = json.toBool(value);
        else
            value = json.toInt(value);
    });
    schedule.mapping =
        rowMappingFromString(object.value(QStringLiteral("mapping")).toString()).value_or(RowMapping::Thread);
    return schedule;
}

} // namespace kernelskill::expert
