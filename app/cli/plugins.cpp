// SPDX-License-Identifier: Apache-2.0
// plugins and doctor: what there is, and what is missing.
#include "command.h"

#include "base/paths.h"
#include "plugin/doctor.h"

#include <QJsonArray>

namespace kernelskill::cli {

namespace {

bool readJsonOption(const QString &command, const QString &description, const QStringList &arguments, ParsedArguments &parsed)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(description);
    parser.addOption({QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")});
    parsed = parse(parser, command, arguments, 0, 0);
    return !parsed.over && parser.isSet(QStringLiteral("json"));
}

// What may stand in a setting of an agent: the models of a provider. Options are those of `optimize --agent-option`.
int choices(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("What may stand in a setting of an agent, asked of whoever knows: the models of a provider."));
    parser.addPositionalArgument(QStringLiteral("AGENT"), QStringLiteral("Agent plugin, such as llm."));
    parser.addPositionalArgument(QStringLiteral("SETTING"), QStringLiteral("One of its settings, such as model."));
    parser.addOption({QStringLiteral("agent-option"), QLatin1String(agentOptionHelp), QStringLiteral("NAME=VALUE")});
    parser.addOption({QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")});
    const ParsedArguments parsed = parse(parser, QStringLiteral("plugins choices"), arguments, 2, 2);
    if (parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(QStringLiteral("json"));
    const QString agent = parser.positionalArguments().at(0), setting = parser.positionalArguments().at(1);
    auto settings = agentOptionsFrom(parser.values(QStringLiteral("agent-option")), agent);
    if (!settings) return report(settings.error(), json);
    PluginManager manager;
    return runToEnd(
        [&]() -> QCoro::Task<int> {
            auto names = co_await manager.choices(agent, setting, settings->value(agent));
            if (!names) co_return report(names.error(), json);
            if (json) printJson({{QStringLiteral("choices"), QJsonArray::fromStringList(*names)}});
            else for (const QString &name : std::as_const(*names)) print(name);
            co_return Done;
        },
        [] { std::_Exit(StoppedByPerson); });
}

} // namespace

int plugins(const QStringList &arguments)
{
    if (arguments.value(0) == QLatin1String("choices")) return choices(arguments.mid(1));
    ParsedArguments parsed;
    const bool json = readJsonOption(QStringLiteral("plugins"), QStringLiteral("Agents and evaluators, their states and reasons."), arguments, parsed);
    if (parsed.over) return parsed.exitCode;
    const PluginManager manager;
    QJsonArray rows;
    for (const PluginInfo &plugin : manager.plugins()) {
        rows.append(QJsonObject{{QStringLiteral("id"), plugin.id}, {QStringLiteral("kind"), plugin.kind}, {QStringLiteral("title"), plugin.title},
                                {QStringLiteral("version"), plugin.version}, {QStringLiteral("state"), toString(plugin.state)},
                                {QStringLiteral("reason"), plugin.reason}, {QStringLiteral("path"), plugin.path},
                                {QStringLiteral("roles"), QJsonArray::fromStringList(plugin.roles)}});
        if (!json)
            print(QStringLiteral("%1 %2 %3 %4 %5").arg(plugin.kind, -10).arg(plugin.id, -12).arg(plugin.version, -8)
                      .arg(toString(plugin.state), -12).arg(plugin.reason.isEmpty() ? plugin.title : plugin.reason));
    }
    if (json) printJson({{QStringLiteral("plugins"), rows}});
    else if (rows.isEmpty()) print(QStringLiteral("no plugins in %1").arg(paths::pluginFolders().join(QStringLiteral(", "))));
    return Done;
}

int doctor(const QStringList &arguments)
{
    ParsedArguments parsed;
    const bool json = readJsonOption(QStringLiteral("doctor"), QStringLiteral("What this machine has, what it lacks and how to mend it."), arguments, parsed);
    if (parsed.over) return parsed.exitCode;
    PluginManager manager;
    const QList<QJsonObject> lines = examine(manager);
    QJsonArray rows;
    bool allOk = true;
    for (const QJsonObject &row : lines) {
        rows.append(row);
        const bool ok = row.value(QStringLiteral("ok")).toBool();
        const bool optional = row.value(QStringLiteral("optional")).toBool();
        allOk = allOk && (ok || optional);
        if (json) continue;
        print(QStringLiteral("%1 %2 %3").arg(ok ? QStringLiteral("ok") : optional ? QStringLiteral("absent") : QStringLiteral("lacks"), -7)
                  .arg(row.value(QStringLiteral("name")).toString(), -20).arg(row.value(QStringLiteral("text")).toString()));
        if (const QString remedy = row.value(QStringLiteral("remedy")).toString(); !ok && !remedy.isEmpty())
            print(QStringLiteral("        remedy: ") + remedy);
    }
    if (json) printJson({{QStringLiteral("ok"), allOk}, {QStringLiteral("checks"), rows}});
    return allOk ? Done : EnvironmentLacks;
}

} // namespace kernelskill::cli
