// SPDX-License-Identifier: Apache-2.0
#include "shell/question_panel.h"

#include "settings/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

QuestionPanel::QuestionPanel(QWidget *parent)
    : QWidget(parent), m_title(new QLabel), m_text(new QLabel), m_choices(new QComboBox), m_edit(new QPlainTextEdit),
      m_accept(new QPushButton), m_decline(new QPushButton(tr("Decline")))
{
    m_title->setFont(theme().font(TextStyle::Title));
    m_text->setWordWrap(true);
    m_edit->setMinimumHeight(8 * themeSize("codeLine"));
    m_edit->setFont(theme().font(TextStyle::Code));
    auto *row = new QHBoxLayout;
    row->setSpacing(theme().space(8));
    row->addWidget(m_choices, 1);
    row->addStretch();
    row->addWidget(m_accept);
    row->addWidget(m_decline);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme().space(12), theme().space(8), theme().space(12), theme().space(8));
    layout->setSpacing(theme().space(6));
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    layout->addWidget(m_edit);
    layout->addLayout(row);
    hide();
    connect(m_accept, &QPushButton::clicked, this,
            [this] { finish({true, m_choices->currentIndex(), m_edit->toPlainText()}); });
    connect(m_decline, &QPushButton::clicked, this, [this] { finish({}); });
}

void QuestionPanel::ask(const Question &question)
{
    m_kind = question.kind;
    m_title->setText(question.title);
    m_text->setText(question.text);
    m_text->setVisible(!question.text.isEmpty());
    m_choices->clear();
    m_choices->addItems(question.choices);
    m_choices->setVisible(question.kind == Question::Kind::Choose);
    m_edit->setPlainText(question.initial);
    m_edit->setVisible(question.kind == Question::Kind::Text || question.kind == Question::Kind::Code);
    m_accept->setText(question.kind == Question::Kind::Confirm ? tr("Yes") : tr("Answer"));
    show();
    (m_edit->isVisible()      ? static_cast<QWidget *>(m_edit)
     : m_choices->isVisible() ? static_cast<QWidget *>(m_choices)
                              : m_accept)
        ->setFocus();
}

void QuestionPanel::finish(Answer answer)
{
    hide();
    Q_EMIT answered(answer);
}

void QuestionPanel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("severity.infoFill"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
}

} // namespace kernelskill
