// SPDX-License-Identifier: Apache-2.0
#include "models/skill_check.h"

#include "profile/metric_catalogue.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// Where texts stand in the front matter, looked for from one place on, so that equal ones are told apart.
class Places
{
public:
    explicit Places(const QString &text) : m_text(text), m_end(text.indexOf("\n---"_L1)) {}

    // Behind `key:`, in the order in which it is asked.
    std::optional<std::pair<int, qsizetype>> find(const QString &words)
    {
        qsizetype at = m_text.indexOf(words, m_from);
        if (at < 0 || (m_end >= 0 && at > m_end)) at = m_text.indexOf(words);
        if (at < 0) return {};
        m_from = at + words.size();
        const QStringView before = QStringView(m_text).left(at);
        return std::pair(int(before.count(u'\n')), at - (before.lastIndexOf(u'\n') + 1));
    }
    void startAt(int line)
    {
        m_from = 0;
        for (int i = 0; i < line; ++i)
            m_from = m_text.indexOf(u'\n', m_from) + 1;
    }

private:
    const QString &m_text;
    qsizetype m_from = 0, m_end;
};

void checkGates(const Skill &skill, const QString &text, GateCheck &gates, QList<SkillFinding> &findings)
{
    Places places(text);
    places.startAt(std::max(0, gateLine(text)));
    for (const QString &gate : skill.requires_) {
        const auto place = places.find(gate);
        const auto trouble = gates.trouble(gate);
        if (!trouble) continue;
        SkillFinding finding{0, 0, -1, trouble->message, trouble->allowed, true};
        if (place) {
            finding.line = place->first;
            finding.column = place->second + trouble->at;
            finding.length = trouble->length;
        }
        findings.append(finding);
    }
}

void checkPromises(const Skill &skill, const QString &text, QList<SkillFinding> &findings)
{
    Places places(text);
    for (const PromisedChange &promise : skill.promises) {
        if (metricInfo(promise.metric)) continue;
        const auto place = places.find(promise.metric + u':');
        QStringList known;
        for (const MetricInfo &info : metricCatalogue())
            known.append(info.name);
        const QString near = nearestName(promise.metric, known);
        findings.append({place ? place->first : 0, place ? place->second : 0, promise.metric.size(),
                         u"no evaluator gives a metric “%1”, so the promise cannot be checked"_s.arg(promise.metric),
                         near.isEmpty() ? u"a name of the metric catalogue"_s : near, false});
    }
}

} // namespace

const SkillFinding *SkillCheck::firstError() const
{
    const auto found = std::ranges::find(findings, true, &SkillFinding::isError);
    return found == findings.end() ? nullptr : &*found;
}

int gateLine(const QString &text)
{
    static const QRegularExpression key(u"^\\s+(gate|requires)\\s*:"_s);
    int line = 0;
    for (const QString &one : text.split(u'\n')) {
        if (line > 0 && one.startsWith("---"_L1)) return -1;
        if (key.match(one).hasMatch()) return line;
        ++line;
    }
    return -1;
}

SkillCheck checkSkillText(const QString &text, const QString &name, GateCheck *gates)
{
    SkillCheck check;
    SkillReading reading = examineSkillText(text, name + u"/SKILL.md"_s, name);
    for (const SkillDiagnostic &diagnostic : std::as_const(reading.diagnostics)) {
        if (diagnostic.severity == SkillDiagnostic::Severity::Note) continue;
        check.findings.append({std::max(0, diagnostic.line - 1), 0, -1, diagnostic.message, diagnostic.remedy,
                               diagnostic.severity == SkillDiagnostic::Severity::Error});
    }
    if (reading.skill) {
        if (reading.skill->name != name)
            check.findings.append({1, 0, -1, u"the text names the skill “%1”"_s.arg(reading.skill->name),
                                   u"name: "_s + name, true});
        if (gates) checkGates(*reading.skill, text, *gates, check.findings);
        checkPromises(*reading.skill, text, check.findings);
    }
    if (text.toUtf8().size() > maximumSkillTextBytes)
        check.findings.append({0, 0, -1, u"the text is larger than 1 MiB"_s, u"long material under references/"_s, true});
    std::ranges::stable_sort(check.findings, {}, [](const SkillFinding &one) { return std::pair(one.line, one.column); });
    check.skill = std::move(reading.skill);
    return check;
}

} // namespace kernelskill
