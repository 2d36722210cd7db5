// SPDX-License-Identifier: Apache-2.0
#include "roles/llm_agent.h"

#include "base/paths.h"
#include "wire/cassette.h"
#include "wire/network_transport.h"

#include <QFileInfo>

namespace kernelskill::llm {

namespace {

// What each prompt may be filled with.
QStringList knownIn(const QString &name)
{
    static const QHash<QString, QStringList> known{
        {QStringLiteral("common"), {QStringLiteral("device"), QStringLiteral("task")}},
        {QStringLiteral("generator"),
         {QStringLiteral("declaration"), QStringLiteral("number"), QStringLiteral("count"), QStringLiteral("baseline"),
          QStringLiteral("earlier")}},
        {QStringLiteral("features"), {QStringLiteral("features"), QStringLiteral("code")}},
        {QStringLiteral("planner"),
         {QStringLiteral("ideas"), QStringLiteral("code"), QStringLiteral("evidence"), QStringLiteral("features"),
          QStringLiteral("offer"), QStringLiteral("history"), QStringLiteral("refusals")}},
        {QStringLiteral("optimizer"),
         {QStringLiteral("declaration"), QStringLiteral("skill"), QStringLiteral("plan"), QStringLiteral("code"),
          QStringLiteral("evidence"), QStringLiteral("history")}},
        {QStringLiteral("diagnoser"),
         {QStringLiteral("classes"), QStringLiteral("failure"), QStringLiteral("code"), QStringLiteral("difference"),
          QStringLiteral("chain")}},
        {QStringLiteral("repairer"),
         {QStringLiteral("declaration"), QStringLiteral("diagnosis"), QStringLiteral("failure"), QStringLiteral("code"),
          QStringLiteral("chain")}},
        {QStringLiteral("distiller"),
         {QStringLiteral("idea"), QStringLiteral("draft"), QStringLiteral("difference"), QStringLiteral("evidence")}},
    };
    QStringList names = known.value(name);
    if (name != u"common") names.prepend(QStringLiteral("common"));
    return names;
}

} // namespace

Result<Connection> connectTo(const QJsonObject &object, std::unique_ptr<Transport> transport)
{
    auto settings = settingsFrom(object);
    if (!settings) return std::unexpected(settings.error());
    Connection connection;
    const QString own = paths::configFolder() + QStringLiteral("/prices.json");
    auto prices = PriceTable::read(bundledPath(QStringLiteral("prices.json")), own);
    if (!prices) return std::unexpected(prices.error());
    auto spending = Spending::open(paths::dataFolder() + QStringLiteral("/spending.db"));
    if (!spending) return std::unexpected(spending.error());
    connection.spending = std::move(*spending);
    connection.network = std::move(transport);
    if (!connection.network)
        connection.network =
            std::make_unique<NetworkTransport>(NetworkOptions{settings->caFile, settings->allowPlainHttp});
    Transport *used = connection.network.get();
    if (!settings->cassette.isEmpty()) {
        auto cassette = settings->record ? CassetteTransport::record(settings->cassette, connection.network.get())
                                         : CassetteTransport::replay(settings->cassette);
        if (!cassette) return std::unexpected(cassette.error());
        connection.cassette = std::move(*cassette);
        used = connection.cassette.get();
    }
    connection.client = std::make_unique<Client>(*settings, *used, *connection.spending, *prices, own);
    return connection;
}

LlmAgent::LlmAgent(QJsonObject settings) : m_settings(std::move(settings)) {}
LlmAgent::~LlmAgent() = default;

void LlmAgent::useTransport(std::unique_ptr<Transport> transport)
{
    m_transport = std::move(transport);
}

Result<QJsonObject> LlmAgent::prepare(const Task &)
{
    auto facts = prepared();
    if (!facts) m_unprepared = facts.error();
    return facts;
}

Result<QJsonObject> LlmAgent::prepared()
{
    auto connection = connectTo(m_settings, std::move(m_transport));
    if (!connection) return std::unexpected(connection.error());
    const Settings &settings = connection->client->settings();
    QJsonObject facts = connection->client->facts(settings.model);
    QJsonObject prompts;
    QStringList names{QStringLiteral("common")};
    for (const Role role : allRoles())
        names.append(toString(role));
    for (const QString &name : std::as_const(names)) {
        auto prompt = readPrompt(name, settings.prompts, knownIn(name));
        if (!prompt) return std::unexpected(prompt.error());
        prompts.insert(name, prompt->digest);
        m_prompts.emplace(name, *prompt);
    }
    facts.insert("prompts", prompts);
    m_connection = std::move(*connection);
    return facts;
}

} // namespace kernelskill::llm
