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

} // namespace

int plugins(const QStringList &arguments)
{
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
