// SPDX-License-Identifier: Apache-2.0
#include "roles/exchange.h"

#include "profile/gpu_spec.h"
#include "replies/extract.h"
#include "secrets/secrets.h"

namespace kernelskill::llm {

namespace {

constexpr int mostShrinkings = 3;
constexpr double shrinking = 0.6;
constexpr int mostContinuations = 2;
constexpr double taskShare = 0.4; // of the room for prompts

QString deviceText(const QString &id)
{
    const auto gpu = GpuSpec::find(id);
    if (!gpu) return id.isEmpty() ? QStringLiteral("a CUDA GPU") : id;
    return QStringLiteral("%1 (%2): %3 SMs, %4 KiB shared memory a block at most, %5 registers an SM, %6 threads an "
                          "SM, DRAM %7 GB/s, float %8 TFLOP/s")
        .arg(gpu->name, gpu->architecture)
        .arg(gpu->smCount)
        .arg(gpu->sharedBytesPerBlock / 1024)
        .arg(gpu->registersPerSm)
        .arg(gpu->maxThreadsPerSm)
        .arg(gpu->dram_gb_s, 0, 'f', 0)
        .arg(gpu->fp32_tflops, 0, 'f', 1);
}

} // namespace

Exchange::Exchange(Client &client, const Prompt &common, const Prompt &prompt, Role role, RoleContext context)
    : m_client(client), m_common(common), m_prompt(prompt), m_call{std::move(context), {}, {}, 0}
{
    const Settings &settings = client.settings();
    m_request.model = settings.modelFor(role);
    m_request.maxOutputTokens = settings.maxOutputTokens;
    m_request.temperature = settings.temperature;
    m_request.reasoning = settings.reasoning;
    m_request.contextTokens = settings.contextTokens;
    m_request.schemaName = toString(role);
}

Exchange::~Exchange()
{
    if (m_messages.isEmpty() || !m_call.context.report) return;
    if (!m_call.notes.isEmpty()) {
        for (const QString &text : std::as_const(m_call.notes))
            m_messages.append(QJsonObject{{"from", QStringLiteral("tool")}, {"text", secrets::redacted(text)}});
    }
    RoleUsage usage;
    usage.messages = m_messages;
    usage.facts = m_client.facts(m_request.model);
    usage.facts.insert("prompt", m_prompt.facts());
    usage.facts.insert("common", m_common.facts());
    m_call.context.report(usage);
}

void Exchange::say(const char *from, const QString &text)
{
    m_messages.append(QJsonObject{{"from", QString::fromLatin1(from)}, {"text", secrets::redacted(text)}});
}

void Exchange::note(const QString &text)
{
    if (text.isEmpty() || m_messages.isEmpty()) return;
    QJsonObject last = m_messages.last().toObject();
    const QString before = last.value("note").toString();
    last.insert("note", secrets::redacted(before.isEmpty() ? text : before + QStringLiteral("; ") + text));
    m_messages.replace(m_messages.size() - 1, last);
}

void Exchange::note(const QStringList &texts)
{
    note(texts.join(QStringLiteral("; ")));
}

qint64 Exchange::room() const
{
    return qint64(double(m_request.contextTokens) * m_windowShare) - m_request.maxOutputTokens;
}

// The user's part; m_request.system is set on the way. What had to be left out is said in the notes it returns by way
// of m_messages.
Result<QString> Exchange::build(const Material &material)
{
    const QString task = cutTo(material.task, qint64(double(room()) * taskShare), Part::Keep::Ends);
    const Fillings common{{QStringLiteral("device"), deviceText(m_call.context.device)},
                          {QStringLiteral("task"), dataBlock(QStringLiteral("task"), task)}};
    Fillings fillings = material.plain;
    fillings.insert(QStringLiteral("common"), filled(m_common.system, common));
    m_request.system = filled(m_prompt.system, fillings);
    const qint64 fixed =
        estimatedTokens(m_request.system) + estimatedTokens(m_prompt.user) + 40 * material.parts.size();
    const Fitted fitted = fit(material.parts, room() - fixed);
    if (fitted.missing > 0)
        return failure("agent.context",
                       QStringLiteral("what %1 needs is about %2 tokens too long for the window of %3 (%4)")
                           .arg(m_prompt.name)
                           .arg(fitted.missing)
                           .arg(m_request.model)
                           .arg(qint64(double(m_request.contextTokens) * m_windowShare)));
    for (const Part &part : fitted.parts)
        fillings.insert(part.name, dataBlock(part.name, part.text));
    const QString user = filled(m_prompt.user, fillings);
    m_messages = {};
    say("system", m_request.system);
    if (task != material.task) note(QStringLiteral("task: cut to its share of the model's window"));
    say("user", user);
    note(fitted.notes);
    return user;
}

QCoro::Task<Result<QString>> Exchange::open(Material material)
{
    m_request.schema = material.schema;
    for (int shrunk = 0;; ++shrunk) {
        auto user = build(material);
        if (!user) co_return std::unexpected(user.error());
        m_request.messages = {{Message::From::User, *user, {}, {}, {}}};
        auto reply = co_await turn();
        if (reply || reply.error().code != u"llm.context") co_return reply;
        if (shrunk == mostShrinkings) co_return failure("agent.context", reply.error().message);
        m_windowShare *= shrinking;
        m_request.maxOutputTokens =
            std::min(m_request.maxOutputTokens, int(double(m_request.contextTokens) * m_windowShare / 3));
        m_call.notes.append(QStringLiteral("%1; asked again with %2 % of the window")
                                .arg(reply.error().message)
                                .arg(int(m_windowShare * 100)));
    }
}

QCoro::Task<Result<QString>> Exchange::correct(QString what)
{
    m_request.messages.append({Message::From::User, what, {}, {}, {}});
    // A long reply that was no use is not paid for again where it does not fit.
    if (estimatedTokens(m_request) > room() && m_request.messages.size() >= 2) {
        Message &before = m_request.messages[m_request.messages.size() - 2];
        before.text = cutTo(before.text, 200, Part::Keep::Ends);
        before.verbatim = {};
        m_request.messages.last().text += QStringLiteral(" Your last answer is cut here: do not refer to it.");
    }
    say("user", what);
    auto reply = co_await turn();
    if (!reply && reply.error().code == u"llm.context") co_return failure("agent.context", reply.error().message);
    co_return reply;
}

QCoro::Task<Result<QString>> Exchange::turn()
{
    QString text;
    for (int continuation = 0;; ++continuation) {
        auto reply = co_await m_client.ask(m_request, m_call);
        if (!reply && reply.error().code == u"llm.context" && continuation > 0) break; // what came is paid for
        if (!reply) co_return std::unexpected(reply.error());
        if (!reply->reasoning.isEmpty()) say("reasoning", reply->reasoning);
        text = continuation == 0 ? reply->text : joinContinuation(text, reply->text);
        say("assistant", reply->text);
        m_request.messages.append(reply->asMessage());
        if (reply->stop == Stop::Refusal || reply->stop == Stop::Filter)
            note(QStringLiteral("the model declined to answer"));
        const bool goOn =
            reply->stop == Stop::Length && !reply->text.trimmed().isEmpty() && continuation < mostContinuations;
        if (reply->stop == Stop::Length)
            note(goOn ? QStringLiteral("stopped at its limit; asked to go on")
                      : QStringLiteral("stopped at its limit"));
        if (!goOn) break;
        const QString request = QStringLiteral(
            "Your answer stopped at its limit. Go on exactly where it stopped; repeat nothing and explain nothing.");
        m_request.messages.append({Message::From::User, request, {}, {}, {}});
        say("user", request);
    }
    co_return text;
}

} // namespace kernelskill::llm
