// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_html.h"

#include "profile/metric_catalogue.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTextDocument>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QString escaped(const QString &text)
{
    return text.toHtmlEscaped();
}

QString coloured(const QString &text, const char *role, bool bold = false)
{
    return u"<span style='color:%1%2'>%3</span>"_s.arg(themeColor(role).name(),
                                                       bold ? u";font-weight:700"_s : QString(), text);
}

QString heading(const QString &text, const QString &note = {})
{
    return u"<p style='margin-top:8px;margin-bottom:2px'>%1%2</p>"_s.arg(
        coloured(u"<b>%1</b>"_s.arg(escaped(text)), "text.secondary"), note.isEmpty() ? QString() : u"&nbsp; "_s + note);
}

QString markOf(Truth truth)
{
    switch (truth) {
    case Truth::True:
        return coloured(u"✓"_s, "severity.okText");
    case Truth::False:
        return coloured(u"✕"_s, "severity.errorText");
    case Truth::Unknown:
        return coloured(u"?"_s, "text.secondary");
    }
    return {};
}

// The body of a SKILL.md as HTML, without the whole-document wrapping Qt puts around it.
QString bodyHtml(const QString &markdown)
{
    QTextDocument document;
    document.setDefaultFont(theme().font(TextStyle::Body));
    document.setMarkdown(markdown, QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                       QTextDocument::MarkdownNoHTML);
    QString html = document.toHtml();
    const qsizetype start = html.indexOf(u'>', html.indexOf("<body"_L1)) + 1;
    QString body = html.mid(start, html.lastIndexOf("</body>"_L1) - start);
    // Headings of one panel, not of a book: paragraphs in bold.
    static const QRegularExpression heading(u"<(/?)h[1-6]"_s), size(u"font-size:(xx-large|x-large|large|medium)"_s);
    body.replace(heading, u"<\\1p"_s);
    body.replace(size, u"font-size:12px"_s);
    return body.replace("<pre style=\""_L1, "<pre style=\"white-space:pre-wrap; "_L1);
}

QString gateHtml(const SkillPage &page)
{
    const QStringList &gates = page.skill->requires_;
    QString note = coloured(u"valid"_s, "severity.okText");
    if (!page.gateTrouble.isEmpty()) {
        note = coloured(escaped(page.gateTrouble), "severity.errorText");
    } else if (!page.gateTruth.isEmpty()) {
        Truth all = Truth::True;
        for (const QString &gate : gates) {
            const Truth one = page.gateTruth.value(gate, Truth::Unknown);
            if (one == Truth::False || all == Truth::True) all = one;
        }
        note += coloured(u" · %1 for %2"_s.arg(toString(all), escaped(page.gateOf)), "text.secondary");
    }
    if (gates.isEmpty())
        return heading(u"Gate"_s, coloured(u"none: it is offered wherever the policy allows it"_s, "text.secondary"));
    QStringList lines;
    for (const QString &gate : gates) {
        const QString mark = page.gateTruth.isEmpty() ? QString() : markOf(page.gateTruth.value(gate)) + u"&nbsp;"_s;
        lines.append(mark + coloured(lines.isEmpty() ? u"when "_s : u"and&nbsp; "_s, "syntax.keyword") + escaped(gate));
    }
    return heading(u"Gate"_s, note) +
           u"<table width='100%' cellspacing='0' cellpadding='6' bgcolor='%1'><tr><td style='font-family:Noto Sans Mono'>%2</td></tr></table>"_s
               .arg(themeColor("diff.gutter").name(), lines.join(u"<br>"_s));
}

// In how many of its uses a promise was kept, of those whose counters told.
struct Kept
{
    int kept = 0, told = 0;
};

QHash<QString, Kept> keptByMetric(const SkillPage &page)
{
    QHash<QString, Kept> result;
    if (!page.ledger) return result;
    for (const LedgerEntry &entry : *page.ledger) {
        for (const QJsonValue &value : entry.observed["changes"_L1].toArray()) {
            const QJsonValue kept = value["kept"_L1];
            if (!kept.isBool()) continue;
            Kept &one = result[value["metric"_L1].toString()];
            one.kept += kept.toBool();
            ++one.told;
        }
    }
    return result;
}

QString promisesHtml(const SkillPage &page)
{
    const QHash<QString, Kept> kept = keptByMetric(page);
    QString rows;
    const auto cell = [](const QString &text) { return u"<td align='right' style='white-space:nowrap'>&nbsp;&nbsp;%1</td>"_s.arg(text); };
    const auto row = [&](const QString &mark, const QString &metric, const QString &promised, const QString &observed) {
        const MetricInfo *info = metricInfo(metric);
        const Kept told = kept.value(metric);
        // Side by side, names of metrics would be broken inside their words where the page is narrow.
        const QString name = page.wide ? u"<td>%1</td>"_s : u"<td colspan='4'>%1</td></tr><tr><td colspan='2'></td>"_s;
        rows += u"<tr><td width='14'>%1</td>"_s.arg(mark) + name.arg(escaped(info ? info->title : metric)) +
                cell(coloured(escaped(promised), "text.secondary")) + cell(escaped(observed)) +
                cell(told.told == 0 ? QString() : u"%1 of %2"_s.arg(told.kept).arg(told.told)) + u"</tr>"_s;
    };
    const bool shaped = page.node && !page.node->observed.isEmpty();
    if (shaped) {
        for (const ObservedChange &change : page.node->observed) {
            const MetricInfo *info = metricInfo(change.metric);
            row(markOf(!change.kept   ? Truth::Unknown
                       : *change.kept ? Truth::True
                                      : Truth::False),
                change.metric, numbers::promise(change.promised),
                numbers::change(change.before, change.after, info ? info->unit : QString()));
        }
    } else {
        for (const PromisedChange &promise : page.skill->promises)
            row(QString(), promise.metric, numbers::promise(promise.change), QString());
    }
    if (rows.isEmpty()) return {};
    QString head;
    for (const QString &title : {QString(), u"promised"_s, shaped ? u"node %1"_s.arg(page.node->id) : QString(),
                                 kept.isEmpty() ? QString() : u"kept in"_s})
        head += head.isEmpty() ? u"<td colspan='2'></td>"_s
                               : cell(coloured(title, "text.secondary"));
    return heading(u"Promised and observed"_s) + u"<table width='100%' cellspacing='0' cellpadding='1'><tr>"_s + head +
           u"</tr>"_s + rows + u"</table>"_s;
}

} // namespace

QString skillHtml(const SkillPage &page)
{
    const Skill &skill = *page.skill;
    QString advice;
    if (!skill.stateReason.isEmpty())
        advice += u"<p style='margin-top:0;margin-bottom:4px'>%1 %2</p>"_s.arg(
            coloured(escaped(toString(skill.state)) + u':', "text.secondary", true),
            coloured(escaped(skill.stateReason), "text.secondary"));
    advice += u"<p style='margin-top:0;margin-bottom:4px'>%1</p>"_s.arg(escaped(skill.description));
    QString rest;
    if (!skill.prohibits.isEmpty()) {
        rest += heading(u"Must not"_s) +
                u"<ul style='margin-top:0;margin-bottom:0;margin-left:12px;-qt-list-indent:0'>"_s;
        for (const QString &rule : skill.prohibits)
            rest += u"<li>%1</li>"_s.arg(escaped(rule));
        rest += u"</ul>"_s;
    }
    if (!page.body.trimmed().isEmpty()) rest += heading(u"Advice"_s) + bodyHtml(page.body);
    const QString rules = gateHtml(page) + promisesHtml(page);
    if (!page.wide) return advice + rules + rest;
    return u"<table width='100%' cellspacing='0' cellpadding='0'><tr><td width='54%'>%1</td><td width='16'></td>"
           "<td>%2</td></tr></table>"_s.arg(advice + rest, rules);
}

} // namespace kernelskill
