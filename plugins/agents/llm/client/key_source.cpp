// SPDX-License-Identifier: Apache-2.0
#include "client/key_source.h"

#include "secrets/secrets.h"
#include "secrets/this_machine.h"

namespace kernelskill::llm {

KeySource keySourceOf(const Settings &settings)
{
    const Provider &adapter = *provider(settings.endpoint.provider);
    KeySource source;
    source.origin = secrets::originOf(settings.endpoint.base);
    source.variables = adapter.keyVariables();
    source.variablesOrigin = secrets::originOf(adapter.defaultBase());
    for (const QString &variable : adapter.baseVariables()) {
        const QString base = qEnvironmentVariable(variable.toLatin1().constData());
        if (!base.isEmpty()) source.variablesOrigin = secrets::originOf(QUrl(base));
    }
    if (!settings.keyVariable.isEmpty()) {
        source.variables = {settings.keyVariable};
        source.variablesOrigin = source.origin;
    }
    source.isNeeded = !settings.isReplayed() && !secrets::isThisMachine(settings.endpoint.base) && !source.variables.isEmpty();
    return source;
}

QJsonObject keyDoctorLine(const Settings &settings)
{
    const KeySource source = keySourceOf(settings);
    QString from;
    if (secrets::sessionOrigins().contains(source.origin)) from = QStringLiteral("this session");
    for (const QString &variable : source.variables) {
        if (from.isEmpty() && source.variablesOrigin == source.origin &&
            !qEnvironmentVariable(variable.toLatin1().constData()).trimmed().isEmpty())
            from = QStringLiteral("environment variable ") + variable;
    }
    if (from.isEmpty() && secrets::storedOrigins().contains(source.origin)) from = QStringLiteral("keychain");
    const QString name = QStringLiteral("key of the language model");
    if (!from.isEmpty())
        return {{"name", name},
                {"ok", true},
                {"text", QStringLiteral("for %1: %2").arg(source.origin, from)},
                {"remedy", QString()}};
    if (!source.isNeeded)
        return {{"name", name},
                {"ok", true},
                {"text", QStringLiteral("%1 needs none").arg(source.origin)},
                {"remedy", QString()}};
    return {{"name", name},
            {"ok", false},
            {"optional", true}, // nobody has to play with a model
            {"text", QStringLiteral("there is none for %1").arg(source.origin)},
            {"remedy",
             QStringLiteral("set %1, run `kernelskill keys set %2`, or give it in the window under Run, Agent settings")
                 .arg(source.variables.first(), source.origin)}};
}

} // namespace kernelskill::llm
