// SPDX-License-Identifier: Apache-2.0
#include "providers/error_body.h"

#include <QJsonDocument>
#include <QRegularExpression>

#include <algorithm>

namespace kernelskill::llm {

namespace {

constexpr qsizetype longestMessage = 600;

QString asText(const QJsonValue &value)
{
    if (value.isDouble())
        return QString::number(value.toInteger());
    return value.toString();
}

QString shortened(QString message)
{
    message = message.simplified();
    if (message.size() <= longestMessage)
        return message;
    qsizetype length = longestMessage - 1;
    if (message[length - 1].isHighSurrogate())
        --length;
    return message.first(length) + QChar(0x2026);
}

QString compact(const QJsonObject &object)
{
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

// Validation errors of FastAPI: [{"loc": ["body", "max_tokens"], "msg": "…"}].
QString validationMessage(const QJsonArray &details)
{
    QStringList parts;
    for (const QJsonValue &detail : details) {
        QStringList place;
        const QJsonArray loc = detail[QStringLiteral("loc")].toArray();
        for (const QJsonValue &step : loc)
            place.append(asText(step));
        const QString said = detail[QStringLiteral("msg")].toString();
        parts.append(place.isEmpty() ? said : place.join(QLatin1Char('.')) + QStringLiteral(": ") + said);
    }
    return parts.join(QStringLiteral("; "));
}

ErrorBody fromFields(const QJsonObject &error)
{
    ErrorBody body;
    body.message = error[QStringLiteral("message")].toString();
    body.code = asText(error[QStringLiteral("code")]);
    body.type = error[QStringLiteral("type")].toString();
    if (body.type.isEmpty())
        body.type = error[QStringLiteral("status")].toString();
    body.param = error[QStringLiteral("param")].toString();
    // OpenRouter: what the provider behind it said.
    if (const QJsonValue raw = error[QStringLiteral("metadata")][QStringLiteral("raw")]; raw.isString())
        body.message += QStringLiteral(": ") + raw.toString();
    const QJsonValue detail = error[QStringLiteral("detail")];
    if (body.message.isEmpty())
        body.message = detail.isArray() ? validationMessage(detail.toArray()) : detail.toString();
    if (body.message.isEmpty())
        body.message = error[QStringLiteral("error")].toString();
    if (body.message.isEmpty())
        body.message = compact(error);
    const QByteArray details = QJsonDocument(error[QStringLiteral("details")].toArray()).toJson(QJsonDocument::Compact);
    body.all = QStringList{body.message, body.code, body.type, body.param, QString::fromUtf8(details)}
                   .join(QLatin1Char(' '))
                   .toLower();
    body.message = shortened(body.message);
    return body;
}

QString reasonPhrase(int status)
{
    switch (status) {
    case 400:
        return QStringLiteral("bad request");
    case 401:
        return QStringLiteral("unauthorized");
    case 403:
        return QStringLiteral("forbidden");
    case 404:
        return QStringLiteral("not found: is the base URL right?");
    case 408:
        return QStringLiteral("request timeout");
    case 413:
        return QStringLiteral("content too large");
    case 429:
        return QStringLiteral("too many requests");
    case 500:
        return QStringLiteral("internal server error");
    case 502:
        return QStringLiteral("bad gateway");
    case 503:
        return QStringLiteral("service unavailable");
    case 504:
        return QStringLiteral("gateway timeout");
    case 529:
        return QStringLiteral("overloaded");
    default:
        return QStringLiteral("refused");
    }
}

bool isHtml(const QByteArray &body)
{
    const QByteArray start = body.first(qMin<qsizetype>(body.size(), 200)).toLower();
    return start.startsWith('<') || start.contains("<html") || start.contains("<!doctype");
}

QString htmlMessage(const QByteArray &body)
{
    static const QRegularExpression title(QStringLiteral("<title[^>]*>([^<]*)</title>"),
                                          QRegularExpression::CaseInsensitiveOption);
    const QString found = title.match(QString::fromUtf8(body.first(qMin<qsizetype>(body.size(), 20'000)))).captured(1);
    return found.simplified().isEmpty() ? QStringLiteral("the answer is a web page")
                                        : QStringLiteral("the answer is a web page, “%1”").arg(found.simplified());
}

bool isQuota(int status, const ErrorBody &error)
{
    // Gemini words a limit of the minute and one of the day alike; the violated quota's name tells them apart.
    if (error.says({"resource_exhausted"}))
        return error.says({"perday", "per day", "limit: 0,"});
    return status == 402
        || error.says({"insufficient_quota", "insufficient quota", "exceeded your current quota", "billing_hard_limit",
                       "billing_not_active", "billing_error", "billing hard limit", "credit balance is too low",
                       "insufficient credits", "insufficient balance", "insufficient_balance", "insufficient funds",
                       "spend limit", "spending limit", "spend_limit", "api usage limits", "key limit exceeded",
                       "quota_exceeded", "weekly usage limit", "payment required"});
}

bool isContext(int status, const ErrorBody &error)
{
    // A 429 is about the rate, unless this one request is over it alone.
    if (status == 429)
        return error.says({"request too large for"});
    return status == 413
        || error.says({"context_length_exceeded", "exceed_context_size", "maximum context length", "context length",
                       "context window", "context limit", "context size", "prompt is too long", "prompt too long",
                       "input is too long", "input too long", "exceeds the maximum number of tokens",
                       "maximum prompt length", "exceeds the model's maximum", "request_too_large",
                       "reduce the length of the", "string_above_max_length", "too many tokens in the prompt"});
}

bool namesNoModel(const ErrorBody &error)
{
    return error.says({"model_not_found", "deploymentnotfound", "model_not_available", "invalid_model", "unknown_model",
                       "model_not_exist", "is not a valid model", "no models loaded", "model does not exist",
                       "unknown model", "invalid model name", "model not exist", "model not found"});
}

bool isModel(int status, const ErrorBody &error)
{
    return namesNoModel(error) || (status == 404 && error.says({"model", "not_found_error", "deployment", "endpoints found"}));
}

bool isKey(int status, const ErrorBody &error)
{
    return status == 401 || status == 403
        || error.says({"api_key_invalid", "api key not valid", "api key expired", "invalid_api_key", "authentication_error",
                       "permission_error", "permission_denied", "unauthenticated"});
}

bool isTemporary(int status)
{
    return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

// The most tokens of a reply, where the refusal tells: "supports at most 16384 completion tokens" (OpenAI), "100000 > 64000,
// which is the maximum allowed number of output tokens" (Anthropic).
int outputLimit(const ErrorBody &error)
{
    static const QRegularExpression forms[] = {
        QRegularExpression(QStringLiteral("at most (\\d{2,7}) (?:completion|output) tokens")),
        QRegularExpression(QStringLiteral("> (\\d{2,7}), which is the maximum allowed number of output tokens")),
        QRegularExpression(QStringLiteral("max_?(?:output_?|completion_)?tokens.{0,80}(?:less than or equal to|must be <=|"
                                          "cannot exceed|range .{0,6}\\[1, ?) ?`?(\\d{2,7})")),
    };
    for (const QRegularExpression &form : forms)
        if (const auto match = form.match(error.all); match.hasMatch())
            return match.captured(1).toInt();
    return 0;
}

} // namespace

QString ErrorBody::name() const
{
    bool number = false;
    code.toInt(&number);
    if (!code.isEmpty() && !number)
        return code;
    return type.isEmpty() ? code : type;
}

bool ErrorBody::says(std::initializer_list<const char *> words) const
{
    return std::ranges::any_of(words, [this](const char *word) { return all.contains(QLatin1String(word)); });
}

std::optional<ErrorBody> errorIn(const QJsonObject &object, bool named)
{
    const QJsonValue error = object[QStringLiteral("error")];
    if (error.isObject() && !error.toObject().isEmpty())
        return fromFields(error.toObject());
    if (error.isString() && !error.toString().isEmpty())
        return fromFields(object);
    const bool selfNamed = object[QStringLiteral("type")] == QLatin1String("error")
        || object[QStringLiteral("object")] == QLatin1String("error");
    if (!named && !selfNamed)
        return {};
    ErrorBody body = fromFields(object);
    if (body.type == QLatin1String("error"))
        body.type.clear();
    return body;
}

ErrorBody errorBody(int status, const QByteArray &body)
{
    const QByteArray trimmed = body.trimmed();
    QJsonDocument document = QJsonDocument::fromJson(trimmed);
    if (document.isArray())
        document = QJsonDocument(document.array().first().toObject());
    const QJsonObject object = document.object();
    if (const auto error = errorIn(object))
        return *error;
    if (!object.isEmpty())
        return fromFields(object);
    ErrorBody made;
    const QString said = trimmed.isEmpty() ? QString()
        : isHtml(trimmed)                  ? htmlMessage(trimmed)
                                           : QString::fromUtf8(trimmed.first(qMin<qsizetype>(trimmed.size(), 4000)));
    made.message = QStringLiteral("HTTP %1, %2").arg(status).arg(reasonPhrase(status));
    if (!said.isEmpty())
        made.message = shortened(made.message + QStringLiteral(": ") + said);
    if (!isHtml(trimmed))
        made.all = said.toLower();
    return made;
}

std::optional<ModelTraits> usualNegotiation(const ErrorBody &error, const ModelTraits &traits)
{
    const QString param = error.param.toLower();
    const auto about = [&](std::initializer_list<const char *> params, std::initializer_list<const char *> words) {
        if (param.isEmpty())
            return error.says(words);
        return std::ranges::any_of(params, [&](const char *name) { return param.startsWith(QLatin1String(name)); });
    };
    ModelTraits next = traits;
    if (const int limit = outputLimit(error); limit > 0 && (traits.outputLimit == 0 || limit < traits.outputLimit))
        next.outputLimit = limit;
    else if (traits.streamUsage && about({"stream_options"}, {"stream_options"}))
        next.streamUsage = false;
    else if (traits.stream && (param == QLatin1String("stream") || error.says({"support stream", "streaming is not supported",
                                                                               "stream is not supported"})))
        next.stream = false;
    else if (traits.temperature && about({"temperature", "generationconfig.temperature"}, {"temperature"}))
        next.temperature = false;
    else if (traits.tools && (param == QLatin1String("tools") || param == QLatin1String("tool_choice")
                              || error.says({"support tool", "tool use", "support function calling", "tool calling",
                                             "tools param requires", "tool choice requires"})))
        next.tools = false;
    else if (traits.schema
             && about({"response_format", "text", "output_config.format", "output_format", "format", "generationconfig.response"},
                      {"response_format", "json_schema", "json schema", "output_format", "output_config.format",
                       "structured output", "response mime type", "responsejsonschema", "response_json_schema",
                       "response_schema", "responsemimetype", "grammar", "output format"}))
        next.schema = false;
    else if (traits.reasoning
             && about({"reasoning", "thinking", "include", "output_config", "generationconfig.thinking"},
                      {"reasoning", "thinking", "encrypted content", "effort"}))
        next.reasoning = false;
    if (next == traits)
        return {};
    return next;
}

namespace {

// Whether the words of an answer with this status may be about a parameter at all.
bool mayNegotiate(int status, const ErrorBody &error)
{
    if (status == 404)
        return error.says({"endpoints found that"});
    if (status == 500)
        return error.says({"support", "requires --jinja", "grammar"});
    return status == 400 || status == 422 || status == 501;
}

} // namespace

Refusal classified(int status, const ErrorBody &error, const ModelTraits &traits, const Negotiation &negotiation)
{
    using enum Refusal::Kind;
    Refusal refusal;
    refusal.message = error.message;
    refusal.code = error.name();
    if (isQuota(status, error)) {
        refusal.kind = Quota;
    } else if (isKey(status, error)) {
        refusal.kind = Key;
    } else if (isContext(status, error)) {
        refusal.kind = Context;
    } else if (!isTemporary(status) && namesNoModel(error)) {
        refusal.kind = Model;
    } else if (const auto next = mayNegotiate(status, error) ? negotiation(error, traits) : std::nullopt;
               next && *next != traits) {
        refusal.kind = Parameter;
        refusal.traits = next;
    } else if (isTemporary(status)) {
        refusal.kind = Temporary;
    } else if (isModel(status, error)) {
        refusal.kind = Model;
    }
    return refusal;
}

Refusal refusalInStream(const StreamEvent &error, const Provider &provider, const ModelTraits &traits)
{
    static const QList<std::pair<QLatin1String, int>> statuses = {
        {QLatin1String("rate_limit"), 429},   {QLatin1String("RESOURCE_EXHAUSTED"), 429},
        {QLatin1String("overloaded"), 529},   {QLatin1String("UNAVAILABLE"), 503},
        {QLatin1String("authentication"), 401}, {QLatin1String("permission"), 403},
        {QLatin1String("invalid_request"), 400}, {QLatin1String("INVALID_ARGUMENT"), 400},
        {QLatin1String("not_found"), 404},    {QLatin1String("request_too_large"), 413},
        {QLatin1String("context_length"), 400}, {QLatin1String("invalid_prompt"), 400},
        {QLatin1String("billing"), 402},      {QLatin1String("insufficient_quota"), 429},
        {QLatin1String("BadRequest"), 400},     {QLatin1String("invalid_api_key"), 401},
    };
    int status = error.key.toInt();
    if (status < 400 || status > 599) {
        const auto known = std::ranges::find_if(statuses, [&](const auto &entry) {
            return error.key.contains(entry.first, Qt::CaseInsensitive);
        });
        status = known == statuses.end() ? 502 : known->second;
    }
    const QJsonObject body = {{QStringLiteral("error"), QJsonObject{{QStringLiteral("message"), error.text},
                                                                    {QStringLiteral("code"), error.key}}}};
    return provider.refusal(status, QJsonDocument(body).toJson(QJsonDocument::Compact), traits);
}

} // namespace kernelskill::llm
