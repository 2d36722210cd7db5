// SPDX-License-Identifier: Apache-2.0
// Generator, Optimizer, Repairer: the roles that write code.
#include "roles/llm_agent.h"
#include "roles/material.h"
#include "roles/writing.h"

namespace kernelskill::llm {

namespace {

Part code(const Candidate &candidate, qint64 least = 1'000'000)
{
    return {QStringLiteral("code"), codeText(candidate), 9, least, Part::Keep::Ends};
}

Part history(const Attempts &attempts)
{
    return {QStringLiteral("history"), historyText(attempts), 1, 0, Part::Keep::Tail};
}

Part failurePart(const Evaluation &evaluation)
{
    return {QStringLiteral("failure"), failureText(evaluation), 4, 300, Part::Keep::Ends};
}

// A summary of the model's own stands behind what the engine knows the step by.
CodeChange summarised(CodeChange change, const QString &what)
{
    change.summary = change.summary.isEmpty() ? what : QStringLiteral("%1: %2").arg(what, change.summary);
    return change;
}

} // namespace

QCoro::Task<Result<QList<CodeChange>>> LlmAgent::generate(GenerateRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    QList<CodeChange> changes;
    QStringList earlier;
    std::optional<Error> last;
    for (int number = 1; number <= request.count; ++number) {
        Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::Generator)), Role::Generator,
                          context);
        Material material;
        material.task = taskText(request.task);
        material.plain = {{QStringLiteral("declaration"), request.task.solveDeclaration()},
                          {QStringLiteral("number"), QString::number(number)},
                          {QStringLiteral("count"), QString::number(request.count)}};
        material.parts = {{QStringLiteral("baseline"), codeText(request.task.baseline), 5, 200, Part::Keep::Ends},
                          {QStringLiteral("earlier"),
                           earlier.isEmpty()
                               ? QString()
                               : QStringLiteral("Candidates so far; take another way:\n") + earlier.join(u'\n'),
                           2, 0, Part::Keep::Tail}};
        Candidate empty = request.task.baseline.withMainText(QString());
        auto change = co_await writeCode(exchange, std::move(material), empty, QStringLiteral("agent.reply"));
        context.allowance = exchange.left(); // all seeds are within one
        if (!change && change.error().code.startsWith(u"agent.")) {
            last = change.error();
            continue; // the others may fare better
        }
        // What is written is paid for and is kept; whatever stands in the way shows at the next call.
        if (!change && !changes.isEmpty() && change.error().code != u"run.stopped") break;
        if (!change) co_return std::unexpected(change.error());
        changes.append(summarised(*change, QStringLiteral("First candidate")));
        earlier.append(QStringLiteral("- %1").arg(changes.last().summary));
    }
    if (changes.isEmpty() && last) co_return std::unexpected(*last);
    co_return changes;
}

QCoro::Task<Result<CodeChange>> LlmAgent::optimise(OptimizeRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::Optimizer)), Role::Optimizer,
                      std::move(context));
    Material material;
    material.task = taskText(request.task);
    material.plain = {{QStringLiteral("declaration"), request.task.solveDeclaration()}};
    material.parts = {{QStringLiteral("skill"), skillText(request.skill), 6, 400, Part::Keep::Head},
                      {QStringLiteral("plan"), planText(request.plan), 8, 1'000'000, Part::Keep::Head},
                      code(request.base),
                      {QStringLiteral("evidence"), evidenceText(request.evaluation), 3, 200, Part::Keep::Head},
                      history(request.attempts)};
    auto change =
        co_await writeCode(exchange, std::move(material), request.base, QStringLiteral("optimise.inapplicable"));
    if (!change && change.error().code == u"agent.context")
        co_return failure(QStringLiteral("optimise.inapplicable"), change.error().message);
    if (!change) co_return change;
    co_return summarised(*change, request.skill.title.isEmpty() ? request.plan.skill : request.skill.title);
}

QCoro::Task<Result<CodeChange>> LlmAgent::repair(RepairRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::Repairer)), Role::Repairer,
                      std::move(context));
    const DiagnoseRequest &failure = request.failure;
    Material material;
    material.task = taskText(failure.task);
    material.plain = {{QStringLiteral("declaration"), failure.task.solveDeclaration()}};
    material.parts = {{QStringLiteral("diagnosis"),
                       QStringLiteral("%1: %2\nFix: %3")
                           .arg(request.diagnosis.errorClass, request.diagnosis.cause, request.diagnosis.fix),
                       8, 1'000'000, Part::Keep::Head},
                      failurePart(failure.evaluation),
                      code(failure.candidate),
                      {QStringLiteral("chain"), chainText(failure.chain), 2, 0, Part::Keep::Tail}};
    auto change =
        co_await writeCode(exchange, std::move(material), failure.candidate, QStringLiteral("repair.give_up"));
    if (!change && change.error().code == u"agent.context")
        co_return kernelskill::failure(QStringLiteral("repair.give_up"), change.error().message);
    if (!change) co_return change;
    co_return summarised(*change, QStringLiteral("Repair"));
}

} // namespace kernelskill::llm
