// SPDX-License-Identifier: Apache-2.0
#include "agents/key_place.h"

#include "secrets/secrets.h"
#include "secrets/this_machine.h"

#include <QJsonArray>
#include <QUrl>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QStringList texts(const QJsonValue &array)
{
    return array.toVariant().toStringList();
}

QString fromEnvironment(const QStringList &variables)
{
    for (const QString &variable : variables) {
        if (const QString value = qEnvironmentVariable(qPrintable(variable)).trimmed(); !value.isEmpty()) return value;
    }
    return {};
}

// The chosen one, else the first whose key lies in the environment, else where there is an address the first of all.
QJsonObject serviceFor(const QJsonArray &services, const QString &chosen, bool hasAddress)
{
    for (const QJsonValue &service : services) {
        if (chosen.isEmpty() ? !fromEnvironment(texts(service["variables"_L1])).isEmpty() : service["value"_L1].toString() == chosen)
            return service.toObject();
    }
    return chosen.isEmpty() && hasAddress ? services.first().toObject() : QJsonObject();
}

} // namespace

QString addressSetting(const QJsonObject &schema)
{
    return schema["x-keys"_L1]["address"_L1].toString();
}

KeyPlace keyPlaceOf(const QJsonObject &schema, const QJsonObject &settings)
{
    const QJsonObject keys = schema["x-keys"_L1].toObject();
    const auto setting = [&](QLatin1StringView which) { return settings[keys[which].toString()].toString().trimmed(); };
    const QString address = setting("address"_L1), variable = setting("variable"_L1);
    const QJsonObject service = serviceFor(keys["services"_L1].toArray(), setting("choice"_L1), !address.isEmpty());
    if (service.isEmpty()) return {};
    const QString ofService = service["address"_L1].toString(), ofEnvironment = fromEnvironment(texts(service["address_variables"_L1]));
    QString usual = ofEnvironment.isEmpty() ? ofService : ofEnvironment;
    if (!usual.contains(u"://"_s)) usual.prepend(u"http://"_s); // OLLAMA_HOST
    const QUrl used(address.isEmpty() ? usual : address, QUrl::StrictMode);
    KeyPlace place;
    place.origin = secrets::originOf(used);
    place.variables = variable.isEmpty() ? texts(service["variables"_L1]) : QStringList{variable};
    place.variablesOrigin = variable.isEmpty() ? secrets::originOf(QUrl(usual)) : place.origin;
    place.isLocal = secrets::isThisMachine(used);
    return place;
}

} // namespace kernelskill
