// SPDX-License-Identifier: Apache-2.0
// Loop: calling roles, and storing what they wrote.
#include "engine/loop.h"

#include <QCryptographicHash>

namespace kernelskill {

quint64 keyedSeed(quint64 seed, int run, int round, const QString &role, int question)
{
    const QByteArray key =
        QStringLiteral("%1/%2/%3/%4/%5").arg(seed).arg(run).arg(round).arg(role).arg(question).toUtf8();
    const QByteArray digest = QCryptographicHash::hash(key, QCryptographicHash::Sha256);
    quint64 result = 0;
    for (int i = 0; i < 8; ++i)
        result = result << 8 | quint8(digest[i]);
    return result;
}

bool concernsOneReply(const Error &error)
{
    for (const char *prefix : {"plan.", "optimise.", "repair.", "diagnose.", "agent."}) {
        if (error.code.startsWith(QLatin1String(prefix))) return true;
    }
    return false;
}

QByteArray comparedDigest(const Candidate &candidate)
{
    if (candidate.language != u"cuda") return candidate.digest();
    QString text;
    for (const CandidateFile &file : candidate.files)
        text += file.content + u'\n';
    return normalisedCodeDigest(text);
}

Agent *Loop::agent(Role role) const
{
    return m_parts.agents.at(m_parts.settings.agentFor(role)).get(); // Run made one for each role
}

RoleContext Loop::context(Role role, int round, int question)
{
    RoleContext result;
    result.seed = keyedSeed(m_parts.settings.seed, 0, round, toString(role), question);
    result.round = round;
    result.device = m_parts.device.id;
    result.stop = m_parts.control->token();
    result.ask = m_parts.ask;
    m_usage.clear();
    result.report = [this](const RoleUsage &usage) { m_usage.append(usage); };
    return result;
}

Result<void> Loop::recordCall(Role role, int round, int node, const QElapsedTimer &timer, const Error *error)
{
    QJsonObject data{{"role", toString(role)},
                     {"agent", m_parts.settings.agentFor(role)},
                     {"round", round},
                     {"node", node},
                     {"wall_ms", double(timer.nsecsElapsed()) / 1e6}};
    if (error) data.insert("error", error->code + QStringLiteral(": ") + error->message);
    RoleUsage sum;
    for (const RoleUsage &usage : std::as_const(m_usage)) {
        sum.transcript += usage.transcript;
        sum.calls += usage.calls;
        sum.tokensIn += usage.tokensIn;
        sum.tokensOut += usage.tokensOut;
        sum.cost_usd += usage.cost_usd;
        for (const QJsonValue &message : usage.messages)
            sum.messages.append(message);
    }
    m_usage.clear();
    if (sum.calls > 0) {
        data.insert("calls", sum.calls);
        data.insert("tokens_in", sum.tokensIn);
        data.insert("tokens_out", sum.tokensOut);
        data.insert("cost_usd", sum.cost_usd);
    }
    if (!sum.transcript.isEmpty()) {
        auto blob = m_parts.journal->putText(sum.transcript);
        if (!blob) return std::unexpected(blob.error());
        data.insert("transcript_blob", *blob);
    }
    if (!sum.messages.isEmpty()) {
        auto blob = m_parts.journal->putJson({{"messages", sum.messages}});
        if (!blob) return std::unexpected(blob.error());
        data.insert("messages_blob", *blob);
    }
    return m_parts.journal->append(QStringLiteral("role.call"), data);
}

PendingEvent Loop::candidateEvent(int node, const CodeChange &change, const Plan &plan, const QString &blob) const
{
    QJsonObject data{{"node", node},
                     {"candidate_blob", blob},
                     {"code_digest", QString::fromLatin1(comparedDigest(change.candidate))},
                     {"summary", change.summary},
                     {"method", plan.method},
                     {"skill", plan.skill},
                     {"plan", plan.toJson()}};
    if (change.recorded) data.insert("recorded", change.recorded->toJson());
    return {QStringLiteral("node.candidate"), data};
}

Result<void> Loop::storeCandidate(int node, const CodeChange &change, const Plan &plan)
{
    auto blob = m_parts.journal->putJson(change.candidate.toJson());
    if (!blob) return std::unexpected(blob.error());
    return m_parts.journal->append({candidateEvent(node, change, plan, *blob)});
}

std::unexpected<Error> Loop::stopped() const
{
    return failure(QString::fromLatin1(stoppedCode), QStringLiteral("stopped"));
}

} // namespace kernelskill
