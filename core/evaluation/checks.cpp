// SPDX-License-Identifier: Apache-2.0
#include "evaluation/checks.h"

#include <QStringList>

#include <algorithm>

namespace kernelskill::checks {

namespace {

const QString passedOutcome = QStringLiteral("passed");
const QString failedOutcome = QStringLiteral("failed");
const QString notMadeOutcome = QStringLiteral("not made");

} // namespace

Check passed(const QString &name, const QString &detail) { return {name, passedOutcome, detail}; }

Check failed(const QString &name, const QString &detail) { return {name, failedOutcome, detail}; }

Check notMade(const QString &name, const QString &reasonText) { return {name, notMadeOutcome, reasonText}; }

Check that(bool holds, const QString &name, const QString &detailWhenFailed)
{
    return holds ? passed(name) : failed(name, detailWhenFailed);
}

// Anything that is neither passed nor "not made" counts as failed: a misspelt outcome must not pass.
bool isFailed(const Check &check) { return check.outcome != passedOutcome && check.outcome != notMadeOutcome; }

bool isNotMade(const Check &check) { return check.outcome == notMadeOutcome; }

QString describe(const Sizes &sizes)
{
    QStringList parts;
    for (auto it = sizes.cbegin(); it != sizes.cend(); ++it)
        parts.append(QStringLiteral("%1=%2").arg(it.key()).arg(it.value()));
    return parts.join(u' ');
}

QString outputsName(const Sizes &sizes, const QString &inputs)
{
    const QStringList parts{QStringLiteral("outputs"), describe(sizes), inputs};
    return parts.join(u' ').simplified();
}

Finding finding(const QString &kind, const QString &message)
{
    Finding result;
    result.kind = kind;
    result.message = message;
    return result;
}

bool isSuspicious(const Finding &finding)
{
    static const QStringList harmless{QStringLiteral("note"), QStringLiteral("compile_warning")};
    return !harmless.contains(finding.kind);
}

void conclude(Evaluation &evaluation)
{
    const bool stopped = evaluation.status == Status::BuildFailed || evaluation.status == Status::Timeout ||
                         evaluation.status == Status::Crashed;
    if (stopped) {
        evaluation.verdict = Verdict::Failed;
        return;
    }
    const auto wrongOutput = [](const Check &check) {
        return isFailed(check) && check.name.startsWith(QLatin1String("outputs"));
    };
    if (std::ranges::any_of(evaluation.checks, wrongOutput)) {
        evaluation.status = Status::Wrong;
        evaluation.verdict = Verdict::Wrong;
        return;
    }
    evaluation.status = Status::Ok;
    if (std::ranges::any_of(evaluation.checks, isFailed) || std::ranges::any_of(evaluation.findings, isSuspicious))
        evaluation.verdict = Verdict::Suspect;
    else if (evaluation.checks.isEmpty() || std::ranges::any_of(evaluation.checks, isNotMade))
        evaluation.verdict = Verdict::Unproven;
    else
        evaluation.verdict = Verdict::Verified;
}

QString reason(const Evaluation &evaluation)
{
    const auto sentence = [](const Check &check) {
        return check.detail.isEmpty() ? check.name : check.name + QStringLiteral(": ") + check.detail;
    };
    const auto failedCheck = std::ranges::find_if(evaluation.checks, isFailed);
    if (failedCheck != evaluation.checks.end()) return sentence(*failedCheck);
    const auto finding = std::ranges::find_if(evaluation.findings, isSuspicious);
    if (finding != evaluation.findings.end()) return finding->message;
    const auto open = std::ranges::find_if(evaluation.checks, isNotMade);
    return open != evaluation.checks.end() ? sentence(*open) : QString();
}

} // namespace kernelskill::checks
