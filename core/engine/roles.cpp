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
    for (const char *prefix : {"plan.", "optimise.", "repair.", "diagnose.", "features.", "agent."}) {
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
    result.session = m_parts.journal->file().id();
    result.allowance = allowance();
    result.compile = [this](Candidate candidate) { return compile(std::move(candidate)); };
    // A full disk shows at the next event that must be kept.
    result.waits = [this, role, round](const Waiting &waiting) {
        (void)m_parts.journal->append(
            QStringLiteral("run.waiting"),
            {{"role", toString(role)}, {"round", round}, {"until_ms", waiting.until_ms}, {"why", waiting.why}});
    };
    result.tells = [this, role](const QString &text) {
        if (m_parts.progress) m_parts.progress(-1, {toString(role), 0, 0, text});
    };
    return result;
}

// The person's limits less what the session has spent, which counts what earlier runs of it spent.
Allowance Loop::allowance() const
{
    const Budget &budget = m_parts.settings.budget;
    const Trajectory &spent = trajectory();
    Allowance left;
    if (budget.money_usd > 0) left.money_usd = std::max(0.0, budget.money_usd - spent.cost_usd);
    if (budget.tokens > 0) left.tokens = std::max(qint64(0), budget.tokens - spent.tokensIn - spent.tokensOut);
    if (budget.calls > 0) left.calls = std::max(qint64(0), budget.calls - spent.llmCalls);
    return left;
}

QCoro::Task<Result<QList<Finding>>> Loop::compile(Candidate candidate)
{
    EvaluationRequest request;
    request.task = m_parts.task.task;
    request.candidate = std::move(candidate);
    request.device = m_parts.device.id;
    request.mode = m_parts.settings.mode;
    request.unconfined = m_parts.settings.unconfined;
    return m_parts.evaluator->compile(std::move(request), m_parts.control->token());
}

namespace {

RoleUsage sumOf(const QList<RoleUsage> &usages)
{
    RoleUsage sum;
    for (const RoleUsage &usage : usages) {
        sum.transcript += usage.transcript;
        sum.calls += usage.calls;
        sum.tokensIn += usage.tokensIn;
        sum.tokensOut += usage.tokensOut;
        sum.tokensCached += usage.tokensCached;
        sum.cost_usd += usage.cost_usd;
        if (!usage.facts.isEmpty()) sum.facts = usage.facts;
        for (const QJsonValue &message : usage.messages)
            sum.messages.append(message);
    }
    return sum;
}

} // namespace

Result<void> Loop::recordCall(Role role, int round, int node, const QElapsedTimer &timer, const Error *error)
{
    QJsonObject data{{"role", toString(role)},
                     {"agent", m_parts.settings.agentFor(role)},
                     {"round", round},
                     {"node", node},
                     {"wall_ms", double(timer.nsecsElapsed()) / 1e6}};
    if (error) data.insert("error", error->code + QStringLiteral(": ") + error->message);
    const RoleUsage sum = sumOf(m_usage);
    m_usage.clear();
    // A call the person stopped is no step of the run; what it cost stands all the same.
    if (isStopped() && sum.calls == 0) return stopped();
    if (sum.calls > 0) {
        data.insert("calls", sum.calls);
        data.insert("tokens_in", sum.tokensIn);
        data.insert("tokens_out", sum.tokensOut);
        data.insert("cost_usd", sum.cost_usd);
        if (sum.tokensCached > 0) data.insert("tokens_cached", sum.tokensCached);
    }
    if (!sum.facts.isEmpty()) data.insert("facts", sum.facts);
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
    auto recorded = m_parts.journal->append(QStringLiteral("role.call"), data);
    return recorded && isStopped() ? stopped() : recorded;
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
