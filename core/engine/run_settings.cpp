// SPDX-License-Identifier: Apache-2.0
#include "engine/run_settings.h"

namespace kernelskill {

namespace {

QString toString(LongTerm mode)
{
    switch (mode) {
    case LongTerm::Learning:
        return QStringLiteral("learning");
    case LongTerm::Frozen:
        return QStringLiteral("frozen");
    case LongTerm::Off:
        return QStringLiteral("off");
    }
    return {};
}

// One choice out of a few words; an absent value keeps the default.
template <class T>
Result<void> choose(const QJsonObject &object, const char *key, const QList<std::pair<const char *, T>> &words,
                    T &target)
{
    const QString text = object.value(QLatin1String(key)).toString();
    if (text.isEmpty()) return {};
    QStringList known;
    for (const auto &[word, value] : words) {
        if (text == QLatin1String(word)) {
            target = value;
            return {};
        }
        known.append(QLatin1String(word));
    }
    return failure("settings.value", QStringLiteral("'%1' must be one of %2, not '%3'")
                                         .arg(QLatin1String(key), known.join(QStringLiteral(", ")), text));
}

} // namespace

Budget Budget::raisedTo(const Budget &other) const
{
    return {std::max(time_s, other.time_s), std::max(money_usd, other.money_usd), std::max(tokens, other.tokens),
            std::max(calls, other.calls)};
}

QJsonObject Budget::toJson() const
{
    return {{"time_s", time_s}, {"money_usd", money_usd}, {"tokens", tokens}, {"calls", calls}};
}

Budget Budget::fromJson(const QJsonObject &object)
{
    return {object.value("time_s").toDouble(), object.value("money_usd").toDouble(), object.value("tokens").toInteger(),
            object.value("calls").toInteger()};
}

QString RunSettings::agentFor(Role role) const
{
    return cast.value(role, agent);
}

QJsonObject RunSettings::toJson() const
{
    QJsonObject castObject;
    for (const auto &[role, plugin] : cast.asKeyValueRange())
        castObject.insert(kernelskill::toString(role), plugin);
    QJsonObject settingsObject;
    for (const auto &[plugin, values] : agentSettings.asKeyValueRange())
        settingsObject.insert(plugin, values);
    return {{"task_folder", taskFolder},
            {"cast", castObject},
            {"agent", agent},
            {"agent_settings", settingsObject},
            {"evaluator", evaluator},
            {"device", device},
            {"mode", mode},
            {"rounds", rounds},
            {"seeds", seeds},
            {"seed", QString::number(seed)}, // a JSON number holds 53 bits only
            {"budget", budget.toJson()},
            {"long_term", toString(longTerm)},
            {"short_term", shortTerm},
            {"retrieval", retrieval},
            {"policy", policy},
            {"promotion", promotion == Promotion::Paper ? QStringLiteral("paper") : QStringLiteral("interval")},
            {"repair_limit", repairLimit},
            {"plateau_rounds", plateauRounds},
            {"roofline_fraction", rooflineFraction},
            {"step_mode", stepMode},
            {"unconfined", unconfined}};
}

Result<RunSettings> RunSettings::fromJson(const QJsonObject &object)
{
    RunSettings settings;
    const RunSettings defaults;
    settings.taskFolder = object.value("task_folder").toString();
    settings.agent = object.value("agent").toString(defaults.agent);
    settings.evaluator = object.value("evaluator").toString(defaults.evaluator);
    settings.device = object.value("device").toString();
    settings.rounds = object.value("rounds").toInt(defaults.rounds);
    settings.seeds = object.value("seeds").toInt(defaults.seeds);
    settings.seed = object.value("seed").toString(QString::number(defaults.seed)).toULongLong();
    settings.budget = Budget::fromJson(object.value("budget").toObject());
    settings.shortTerm = object.value("short_term").toBool(true);
    settings.policy = object.value("policy").toString();
    settings.repairLimit = object.value("repair_limit").toInt(defaults.repairLimit);
    settings.plateauRounds = object.value("plateau_rounds").toInt();
    settings.rooflineFraction = object.value("roofline_fraction").toDouble();
    settings.stepMode = object.value("step_mode").toBool();
    settings.unconfined = object.value("unconfined").toBool();
    const QJsonObject agents = object.value("agent_settings").toObject();
    for (auto entry = agents.begin(); entry != agents.end(); ++entry)
        settings.agentSettings.insert(entry.key(), entry->toObject());
    const QJsonObject cast = object.value("cast").toObject();
    for (auto entry = cast.begin(); entry != cast.end(); ++entry) {
        const auto role = roleFromString(entry.key());
        if (!role)
            return failure("settings.value", QStringLiteral("the cast names an unknown role '%1'").arg(entry.key()));
        settings.cast.insert(*role, entry->toString());
    }
    const QList<std::pair<const char *, QString>> modes{
        {"strict", "strict"}, {"kernelbench", "kernelbench"}, {"paper", "paper"}};
    const QList<std::pair<const char *, QString>> retrievals{
        {"policy", "policy"}, {"random", "random"}, {"all", "all"}};
    const QList<std::pair<const char *, LongTerm>> memories{
        {"learning", LongTerm::Learning}, {"frozen", LongTerm::Frozen}, {"off", LongTerm::Off}};
    const QList<std::pair<const char *, Promotion>> promotions{{"interval", Promotion::Interval},
                                                               {"paper", Promotion::Paper}};
    if (auto ok = choose(object, "mode", modes, settings.mode); !ok) return std::unexpected(ok.error());
    if (auto ok = choose(object, "retrieval", retrievals, settings.retrieval); !ok) return std::unexpected(ok.error());
    if (auto ok = choose(object, "long_term", memories, settings.longTerm); !ok) return std::unexpected(ok.error());
    if (auto ok = choose(object, "promotion", promotions, settings.promotion); !ok) return std::unexpected(ok.error());
    if (settings.rounds < 0 || settings.seeds < 1 || settings.repairLimit < 0) {
        return failure("settings.value",
                       QStringLiteral("rounds and repair_limit must be at least 0, seeds at least 1"));
    }
    return settings;
}

} // namespace kernelskill
