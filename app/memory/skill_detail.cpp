// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_detail.h"

#include "models/node_text.h"
#include "profile/metric_catalogue.h"
#include "settings/icons.h"
#include "settings/numbers.h"
#include "settings/theme.h"
#include "settings/when_seen.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>
#include <QVBoxLayout>

#include <cmath>
#include <ranges>

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

QString heading(const QString &text)
{
    return u"<p style='margin-top:8px;margin-bottom:2px'>%1</p>"_s.arg(
        coloured(u"<b>%1</b>"_s.arg(escaped(text)), "text.secondary"));
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
    return body.replace("<pre style=\""_L1, "<pre style=\"white-space:pre-wrap; "_L1);
}

} // namespace

SkillDetail::SkillDetail(SkillModel *model, SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_model(model), m_document(document), m_selection(selection), m_text(new QTextBrowser),
      m_pin(new QPushButton), m_reject(new QPushButton(tr("Reject…"))), m_restore(new QPushButton(tr("Restore"))),
      m_reasonRow(new QWidget), m_reason(new QLineEdit)
{
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    m_text->document()->setDocumentMargin(theme().space(8));
    m_text->setAccessibleName(tr("Skill"));
    m_reject->setIcon(themedIcon(u"reject"_s));
    m_restore->setIcon(themedIcon(u"restore"_s));
    m_reason->setPlaceholderText(tr("Why is it rejected? Enter confirms, Esc cancels"));

    auto *buttons = new QHBoxLayout;
    buttons->setContentsMargins(theme().space(8), theme().space(4), theme().space(8), theme().space(8));
    buttons->setSpacing(theme().space(6));
    for (QPushButton *button : {m_pin, m_reject, m_restore})
        buttons->addWidget(button);
    buttons->addStretch();
    auto *reasonLayout = new QHBoxLayout(m_reasonRow);
    reasonLayout->setContentsMargins(theme().space(8), theme().space(4), theme().space(8), 0);
    reasonLayout->addWidget(m_reason);
    m_reasonRow->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_reasonRow);
    layout->addLayout(buttons);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);

    connect(m_pin, &QPushButton::clicked, this, [this] {
        const Skill *skill = m_model->skill(m_name);
        if (skill)
            Q_EMIT stateRequested(m_name, skill->state == SkillState::Pinned ? SkillState::Active : SkillState::Pinned,
                                  {});
    });
    connect(m_reject, &QPushButton::clicked, this, [this] { askReason(true); });
    connect(m_restore, &QPushButton::clicked, this, [this] { Q_EMIT restoreRequested(m_name); });
    connect(m_reason, &QLineEdit::returnPressed, this, [this] {
        if (m_reason->text().trimmed().isEmpty()) return; // a rejection without a reason teaches nobody
        Q_EMIT stateRequested(m_name, SkillState::Rejected, m_reason->text().trimmed());
        askReason(false);
    });
    auto *cancel = new QAction(this);
    cancel->setShortcut(Qt::Key_Escape);
    cancel->setShortcutContext(Qt::WidgetShortcut);
    m_reason->addAction(cancel);
    connect(cancel, &QAction::triggered, this, [this] { askReason(false); });
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl &url) {
        if (url.scheme() == "node"_L1) m_selection->select(url.path().toInt());
    });
    auto *seen = new WhenSeen(this, [this] { refresh(); });
    connect(model, &SkillModel::contentsChanged, seen, &WhenSeen::ask);
    connect(selection, &NodeSelection::changed, seen, &WhenSeen::ask);
    connect(&theme(), &Theme::changed, this, [this] {
        m_shown.clear();
        refresh();
    });
    refresh();
}

void SkillDetail::askReason(bool ask)
{
    m_reasonRow->setVisible(ask);
    m_reason->clear();
    if (ask) m_reason->setFocus();
}

void SkillDetail::setSkill(const QString &name)
{
    if (name == m_name) return;
    m_name = name;
    m_ledger.clear();
    m_reasonRow->hide();
    m_text->verticalScrollBar()->setValue(0);
    refresh();
}

void SkillDetail::setLedger(const QList<LedgerEntry> &entries)
{
    m_ledger = entries;
    refresh();
}

QString SkillDetail::promisesHtml(const Skill &skill) const
{
    // Against the selected node when this skill made it; else the promises alone.
    const TrajectoryNode *node = m_document->node(m_selection->selected());
    const bool shaped = node && node->skill == skill.name && !node->observed.isEmpty();
    QString rows;
    const auto row = [&](const QString &mark, const QString &metric, const QString &promised, const QString &observed) {
        rows +=
            u"<tr><td width='16'>%1</td><td>%2</td><td align='right'>%3</td><td align='right'>&nbsp;&nbsp;%4</td></tr>"_s
                .arg(mark, escaped(metric), coloured(escaped(promised), "text.secondary"), escaped(observed));
    };
    const auto title = [](const QString &metric) {
        const MetricInfo *info = metricInfo(metric);
        return info ? info->title : metric;
    };
    if (shaped) {
        for (const ObservedChange &change : node->observed) {
            const MetricInfo *info = metricInfo(change.metric);
            const QString mark = !change.kept   ? coloured(u"?"_s, "text.secondary")
                                 : *change.kept ? coloured(u"✓"_s, "severity.okText")
                                                : coloured(u"✕"_s, "severity.errorText");
            row(mark, title(change.metric), numbers::promise(change.promised),
                numbers::change(change.before, change.after, info ? info->unit : QString()));
        }
    } else {
        for (const PromisedChange &promise : skill.promises)
            row(QString(), title(promise.metric), numbers::promise(promise.change), QString());
    }
    if (rows.isEmpty()) return {};
    return heading(shaped ? tr("Promised and observed at node %1").arg(node->id) : tr("Promises")) +
           u"<table width='100%' cellspacing='0' cellpadding='1'>"_s + rows + u"</table>"_s;
}

QString SkillDetail::ledgerHtml(const Skill &skill) const
{
    QString html;
    const SkillRecord record = recordOf(skill.name, m_model->statistics());
    if (record.uses > 0) {
        html += heading(tr("Ledger"));
        html += u"<p style='margin:0'>%1</p>"_s.arg(
            (record.uses == 1 ? tr("%1 use, %2 won, %3 lost") : tr("%1 uses, %2 won, %3 lost"))
                .arg(record.uses)
                .arg(record.won)
                .arg(record.lost) +
            (record.gain && record.interval
                 ? tr(", mean gain %1 %2").arg(numbers::speedupValue(*record.gain), numbers::bounds(*record.interval))
                 : QString()) +
            (timeKindsOf(record).isEmpty() ? QString() : u" ("_s + timeKindsOf(record) + u')'));
        int shown = 0;
        html += u"<table width='100%' cellspacing='0' cellpadding='1'>"_s;
        for (const LedgerEntry &entry : m_ledger | std::views::reverse) { // the newest first
            if (++shown > 5) break;
            // Only what was verified has a speedup.
            QString outcome = coloured(escaped(entry.verdict), "text.secondary");
            if (entry.verdict == "verified"_L1) {
                outcome = numbers::speedupValue(std::exp(entry.logSpeedup)) + u' ' + numbers::bounds(entry.interval);
                if (!entry.kind.isEmpty())
                    outcome += u' ' + coloured(numbers::kindShort(timeKindFromString(entry.kind)), "text.secondary");
            }
            html += u"<tr><td>%1 · %2</td><td align='right' style='white-space:nowrap'>%3</td></tr>"_s.arg(
                escaped(entry.task), QString::number(entry.node), outcome);
        }
        html += u"</table>"_s;
    }
    QStringList links;
    for (const TrajectoryNode &node : m_document->trajectory().nodes) {
        if (node.skill == skill.name)
            links.append(u"<a style='color:%1;text-decoration:none' href='node:%2'>node %2</a>"_s
                             .arg(themeColor("text.link").name())
                             .arg(node.id));
    }
    if (!links.isEmpty())
        html += heading(tr("Shaped in this session")) + u"<p style='margin:0'>%1</p>"_s.arg(links.join(u", "_s));
    return html;
}

QString SkillDetail::html(const Skill &skill) const
{
    const QString title = skill.title.isEmpty() ? node_text::titleOfSkill(skill.name) : skill.title;
    QString html = u"<table width='100%' cellspacing='0' cellpadding='0'><tr><td><span "
                   u"style='font-size:13px;font-weight:700'>%1</span></td>"
                   "<td align='right'>%2</td></tr></table>"_s.arg(
                       escaped(title), coloured(tr("%1 · rev. %2").arg(toString(skill.state)).arg(skill.revision) +
                                                    (skill.method.isEmpty() ? QString() : u" · "_s + skill.method),
                                                "text.secondary"));
    if (!skill.stateReason.isEmpty())
        html += u"<p style='margin-top:4px;margin-bottom:0'>%1</p>"_s.arg(
            coloured(escaped(skill.stateReason), "text.secondary"));
    html += u"<p style='margin-top:4px;margin-bottom:4px'>%1</p>"_s.arg(escaped(skill.description));
    if (!skill.requires_.isEmpty()) {
        QStringList lines;
        for (const QString &gate : skill.requires_)
            lines.append(coloured(lines.isEmpty() ? u"when "_s : u"and&nbsp; "_s, "syntax.keyword") + escaped(gate));
        html +=
            u"<table width='100%' cellspacing='0' cellpadding='6' bgcolor='%1'><tr><td style='font-family:Noto Sans Mono'>%2</td></tr></table>"_s
                .arg(themeColor("diff.gutter").name(), lines.join(u"<br>"_s));
    }
    html += promisesHtml(skill) + ledgerHtml(skill);
    if (!skill.prohibits.isEmpty()) {
        html +=
            heading(tr("Must not")) + u"<ul style='margin-top:0;margin-bottom:0;margin-left:12px;-qt-list-indent:0'>"_s;
        for (const QString &rule : skill.prohibits)
            html += u"<li>%1</li>"_s.arg(escaped(rule));
        html += u"</ul>"_s;
    }
    if (!skill.body.trimmed().isEmpty()) html += heading(tr("Text")) + bodyHtml(skill.body);
    return html;
}

void SkillDetail::refresh()
{
    const Skill *skill = m_model->skill(m_name);
    for (QPushButton *button : {m_pin, m_reject, m_restore})
        button->setVisible(skill != nullptr);
    QString text;
    if (!skill) {
        text = coloured(m_model->skills().isEmpty() ? QString() : tr("Select a skill to read it."), "text.secondary");
    } else {
        m_pin->setText(skill->state == SkillState::Pinned ? tr("Unpin") : tr("Pin"));
        m_pin->setIcon(themedIcon(u"pin"_s));
        m_pin->setVisible(skill->state == SkillState::Pinned || skill->state == SkillState::Active);
        m_reject->setVisible(skill->state != SkillState::Rejected);
        m_restore->setVisible(skill->state != SkillState::Pinned && skill->state != SkillState::Active);
        m_restore->setText(skill->state == SkillState::Rejected ? tr("Restore") : tr("Accept"));
        text = html(*skill);
    }
    if (text == m_shown) return;
    const int scrolled = m_text->verticalScrollBar()->value();
    m_shown = text;
    m_text->setHtml(text);
    m_text->verticalScrollBar()->setValue(scrolled);
}

} // namespace kernelskill
