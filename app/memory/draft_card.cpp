// SPDX-License-Identifier: Apache-2.0
#include "memory/draft_card.h"

#include "models/node_text.h"
#include "models/skill_model.h"
#include "models/skill_rows.h"
#include "profile/metric_catalogue.h"
#include "settings/numbers.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QUrl>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr qsizetype linksShown = 4;

QString promisesText(const Skill &skill)
{
    QStringList parts;
    for (const PromisedChange &promise : skill.promises) {
        const MetricInfo *info = metricInfo(promise.metric);
        parts.append(u"%1 %2"_s.arg(info ? info->title : promise.metric, numbers::promise(promise.change)));
    }
    return parts.join(u", "_s);
}

QLabel *paragraph()
{
    auto *label = new QLabel;
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    return label;
}

} // namespace

DraftCard::DraftCard(SkillModel *model, SkillActions *actions, QWidget *parent)
    : QWidget(parent), m_model(model), m_count(new QLabel), m_title(new QLabel), m_says(paragraph()),
      m_from(paragraph()), m_body(new QWidget)
{
    auto *bar = new Bar(themeSize("tabBar"));
    bar->addTitle(tr("To review"));
    bar->add(m_count);
    bar->addStretch();
    for (QAction *action : {actions->onlyDrafts, actions->nextDraft}) {
        auto *button = new ActionButton(action, ActionButton::Words::All);
        button->setFixedHeight(themeSize("buttonSmall"));
        bar->add(button);
    }
    m_title->setFont(theme().font(TextStyle::Strong));
    m_title->setWordWrap(true);
    m_from->setForegroundRole(QPalette::PlaceholderText);
    m_from->setAccessibleName(tr("Where the draft comes from"));
    m_says->setFocusPolicy(Qt::NoFocus);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(theme().space(6));
    for (QAction *action : {actions->accept, actions->edit, actions->reject}) {
        m_decisions.append(new ActionButton(action));
        buttons->addWidget(m_decisions.last());
    }
    buttons->addStretch();
    auto *text = new QVBoxLayout(m_body);
    text->setContentsMargins(theme().space(8), theme().space(6), theme().space(8), theme().space(8));
    text->setSpacing(theme().space(4));
    for (QWidget *widget : {m_title, m_says, m_from})
        text->addWidget(widget);
    text->addLayout(buttons);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 1, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_body);
    m_body->hide();
    hide();
    connect(&theme(), &Theme::changed, this, [this] {
        if (!m_name.isEmpty()) fill(); // its links have colours of their own
    });
    connect(m_from, &QLabel::linkActivated, this, [this](const QString &link) {
        const qsizetype number = QUrl(link).path().toLongLong();
        if (number >= 0 && number < m_origin.size())
            Q_EMIT nodeWanted(m_origin[number].sessionPath, m_origin[number].session, m_origin[number].node);
    });
}

void DraftCard::setCompact(bool compact)
{
    m_compact = compact;
    m_body->setVisible(!compact && !m_name.isEmpty());
}

void DraftCard::showCount()
{
    const qsizetype count = m_model->waiting().size();
    m_count->setText(QString::number(count));
    m_count->setToolTip(count == 1 ? tr("1 draft waits") : tr("%1 drafts wait").arg(count));
    m_count->setAccessibleName(m_count->toolTip());
    setVisible(count > 0);
}

void DraftCard::setDraft(const QString &name, const SkillDossier &dossier)
{
    m_name = name;
    m_body->setVisible(!m_compact && !name.isEmpty());
    m_dossier = dossier;
    if (!name.isEmpty()) fill();
}

void DraftCard::fill()
{
    const Skill *skill = m_model->skill(m_name);
    if (!skill) return;
    m_title->setText(skill->title.isEmpty() ? node_text::titleOfSkill(skill->name) : skill->title);
    QString says = skill->description.toHtmlEscaped();
    if (!skill->promises.isEmpty()) says += u"<br><b>%1</b> %2"_s.arg(tr("Promises"), promisesText(*skill).toHtmlEscaped());
    m_says->setText(says);
    m_origin.clear();
    if (m_dossier.name == m_name) m_origin = m_dossier.ledger;
    QStringList links, evidence;
    for (qsizetype i = m_origin.size() - 1; i >= 0; --i) { // the newest first
        const LedgerEntry &entry = m_origin[i];
        if (links.size() < linksShown)
            links.append(u"<a style='color:%1;text-decoration:none' href='origin:%2'>%3 %4</a>"_s
                             .arg(themeColor("text.link").name())
                             .arg(i)
                             .arg((entry.task + u' ' + skill_rows::sessionName(entry)).toHtmlEscaped())
                             .arg(entry.node));
        const QString seen = QStringList{QString(entry.bottleneck).replace(u'_', u' '), entry.structure, entry.architecture}
                                 .join(u' ')
                                 .simplified();
        if (!seen.isEmpty() && !evidence.contains(seen)) evidence.append(seen);
    }
    const SkillRecord record = m_model->record(m_name);
    QStringList lines;
    if (!links.isEmpty())
        lines.append(tr("Came from %1").arg(links.join(u", "_s)) +
                     (m_origin.size() > linksShown ? tr(" and %1 more").arg(m_origin.size() - linksShown) : QString()));
    else if (!skill->stateReason.isEmpty())
        lines.append(skill->stateReason.toHtmlEscaped());
    if (!evidence.isEmpty()) lines.append(tr("Evidence: %1").arg(evidence.join(u"; "_s).toHtmlEscaped()));
    lines.append(tr("%1 won, %2 lost").arg(record.won).arg(record.lost));
    m_from->setText(lines.join(u"<br>"_s));
}

QString DraftCard::origin() const
{
    return QTextDocumentFragment::fromHtml(m_from->text()).toPlainText();
}

void DraftCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("surface.panel"));
    painter.fillRect(QRect(0, 0, width(), 1), themeColor("surface.line"));
}

} // namespace kernelskill
