// SPDX-License-Identifier: Apache-2.0
#include "diff/node_part.h"

#include "profile/metric_catalogue.h"
#include "settings/numbers.h"

#include <QCoreApplication>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// A plan as text, one fact a line, so that two plans compare line by line.
QString planText(const TrajectoryNode &node)
{
    const Plan &plan = node.plan;
    if (plan.skill.isEmpty() && plan.method.isEmpty() && plan.rationale.isEmpty()) return {};
    QString text = u"Method      %1\nSkill       %2\n"_s.arg(plan.method, plan.skill);
    if (plan.overridesPolicy) text += u"Overrides the policy\n"_s;
    text += u"\nWhy\n"_s;
    for (const QString &sentence : plan.rationale.split(u". "_s, Qt::SkipEmptyParts))
        text += u"    "_s + sentence.trimmed() + (sentence.endsWith(u'.') ? u"\n"_s : u".\n"_s);
    text += u"\nParameters\n"_s;
    for (auto value = plan.parameters.begin(); value != plan.parameters.end(); ++value)
        text += u"    %1 = %2\n"_s.arg(value.key(), value->toVariant().toString());
    text += u"\nPromises\n"_s;
    for (const MetricPromise &promise : plan.promises) {
        const MetricInfo *info = metricInfo(promise.metric);
        text += u"    %1: %2\n"_s.arg(info ? info->title : promise.metric, numbers::promise(promise.change));
    }
    return text;
}

QString profileText(const Evaluation &evaluation)
{
    QString text;
    for (const KernelProfile &kernel : evaluation.profile.kernels) {
        text += u"%1  grid %2×%3×%4  block %5×%6×%7\n"_s.arg(kernel.name)
                    .arg(kernel.grid[0])
                    .arg(kernel.grid[1])
                    .arg(kernel.grid[2])
                    .arg(kernel.block[0])
                    .arg(kernel.block[1])
                    .arg(kernel.block[2]);
        text += u"    %1 %2\n"_s.arg(u"Duration"_s, -34).arg(numbers::duration_us(kernel.duration_us), 14);
        text += u"    %1 %2\n"_s.arg(u"Roofline time"_s, -34).arg(numbers::duration_us(kernel.roofline_us), 14);
        for (auto metric = kernel.metrics.begin(); metric != kernel.metrics.end(); ++metric) {
            const MetricInfo *info = metricInfo(metric.key());
            text += u"    %1 %2\n"_s.arg(info ? info->title : metric.key(), -34)
                        .arg(numbers::metricValue(*metric, info ? info->unit : QString()), 14);
        }
        for (auto stall = kernel.stalls.begin(); stall != kernel.stalls.end(); ++stall)
            text +=
                u"    %1 %2\n"_s.arg(u"Stall "_s + stall.key(), -34).arg(numbers::withUnit(*stall * 100, u"%"_s), 14);
        text += u'\n';
    }
    return text;
}

QHash<int, LineNote> notesOf(const Candidate &candidate, const Evaluation *evaluation)
{
    QHash<int, LineNote> notes;
    if (!evaluation || candidate.isEmpty()) return notes;
    const QString path = candidate.files.first().path;
    const auto isMain = [&](const QString &file) {
        return file.isEmpty() || file == path || file.endsWith(u'/' + path);
    };
    for (const KernelProfile &kernel : evaluation->profile.kernels) {
        for (const HotSpot &spot : kernel.hotSpots) {
            // Lines that take less than a twentieth of the stalls would only be noise.
            if (spot.line > 0 && isMain(spot.file) && spot.stallShare >= 0.05 && !notes.contains(spot.line - 1))
                notes.insert(spot.line - 1, {spot.text, false});
        }
    }
    for (const Finding &finding : evaluation->findings) {
        if (finding.line > 0 && isMain(finding.file))
            notes.insert(finding.line - 1, {finding.message.section(u'\n', 0, 0), true});
    }
    return notes;
}

} // namespace

QString titleOf(NodePart part)
{
    switch (part) {
    case NodePart::Cuda:
        return u"CUDA"_s;
    case NodePart::Ptx:
        return u"PTX"_s;
    case NodePart::Sass:
        return u"SASS"_s;
    case NodePart::Plan:
        return u"Plan"_s;
    case NodePart::Profile:
        return u"Profile"_s;
    }
    return {};
}

CodeLanguage languageOf(NodePart part)
{
    switch (part) {
    case NodePart::Cuda:
        return CodeLanguage::Cuda;
    case NodePart::Ptx:
        return CodeLanguage::Ptx;
    case NodePart::Sass:
        return CodeLanguage::Sass;
    default:
        return CodeLanguage::Plain;
    }
}

DiffSide sideOf(const SessionDocument &document, int id, NodePart part)
{
    const TrajectoryNode *node = document.node(id);
    if (!node) return {};
    const Candidate *candidate = document.candidate(id);
    const Evaluation *evaluation = document.evaluation(id);
    switch (part) {
    case NodePart::Cuda:
        return candidate ? DiffSide{candidate->mainText(), notesOf(*candidate, evaluation)} : DiffSide{};
    case NodePart::Ptx:
    case NodePart::Sass:
        return {evaluation ? evaluation->artefacts.value(titleOf(part).toLower()) : QString(), {}};
    case NodePart::Plan:
        return {planText(*node), {}};
    case NodePart::Profile:
        return {evaluation ? profileText(*evaluation) : QString(), {}};
    }
    return {};
}

static bool hasPart(const Evaluation *evaluation, NodePart part)
{
    switch (part) {
    case NodePart::Cuda:
    case NodePart::Plan:
        return true;
    case NodePart::Ptx:
    case NodePart::Sass:
        return evaluation && !evaluation->artefacts.value(titleOf(part).toLower()).isEmpty();
    case NodePart::Profile:
        return evaluation && !evaluation->profile.isEmpty();
    }
    return false;
}

QString missingSentence(int node, NodePart part)
{
    switch (part) {
    case NodePart::Cuda:
        return QCoreApplication::translate("NodePart", "Node %1 has no code yet: it is being written.").arg(node);
    case NodePart::Plan:
        return QCoreApplication::translate("NodePart", "Node %1 has no plan: it is the starting point or a repair.").arg(node);
    default:
        return QCoreApplication::translate("NodePart", "Node %1 has no %2.").arg(node).arg(titleOf(part));
    }
}

PartTabs::PartTabs(QWidget *parent) : QTabBar(parent)
{
    setDrawBase(false);
    setExpanding(false);
    setDocumentMode(true);
    for (const NodePart part : nodeParts)
        addTab(titleOf(part));
}

NodePart PartTabs::current() const
{
    return nodeParts[size_t(std::max(0, currentIndex()))];
}

void PartTabs::showPartsOf(const QList<const Evaluation *> &evaluations)
{
    for (int i = 0; i < count(); ++i) {
        const auto has = [part = nodeParts[size_t(i)]](const Evaluation *evaluation) { return hasPart(evaluation, part); };
        setTabVisible(i, i == currentIndex() || std::ranges::any_of(evaluations, has));
    }
    updateGeometry();
}

} // namespace kernelskill
