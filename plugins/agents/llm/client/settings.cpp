// SPDX-License-Identifier: Apache-2.0
#include "client/settings.h"

#include <functional>

namespace kernelskill::llm {

namespace {

using Read = std::function<QString(Settings &, const QString &)>; // what was expected, empty where it fits

struct Setting
{
    QString name;
    Read read;
};

template <class T> Read whole(T Settings::*member, int least)
{
    return [member, least](Settings &settings, const QString &text) {
        bool isNumber = false;
        const int value = text.toInt(&isNumber);
        if (!isNumber || value < least) return QStringLiteral("a whole number from %1 on").arg(least);
        settings.*member = value;
        return QString();
    };
}

Read text(QString Settings::*member)
{
    return [member](Settings &settings, const QString &value) {
        settings.*member = value;
        return QString();
    };
}

Read limit(const std::function<void(Settings &, double)> &set)
{
    return [set](Settings &settings, const QString &value) {
        bool isNumber = false;
        const double amount = value.toDouble(&isNumber);
        if (!isNumber || amount < 0) return QStringLiteral("a number from 0 on");
        set(settings, amount);
        return QString();
    };
}

QString readBase(Settings &settings, const QString &text)
{
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty() || (url.scheme() != u"https" && url.scheme() != u"http"))
        return QStringLiteral("an address such as https://models.example.org/v1");
    if (!url.userInfo().isEmpty())
        return QStringLiteral("an address without name and password; keys go into a variable or the keychain");
    settings.endpoint.base = url;
    return {};
}

QString readTemperature(Settings &settings, const QString &text)
{
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    if (!isNumber || value < 0 || value > 2) return QStringLiteral("a number from 0 to 2");
    settings.temperature = value;
    return {};
}

QString readPrice(Settings &settings, const QString &text)
{
    auto price = PriceTable::fromText(text);
    if (!price)
        return QStringLiteral(
            "US dollars for a million tokens as IN/OUT or IN/CACHED/OUT, for example 3/0.3/15, or 0/0");
    price->source = QStringLiteral("the person");
    settings.price = *price;
    return {};
}

QString readCassette(Settings &settings, const QString &text)
{
    const QString mode = text.section(u':', 0, 0), file = text.section(u':', 1);
    if ((mode != u"record" && mode != u"replay") || file.isEmpty()) return QStringLiteral("record:FILE or replay:FILE");
    settings.record = mode == u"record";
    settings.cassette = file;
    return {};
}

QString readReasoning(Settings &settings, const QString &text)
{
    if (text != u"low" && text != u"medium" && text != u"high") return QStringLiteral("low, medium or high");
    settings.reasoning = text;
    return {};
}

QString readSwitch(Settings &settings, const QString &text)
{
    if (text != u"true" && text != u"false") return QStringLiteral("true or false");
    settings.allowPlainHttp = text == u"true";
    return {};
}

QList<Setting> allSettings()
{
    QList<Setting> all{
        {QStringLiteral("base_url"), readBase},
        {QStringLiteral("key_variable"), text(&Settings::keyVariable)},
        {QStringLiteral("key_header"),
         [](Settings &s, const QString &t) {
             s.endpoint.keyHeader = t;
             return QString();
         }},
        {QStringLiteral("query"),
         [](Settings &s, const QString &t) {
             s.endpoint.query = t;
             return QString();
         }},
        {QStringLiteral("model"), text(&Settings::model)},
        {QStringLiteral("reasoning"), readReasoning},
        {QStringLiteral("temperature"), readTemperature},
        {QStringLiteral("max_output_tokens"), whole(&Settings::maxOutputTokens, 256)},
        {QStringLiteral("context_tokens"), whole(&Settings::contextTokens, 4096)},
        {QStringLiteral("price"), readPrice},
        {QStringLiteral("day_money_usd"), limit([](Settings &s, double v) { s.day.money_usd = v; })},
        {QStringLiteral("day_tokens"), limit([](Settings &s, double v) { s.day.tokens = qint64(v); })},
        {QStringLiteral("day_calls"), limit([](Settings &s, double v) { s.day.calls = qint64(v); })},
        {QStringLiteral("retries"), whole(&Settings::retries, 0)},
        {QStringLiteral("longest_wait_s"), whole(&Settings::longestWait_s, 0)},
        {QStringLiteral("silence_s"), whole(&Settings::silence_s, 1)},
        {QStringLiteral("cassette"), readCassette},
        {QStringLiteral("prompts"), text(&Settings::prompts)},
        {QStringLiteral("ca_file"), text(&Settings::caFile)},
        {QStringLiteral("allow_plain_http"), readSwitch},
    };
    for (const Role role : allRoles()) {
        all.append({toString(role) + QStringLiteral("_model"), [role](Settings &settings, const QString &model) {
                        settings.models.insert(role, model);
                        return QString();
                    }});
    }
    return all;
}

QString textOf(const QJsonValue &value)
{
    if (value.isBool()) return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', 15);
    return value.toString().trimmed();
}

// Named, or the one whose key lies in the environment.
Result<QString> providerFrom(const QJsonObject &object)
{
    const QString named = textOf(object.value("provider"));
    if (!named.isEmpty()) {
        if (provider(named)) return named;
        return failure("settings.value", QStringLiteral("the agent 'llm' knows no provider '%1'; it knows %2")
                                             .arg(named, providerIds().join(QStringLiteral(", "))));
    }
    for (const QString &id : providerIds()) {
        for (const QString &variable : provider(id)->keyVariables()) {
            if (qEnvironmentVariableIsSet(variable.toLatin1().constData())) return id;
        }
    }
    if (object.contains("base_url")) return QStringLiteral("openai-chat"); // what nearly every server speaks
    return failure("settings.value",
                   QStringLiteral("the agent 'llm' needs a provider: --agent-option llm.provider=… with one of %1")
                       .arg(providerIds().join(QStringLiteral(", "))));
}

} // namespace

Result<Settings> settingsFrom(const QJsonObject &object)
{
    Settings settings;
    auto id = providerFrom(object);
    if (!id) return std::unexpected(id.error());
    settings.endpoint.provider = *id;
    const QList<Setting> known = allSettings();
    for (auto entry = object.begin(); entry != object.end(); ++entry) {
        if (entry.key() == u"provider") continue;
        const auto setting = std::ranges::find(known, entry.key(), &Setting::name);
        if (setting == known.end()) {
            QStringList names{QStringLiteral("provider")};
            for (const Setting &one : known)
                names.append(one.name);
            return failure("settings.value", QStringLiteral("the agent 'llm' has no setting '%1'; it has %2")
                                                 .arg(entry.key(), names.join(QStringLiteral(", "))));
        }
        const QString value = textOf(entry.value());
        if (value.isEmpty()) continue;
        if (const QString expected = setting->read(settings, value); !expected.isEmpty())
            return failure("settings.value",
                           QStringLiteral("llm.%1 is '%2'; expected %3").arg(entry.key(), value, expected));
    }
    if (settings.model.isEmpty())
        return failure(
            "settings.value",
            QStringLiteral("the agent 'llm' needs a model: --agent-option llm.model=NAME; `kernelskill plugins "
                           "choices llm model` lists those of the provider"));
    // A local server sets its memory aside for the window that is asked for.
    if (*id == u"ollama" && !object.contains("context_tokens")) settings.contextTokens = 32'768;
    if (settings.maxOutputTokens * 2 > settings.contextTokens) settings.maxOutputTokens = settings.contextTokens / 3;
    const Provider &adapter = *provider(*id);
    if (settings.endpoint.base.isEmpty()) {
        settings.endpoint.base = adapter.defaultBase();
        for (const QString &variable : adapter.baseVariables()) {
            QString base = qEnvironmentVariable(variable.toLatin1().constData());
            if (base.isEmpty()) continue;
            if (*id == u"ollama" && !base.contains(u"://")) base.prepend(u"http://"); // OLLAMA_HOST as Ollama takes it
            if (const QString expected = readBase(settings, base); !expected.isEmpty())
                return failure(
                    "settings.value",
                    QStringLiteral("the environment variable %1 is '%2'; expected %3").arg(variable, base, expected));
            break;
        }
    }
    return settings;
}

} // namespace kernelskill::llm
