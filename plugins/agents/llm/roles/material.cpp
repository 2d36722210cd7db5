// SPDX-License-Identifier: Apache-2.0
#include "roles/material.h"

#include "diff/difference_text.h"
#include "profile/metric_catalogue.h"

#include <QJsonDocument>
#include <QMap>

#include <algorithm>

namespace kernelskill::llm {

namespace {

constexpr qsizetype triesInFull = 20;
constexpr qsizetype shownHotSpots = 6;

QString figure(double value)
{
    return QString::number(value, 'g', 3);
}

QString sizesText(const Sizes &sizes)
{
    QStringList words;
    for (const auto &[name, value] : sizes.asKeyValueRange())
        words.append(QStringLiteral("%1=%2").arg(name).arg(value));
    return words.join(u' ');
}

QString roleText(Parameter::Role role)
{
    return role == Parameter::Role::In    ? QStringLiteral("in")
           : role == Parameter::Role::Out ? QStringLiteral("out")
                                          : QStringLiteral("inout");
}

QString parameterText(const Parameter &parameter)
{
    if (parameter.kind == Parameter::Kind::Scalar)
        return QStringLiteral("- %1: %2 scalar = %3").arg(parameter.name, parameter.dtype, parameter.value.text());
    QStringList shape;
    for (const Expression &extent : parameter.shape)
        shape.append(extent.text());
    return QStringLiteral("- %1: %2 [%3], %4")
        .arg(parameter.name, parameter.dtype, shape.join(QStringLiteral(", ")), roleText(parameter.role));
}

QString metricLine(const QString &name, double value)
{
    const MetricInfo *info = metricInfo(name);
    const QString unit = info && !info->unit.isEmpty() ? u' ' + info->unit : QString();
    return QStringLiteral("  %1 = %2%3").arg(name, figure(value), unit);
}

QString kernelHead(const KernelProfile &kernel)
{
    return QStringLiteral("%1: grid %2×%3×%4, block %5×%6×%7, %8 launches, %9 us (%10 % of the candidate), at the "
                          "device's limits %11 us")
        .arg(kernel.name)
        .arg(kernel.grid[0])
        .arg(kernel.grid[1])
        .arg(kernel.grid[2])
        .arg(kernel.block[0])
        .arg(kernel.block[1])
        .arg(kernel.block[2])
        .arg(kernel.launches)
        .arg(figure(kernel.duration_us), figure(kernel.timeShare * 100), figure(kernel.roofline_us));
}

QString kernelInFull(const KernelProfile &kernel)
{
    QStringList lines{kernelHead(kernel)};
    for (const auto &[name, value] : kernel.metrics.asKeyValueRange())
        lines.append(metricLine(name, value));
    QList<std::pair<double, QString>> stalls;
    for (const auto &[reason, share] : kernel.stalls.asKeyValueRange())
        stalls.append({-share, reason});
    std::ranges::sort(stalls);
    for (const auto &[share, reason] : stalls.mid(0, 6))
        lines.append(QStringLiteral("  stall %1 = %2 %").arg(reason, figure(-share * 100)));
    for (const HotSpot &spot : kernel.hotSpots.mid(0, shownHotSpots))
        lines.append(QStringLiteral("  %1:%2: %3").arg(spot.file).arg(spot.line).arg(spot.text));
    return lines.join(u'\n');
}

QString promiseText(const QString &metric, const QString &change)
{
    return metric + u' ' + change;
}

QString tryLine(const Attempt &attempt, int base)
{
    QString line = attempt.node >= 0 ? QStringLiteral("- node %1").arg(attempt.node) : QStringLiteral("- refused");
    if (attempt.baseNode >= 0)
        line += attempt.baseNode == base ? QStringLiteral(" on this base")
                                         : QStringLiteral(" on node %1").arg(attempt.baseNode);
    line += QStringLiteral(": %1").arg(attempt.skill.isEmpty() ? QStringLiteral("first candidate") : attempt.skill);
    if (!attempt.parameters.isEmpty())
        line += u' ' + QString::fromUtf8(QJsonDocument(attempt.parameters).toJson(QJsonDocument::Compact));
    line += QStringLiteral(" → %1").arg(attempt.outcome);
    if (attempt.speedupOverBase > 0) line += QStringLiteral(", %1× over its base").arg(figure(attempt.speedupOverBase));
    if (!attempt.why.isEmpty()) line += QStringLiteral(" (%1)").arg(attempt.why.left(240));
    return line;
}

} // namespace

QString taskText(const Task &task)
{
    QStringList lines{QStringLiteral("# %1").arg(task.title.isEmpty() ? task.name : task.title),
                      task.description.trimmed(), QString(),
                      QStringLiteral("Entry point: %1").arg(task.solveDeclaration()), QStringLiteral("Parameters:")};
    for (const Parameter &parameter : task.parameters)
        lines.append(parameterText(parameter));
    QStringList checked, timed;
    for (const Sizes &sizes : task.checkedSizes())
        checked.append(sizesText(sizes));
    for (const TimeSize &size : task.time)
        timed.append(sizesText(size.sizes));
    lines += {QStringLiteral("Checked at: %1").arg(checked.join(QStringLiteral("; "))),
              QStringLiteral("Timed at: %1").arg(timed.join(QStringLiteral("; "))),
              QStringLiteral("Tolerance: |error| ≤ %1 + %2·|reference|")
                  .arg(figure(task.tolerance.absolute), figure(task.tolerance.relative))};
    if (task.graph) {
        lines.append(QStringLiteral("Operators:"));
        for (const OperatorNode &node : task.graph->nodes) {
            const QString attributes =
                node.attributes.isEmpty()
                    ? QString()
                    : u' ' + QString::fromUtf8(QJsonDocument(node.attributes).toJson(QJsonDocument::Compact));
            lines.append(QStringLiteral("- %1 = %2(%3)%4")
                             .arg(node.id, node.op, node.inputs.join(QStringLiteral(", ")), attributes));
        }
    }
    if (!task.reference.trimmed().isEmpty())
        lines += {QString(), QStringLiteral("Reference, in double precision:"), task.reference.trimmed()};
    return lines.join(u'\n');
}

QString codeText(const Candidate &candidate)
{
    QStringList texts;
    for (const CandidateFile &file : candidate.files)
        texts.append(candidate.files.size() > 1 ? QStringLiteral("// file %1\n%2").arg(file.path, file.content)
                                                : file.content);
    return texts.join(u'\n');
}

QString profileText(const Profile &profile)
{
    const KernelProfile *deciding = profile.deciding();
    if (!deciding) return {};
    QStringList texts{QStringLiteral("The kernel that decides:"), kernelInFull(*deciding)};
    for (const KernelProfile &kernel : profile.kernels) {
        if (&kernel != deciding) texts.append(kernelHead(kernel));
    }
    return texts.join(u'\n');
}

QString evidenceText(const Evaluation &evaluation)
{
    QStringList texts;
    if (const auto time_us = evaluation.time_us())
        texts.append(QStringLiteral("Time: %1 us (%2), %3")
                         .arg(figure(*time_us), toString(evaluation.kind), toString(evaluation.verdict)));
    for (const SizeTiming &timing : evaluation.timings) {
        if (evaluation.timings.size() > 1)
            texts.append(QStringLiteral("- at %1: %2 us").arg(timing.name, figure(timing.time_us)));
    }
    texts.append(profileText(evaluation.profile));
    return texts.join(u'\n');
}

QString featuresText(const Features &features)
{
    QStringList lines;
    for (const auto &[name, value] : features.asKeyValueRange())
        lines.append(
            QStringLiteral("%1 = %2").arg(name, value.isValid() ? value.toString() : QStringLiteral("unknown")));
    return lines.join(u'\n');
}

QString offerText(const Retrieval &retrieval, const QList<Skill> &skills)
{
    QStringList texts;
    if (!retrieval.explanation.isEmpty()) texts += {retrieval.explanation, QString()};
    texts.append(QStringLiteral("Allowed now, best first:"));
    for (const RankedMethod &method : retrieval.allowed) {
        texts.append(QStringLiteral("- %1 (%2)%3")
                         .arg(method.skill, method.reason,
                              method.unproven ? QStringLiteral(", its conditions are not all known") : QString()));
        const auto skill = std::ranges::find(skills, method.skill, &Skill::name);
        if (skill == skills.end()) continue;
        texts.append(QStringLiteral("  %1").arg(skill->description));
        QStringList promises;
        for (const PromisedChange &promise : skill->promises)
            promises.append(promiseText(promise.metric, promise.change));
        if (!promises.isEmpty())
            texts.append(QStringLiteral("  Promises: %1").arg(promises.join(QStringLiteral("; "))));
    }
    if (!retrieval.forbidden.isEmpty())
        texts.append(QStringLiteral("Forbidden by the evidence: methods %1")
                         .arg(retrieval.forbidden.join(QStringLiteral(", "))));
    return texts.join(u'\n');
}

QString skillText(const Skill &skill)
{
    if (skill.name.isEmpty()) return {};
    QStringList texts{QStringLiteral("# %1 (%2)").arg(skill.title, skill.name), skill.description};
    for (const QString &rule : skill.prohibits)
        texts.append(QStringLiteral("Must not: %1").arg(rule));
    texts += {QString(), skill.body.trimmed()};
    return texts.join(u'\n');
}

QString planText(const Plan &plan)
{
    QStringList lines{QStringLiteral("Skill: %1").arg(plan.skill)};
    if (!plan.parameters.isEmpty())
        lines.append(QStringLiteral("Parameters: %1")
                         .arg(QString::fromUtf8(QJsonDocument(plan.parameters).toJson(QJsonDocument::Compact))));
    lines.append(QStringLiteral("Why: %1").arg(plan.rationale));
    QStringList promises;
    for (const MetricPromise &promise : plan.promises)
        promises.append(promiseText(promise.metric, promise.change));
    if (!promises.isEmpty()) lines.append(QStringLiteral("Promised: %1").arg(promises.join(QStringLiteral("; "))));
    return lines.join(u'\n');
}

QString historyText(const Attempts &attempts, int base)
{
    const QList<Attempt> &all = attempts.all();
    if (all.isEmpty()) return {};
    const qsizetype older = std::max(qsizetype(0), all.size() - triesInFull);
    QStringList lines{QStringLiteral("Tried so far:")};
    QMap<QString, int> counts;
    for (const Attempt &attempt : all.mid(0, older))
        ++counts[QStringLiteral("%1 %2").arg(
            attempt.skill.isEmpty() ? QStringLiteral("first candidate") : attempt.skill, attempt.outcome)];
    for (const auto &[what, count] : counts.asKeyValueRange())
        lines.append(QStringLiteral("- earlier: %1, %2 times").arg(what).arg(count));
    for (const Attempt &attempt : all.mid(older))
        lines.append(tryLine(attempt, base));
    return lines.join(u'\n');
}

QString findingText(const Finding &finding)
{
    QString place;
    if (finding.line > 0) place = QStringLiteral("%1:%2: ").arg(finding.file).arg(finding.line);
    if (finding.hasPlace)
        place += QStringLiteral("block (%1,%2,%3) thread (%4,%5,%6): ")
                     .arg(finding.block[0])
                     .arg(finding.block[1])
                     .arg(finding.block[2])
                     .arg(finding.thread[0])
                     .arg(finding.thread[1])
                     .arg(finding.thread[2]);
    return QStringLiteral("- %1%2: %3").arg(place, finding.kind, finding.message);
}

QString failureText(const Evaluation &evaluation)
{
    QStringList lines{
        QStringLiteral("Status: %1, verdict: %2").arg(toString(evaluation.status), toString(evaluation.verdict))};
    for (const Check &check : evaluation.checks) {
        if (check.outcome == u"failed")
            lines.append(QStringLiteral("Failed check: %1: %2").arg(check.name, check.detail));
    }
    for (const Finding &finding : evaluation.findings.mid(0, 20))
        lines.append(findingText(finding));
    if (evaluation.findings.size() > 20)
        lines.append(QStringLiteral("… and %1 findings more").arg(evaluation.findings.size() - 20));
    if (!evaluation.log.trimmed().isEmpty()) lines += {QStringLiteral("Output:"), evaluation.log.trimmed()};
    return lines.join(u'\n');
}

QString chainText(const QList<RepairAttempt> &chain)
{
    QStringList lines;
    for (const RepairAttempt &attempt : chain)
        lines.append(QStringLiteral("- node %1: %2, thought to be: %3; fix: %4 → %5")
                         .arg(attempt.node)
                         .arg(attempt.errorClass, attempt.cause, attempt.fix, attempt.result));
    if (!lines.isEmpty()) lines.prepend(QStringLiteral("Repairs tried, none of which helped:"));
    return lines.join(u'\n');
}

QString differenceText(const Candidate &before, const Candidate &after)
{
    if (before.isEmpty()) return {};
    return QStringLiteral("Changed since the last code that worked:\n") +
           kernelskill::differenceText(before.mainText(), after.mainText());
}

} // namespace kernelskill::llm
