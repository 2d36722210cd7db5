// SPDX-License-Identifier: Apache-2.0
#include "models/panel_rows.h"

#include "models/metric_help.h"
#include "models/node_text.h"
#include "profile/metric_catalogue.h"
#include "settings/numbers.h"

#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill::panel_rows {

namespace {

QHash<int, QVariant> of(Kind kind, QHash<int, QVariant> more = {})
{
    more.insert(KindRole, int(kind));
    return more;
}

TreeRow *section(TreeRow *root, const QString &title, const QString &note = {})
{
    return root->add(title, {title, QString(), note}, of(Kind::Section));
}

QString unitOf(const QString &field)
{
    if (const MetricInfo *info = metricInfo(field)) return info->unit;
    return field.endsWith("_pct"_L1) ? u"%"_s : QString();
}

QString valueText(const QVariant &value, const QString &field)
{
    if (!value.isValid() || value.isNull()) return u"no counter"_s;
    if (value.typeId() == QMetaType::Bool) return value.toBool() ? u"yes"_s : u"no"_s;
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber ? numbers::metricValue(number, unitOf(field)) : value.toString();
}

QString operatorText(const QString &text)
{
    if (text == ">="_L1) return u"≥"_s;
    if (text == "<="_L1) return u"≤"_s;
    return text == "=="_L1 ? u"="_s : text == "!="_L1 ? u"≠"_s : text;
}

// "dram_throughput_pct >= 40" fills three columns; anything richer keeps its text and lists its values.
void addPredicate(TreeRow *parent, const PredicateTrace &trace, int position)
{
    static const QRegularExpression simple(u"^([A-Za-z_]\\w*)\\s*(>=|<=|==|!=|>|<)\\s*(\\S+)$"_s);
    static const QRegularExpression flag(u"^(NOT\\s+|!\\s*)?([A-Za-z_]\\w*)$"_s,
                                         QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression between(u"^([A-Za-z_]\\w*)\\s+BETWEEN\\s+(\\S+)\\s+AND\\s+(\\S+)$"_s,
                                            QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression among(u"^([A-Za-z_]\\w*)\\s+IN\\s*\\((.*)\\)$"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    QStringList cells;
    QString below; // values of a condition too rich for three columns
    if (const auto match = simple.match(trace.text); match.hasMatch()) {
        const QString field = match.captured(1);
        bool isNumber = false;
        const double bound = match.captured(3).toDouble(&isNumber);
        QString needs = match.captured(3);
        if (isNumber)
            needs = numbers::metricValue(bound, unitOf(field));
        else if (needs == "true"_L1 || needs == "false"_L1)
            needs = needs == "true"_L1 ? u"yes"_s : u"no"_s;
        const bool plainWord = !isNumber && match.captured(2) == "=="_L1;
        cells = {field, valueText(trace.values.value(field), field),
                 plainWord ? needs : operatorText(match.captured(2)) + u' ' + needs};
    } else if (const auto single = flag.match(trace.text); single.hasMatch()) {
        const QString field = single.captured(2);
        cells = {field, valueText(trace.values.value(field), field), single.captured(1).isEmpty() ? u"yes"_s : u"no"_s};
    } else if (const auto range = between.match(trace.text); range.hasMatch()) {
        const QString field = range.captured(1);
        cells = {field, valueText(trace.values.value(field), field),
                 u"%1 … %2"_s.arg(numbers::plain(range.captured(2).toDouble()),
                                  numbers::metricValue(range.captured(3).toDouble(), unitOf(field)))};
    } else if (const auto list = among.match(trace.text); list.hasMatch()) {
        const QString field = list.captured(1);
        cells = {field, valueText(trace.values.value(field), field), list.captured(2).remove(u'\'')};
    } else {
        QStringList values;
        for (auto value = trace.values.begin(); value != trace.values.end(); ++value)
            values.append(value.key() + u' ' + valueText(*value, value.key()));
        cells = {trace.text, QString(), QString()};
        below = values.join(u", "_s);
    }
    QString tip = trace.text;
    for (auto value = trace.values.begin(); value != trace.values.end(); ++value) {
        const MetricInfo *info = metricInfo(value.key());
        tip += u"\n%1 = %2"_s.arg(info ? info->title : value.key(), valueText(*value, value.key()));
        if (info && !info->meaning.isEmpty()) tip += u"\n"_s + info->meaning;
    }
    parent->add(
        QString::number(position), cells,
        of(Kind::Item,
           {{TruthRole, int(trace.truth)}, {MonospaceRole, true}, {Qt::ToolTipRole, tip}, {SubtextRole, below}}));
}

void addPredicates(TreeRow *parent, const QList<PredicateTrace> &predicates)
{
    int position = 0;
    for (const PredicateTrace &trace : predicates)
        addPredicate(parent, trace, position++);
}

QString titleOf(const WhyInput &input, const QString &skill, const QString &method = {})
{
    if (const QString title = input.skillTitles.value(skill); !title.isEmpty()) return title;
    return skill.isEmpty() ? method : node_text::titleOfSkill(skill);
}

QString tierText(const QString &tier)
{
    if (tier == "H"_L1) return u"High headroom"_s;
    if (tier == "M"_L1) return u"Medium headroom"_s;
    return tier == "L"_L1 ? u"Little headroom"_s : u"Headroom unknown"_s;
}

// First what held, then what could not be told, then what did not; the policy's order within each.
int rankOf(Truth truth)
{
    return truth == Truth::True ? 0 : truth == Truth::Unknown ? 1 : 2;
}

void addDecision(TreeRow *root, const WhyInput &input)
{
    const Retrieval &retrieval = *input.retrieval;
    TreeRow *predicates = section(root, u"Predicates"_s);
    TreeRow *tier = predicates->add(u"tier"_s, {u"Tier  "_s + tierText(retrieval.tier), QString(), retrieval.tier},
                                    of(Kind::Group));
    const QString limiter = u"primary_limiter_util"_s;
    if (retrieval.evidence.contains(limiter))
        tier->add(limiter, {limiter, valueText(retrieval.evidence.value(limiter), u"dram_throughput_pct"_s), QString()},
                  of(Kind::Item, {{MonospaceRole, true}}));
    QList<BottleneckTrace> bottlenecks = retrieval.bottlenecks;
    std::ranges::stable_sort(bottlenecks, {}, [](const BottleneckTrace &trace) { return rankOf(trace.truth); });
    for (const BottleneckTrace &trace : std::as_const(bottlenecks)) {
        TreeRow *group = predicates->add(
            u"bottleneck "_s + trace.id,
            {u"Bottleneck  "_s + (trace.title.isEmpty() ? trace.id : trace.title), QString(), toString(trace.truth)},
            of(Kind::Group, {{TruthRole, int(trace.truth)}}));
        addPredicates(group, trace.predicates);
        for (const CaseTrace &entry : retrieval.cases) {
            if (entry.bottleneck != trace.id || (trace.truth == Truth::False && !entry.chosen)) continue;
            TreeRow *below = group->add(u"case "_s + entry.id,
                                        {u"Case  "_s + (entry.title.isEmpty() ? entry.id : entry.title), QString(),
                                         entry.chosen ? u"chosen"_s : toString(entry.truth)},
                                        of(Kind::Group, {{TruthRole, int(entry.truth)}}));
            addPredicates(below, entry.predicates);
        }
    }
}

void addMethods(TreeRow *root, const WhyInput &input)
{
    const Retrieval &retrieval = *input.retrieval;
    TreeRow *methods = section(root, u"Methods"_s);
    QStringList allowed;
    for (const RankedMethod &method : retrieval.allowed)
        allowed.append(titleOf(input, method.skill, method.method));
    methods->add(u"allowed"_s, {u"Allowed  "_s + allowed.join(u", "_s)}, of(Kind::Text));
    if (!retrieval.forbidden.isEmpty())
        methods->add(u"forbidden"_s, {u"Forbidden  "_s + retrieval.forbidden.join(u", "_s)}, of(Kind::Text));
    if (!retrieval.explanation.isEmpty()) methods->add(u"explanation"_s, {retrieval.explanation}, of(Kind::Text));

    TreeRow *ranking = section(root, u"Ranking"_s, u"best first"_s);
    const QString chosen = input.node && !input.node->skill.isEmpty() ? input.node->skill
                           : input.round && input.round->plan         ? input.round->plan->skill
                                                                      : QString();
    int place = 1;
    for (const RankedMethod &method : retrieval.allowed) {
        const bool isChosen = !chosen.isEmpty() && method.skill == chosen;
        ranking->add(
            method.skill + method.method,
            {u"%1  %2"_s.arg(place++).arg(titleOf(input, method.skill, method.method)), QString(), method.method},
            of(Kind::Ranked,
               {{SubtextRole, method.unproven ? method.reason + u", conditions not all known"_s : method.reason},
                {NoteRole, isChosen ? u"chosen"_s : QString()},
                {NoteColorRole, u"severity.okText"_s}}));
    }
    if (input.round) {
        int number = 0;
        for (const QString &refusal : input.round->refusals)
            ranking->add(
                u"refusal %1"_s.arg(number++), {refusal},
                of(Kind::Ranked,
                   {{SubtextRole, refusal}, {NoteRole, u"refused"_s}, {NoteColorRole, u"severity.errorText"_s}}));
    }
}

void addPromises(TreeRow *root, const TrajectoryNode &node)
{
    if (node.observed.isEmpty()) return;
    const auto kept =
        std::ranges::count_if(node.observed, [](const ObservedChange &c) { return c.kept.value_or(false); });
    TreeRow *promised =
        section(root, u"Promised and observed"_s, u"%1 of %2 kept"_s.arg(kept).arg(node.observed.size()));
    for (const ObservedChange &change : node.observed) {
        const MetricInfo *info = metricInfo(change.metric);
        const Truth truth = !change.kept ? Truth::Unknown : *change.kept ? Truth::True : Truth::False;
        promised->add(
            change.metric,
            {info ? info->title : change.metric, numbers::promise(change.promised),
             numbers::change(change.before, change.after, info ? info->unit : QString())},
            of(Kind::Promise, {{TruthRole, int(truth)}, {Qt::ToolTipRole, metricHelp(change.metric)}}));
    }
}

QString guessText(const TrajectoryNode &node)
{
    return node.stepSpeedup ? numbers::speedupFull(*node.stepSpeedup, toString(node.state)) : u"not known"_s;
}

// What was promised of a metric, in words; empty: nothing.
QString promiseOf(const TrajectoryNode &node, const QString &metric)
{
    const auto promise = std::ranges::find(node.plan.promises, metric, &MetricPromise::metric);
    return promise == node.plan.promises.end() ? u"nothing was promised of it"_s : u"promised: "_s + numbers::promise(promise->change);
}

// The person's prediction against promise and observation.
void addPrediction(TreeRow *root, const TrajectoryNode &node)
{
    if (!node.prediction) return;
    const bool known = node_text::hasSpeedup(node);
    int right = 0, told = 0;
    QList<ObservedChange> counters = node.predicted;
    if (counters.isEmpty()) { // not evaluated yet
        for (const CounterPrediction &counter : node.prediction->counters)
            counters.append({counter.metric, toString(counter.movement), {}, {}, {}});
    }
    std::optional<bool> speedupRight;
    if (node.prediction->speedup && node.stepSpeedup && known) speedupRight = guessOf(node.stepSpeedup->value) == *node.prediction->speedup;
    told += speedupRight.has_value();
    right += speedupRight.value_or(false);
    for (const ObservedChange &counter : std::as_const(counters)) {
        told += counter.kept.has_value();
        right += counter.kept.value_or(false);
    }
    const auto truth = [](const std::optional<bool> &kept) { return int(!kept ? Truth::Unknown : *kept ? Truth::True : Truth::False); };
    TreeRow *rows = section(root, u"Your prediction, and what came"_s,
                            told > 0 ? u"%1 of %2 right"_s.arg(right).arg(told) : u"not known yet"_s);
    if (node.prediction->speedup)
        rows->add(u"speedup"_s, {u"Speedup over the base"_s, guessTitle(*node.prediction->speedup), QString()},
                  of(Kind::Promise, {{TruthRole, truth(speedupRight)}, {SubtextRole, u"observed: "_s + guessText(node)}}));
    for (const ObservedChange &counter : std::as_const(counters)) {
        const MetricInfo *info = metricInfo(counter.metric);
        rows->add(counter.metric,
                  {info ? info->title : counter.metric, counter.promised,
                   counter.before || counter.after ? numbers::change(counter.before, counter.after, info ? info->unit : QString())
                                                   : QString()},
                  of(Kind::Promise, {{TruthRole, truth(counter.kept)},
                                     {SubtextRole, promiseOf(node, counter.metric)},
                                     {Qt::ToolTipRole, metricHelp(counter.metric)}}));
    }
}

void addMetrics(TreeRow *root, const Evaluation &evaluation)
{
    for (const KernelProfile &kernel : evaluation.profile.kernels) {
        TreeRow *metrics = section(root, u"Metrics of "_s + kernel.name, evaluation.profile.kind);
        metrics->add(u"launch"_s,
                     {u"Launch"_s, QString(),
                      u"grid %1×%2×%3, block %4×%5×%6"_s.arg(kernel.grid[0])
                          .arg(kernel.grid[1])
                          .arg(kernel.grid[2])
                          .arg(kernel.block[0])
                          .arg(kernel.block[1])
                          .arg(kernel.block[2])},
                     of(Kind::Item));
        metrics->add(u"duration"_s, {u"Duration"_s, QString(), numbers::duration_us(kernel.duration_us)},
                     of(Kind::Item));
        metrics->add(u"roofline"_s, {u"Roofline time"_s, QString(), numbers::duration_us(kernel.roofline_us)},
                     of(Kind::Item));
        for (auto metric = kernel.metrics.begin(); metric != kernel.metrics.end(); ++metric) {
            const MetricInfo *info = metricInfo(metric.key());
            metrics->add(
                metric.key(),
                {info ? info->title : metric.key(), QString(),
                 numbers::metricValue(*metric, info ? info->unit : QString())},
                of(Kind::Item, {{Qt::ToolTipRole, metricHelp(metric.key())}}));
        }
    }
}

} // namespace

std::unique_ptr<TreeRow> why(const WhyInput &input)
{
    auto root = std::make_unique<TreeRow>();
    if (!input.node) return root;
    addPrediction(root.get(), *input.node);
    if (input.retrieval) {
        addDecision(root.get(), input);
        addMethods(root.get(), input);
    }
    const Plan *plan = !input.node->plan.skill.isEmpty() || !input.node->plan.rationale.isEmpty() ? &input.node->plan
                       : input.round && input.round->plan                                         ? &*input.round->plan
                                                                                                  : nullptr;
    if (plan) {
        TreeRow *section_ =
            section(root.get(), u"Plan"_s, plan->overridesPolicy ? u"overrides the policy"_s : QString());
        section_->add(u"skill"_s,
                      {titleOf(input, plan->skill, plan->method) +
                       (plan->rationale.isEmpty() ? QString() : u": "_s + plan->rationale)},
                      of(Kind::Text));
        for (auto value = plan->parameters.begin(); value != plan->parameters.end(); ++value)
            section_->add(value.key(), {value.key(), QString(), value->toVariant().toString()},
                          of(Kind::Item, {{MonospaceRole, true}}));
    }
    addPromises(root.get(), *input.node);
    return root;
}

std::unique_ptr<TreeRow> evidence(const Evaluation *evaluation, const TrajectoryNode *node)
{
    auto root = std::make_unique<TreeRow>();
    if (!evaluation || !node) return root;
    TreeRow *verdict = section(root.get(), u"Verdict"_s, toString(evaluation->kind));
    verdict->add(u"verdict"_s,
                 {node_text::full(*node), QString(),
                  evaluation->status == Status::Ok ? QString() : toString(evaluation->status).replace(u'_', u' ')},
                 of(Kind::Check, {{StateRole, int(node->state)}}));
    if (!node->why.isEmpty()) verdict->add(u"why"_s, {node->why}, of(Kind::Text));
    if (node->recorded)
        verdict->add(u"recorded"_s, {u"Recorded: node %1 of the record, played again; judged here anew."_s.arg(node->recorded->node)}, of(Kind::Text));
    if (!node->divergence.isEmpty())
        verdict->add(u"divergence"_s, {u"Otherwise than recorded: "_s + node->divergence}, of(Kind::Text));
    addPrediction(root.get(), *node);

    const auto passed = std::ranges::count(evaluation->checks, u"passed"_s, &Check::outcome);
    TreeRow *checks = section(root.get(), u"Checks"_s, u"%1 of %2 passed"_s.arg(passed).arg(evaluation->checks.size()));
    int number = 0;
    for (const Check &check : evaluation->checks) {
        const Truth truth = check.outcome == "passed"_L1   ? Truth::True
                            : check.outcome == "failed"_L1 ? Truth::False
                                                           : Truth::Unknown;
        checks->add(QString::number(number++), {check.name, QString(), check.outcome},
                    of(Kind::Item, {{TruthRole, int(truth)},
                                    {SubtextRole, truth == Truth::True ? QString() : check.detail},
                                    {Qt::ToolTipRole, check.detail.isEmpty() ? check.name : check.detail}}));
    }
    if (!evaluation->findings.isEmpty()) {
        TreeRow *findings = section(root.get(), u"Findings"_s, QString::number(evaluation->findings.size()));
        number = 0;
        for (const Finding &finding : evaluation->findings)
            findings->add(QString::number(number++),
                          {finding.message, QString(),
                           finding.line > 0 ? u"%1:%2"_s.arg(finding.file).arg(finding.line) : QString()},
                          of(Kind::Item, {{TruthRole, int(Truth::False)}, {SubtextRole, finding.kind}}));
    }
    if (!evaluation->timings.isEmpty()) {
        TreeRow *times = section(root.get(), u"Times"_s, toString(evaluation->kind));
        for (const SizeTiming &timing : evaluation->timings)
            times->add(timing.name,
                       {timing.name, QString(),
                        u"%1 [%2, %3]"_s.arg(numbers::duration_us(timing.time_us), numbers::plain(timing.interval.low),
                                             numbers::plain(timing.interval.high))},
                       of(Kind::Item));
    }
    addMetrics(root.get(), *evaluation);
    if (!evaluation->manifest.isEmpty()) {
        TreeRow *manifest = section(root.get(), u"Manifest"_s);
        for (auto entry = evaluation->manifest.begin(); entry != evaluation->manifest.end(); ++entry) {
            if (entry->isObject() || entry->isArray()) continue;
            manifest->add(entry.key(), {entry.key(), QString(), entry->toVariant().toString()}, of(Kind::Item));
        }
    }
    return root;
}

} // namespace kernelskill::panel_rows
