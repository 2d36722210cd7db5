// SPDX-License-Identifier: Apache-2.0
#include "shell/question_panel.h"

#include "settings/theme.h"
#include "shell/prediction_form.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int mostRows = 7; // of a list before it scrolls

// Who is asked, in the words of the cast.
QString roleTitle(const QString &role)
{
    if (role == "planner"_L1) return QuestionPanel::tr("You plan");
    if (role == "optimizer"_L1) return QuestionPanel::tr("You write the code");
    if (role == "diagnoser"_L1) return QuestionPanel::tr("You diagnose");
    if (role == "repairer"_L1) return QuestionPanel::tr("You repair");
    if (role == "generator"_L1) return QuestionPanel::tr("You begin");
    if (role == "features"_L1) return QuestionPanel::tr("You name the features");
    return {};
}

} // namespace

QuestionPanel::QuestionPanel(QWidget *parent)
    : QWidget(parent), m_title(new QLabel), m_text(new QLabel), m_choices(new QListWidget),
      m_prediction(new PredictionForm), m_edit(new QPlainTextEdit),
      m_accept(new QPushButton), m_decline(new QPushButton)
{
    setAccessibleName(tr("Question to you"));
    m_title->setFont(theme().font(TextStyle::Title));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_choices->setAccessibleName(tr("Choices"));
    m_choices->setUniformItemSizes(true);
    m_edit->setAccessibleName(tr("Your answer"));
    m_edit->setFixedHeight(5 * themeSize("codeLine"));
    m_edit->setFont(theme().font(TextStyle::Code));
    auto *row = new QHBoxLayout;
    row->setSpacing(theme().space(8));
    row->addWidget(m_accept);
    row->addWidget(m_decline);
    row->addStretch();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme().space(12), theme().space(8), theme().space(12), theme().space(8));
    layout->setSpacing(theme().space(6));
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    auto *sides = new QHBoxLayout;
    sides->setSpacing(theme().space(16));
    sides->addWidget(m_choices, 1, Qt::AlignTop);
    sides->addWidget(m_prediction, 1, Qt::AlignTop);
    layout->addLayout(sides);
    layout->addWidget(m_edit);
    layout->addLayout(row);
    m_edit->installEventFilter(this);
    hide();
    connect(m_accept, &QPushButton::clicked, this, [this] {
        if (m_question.kind == Question::Kind::Code)
            Q_EMIT editWanted(m_question);
        else
            finish(given());
    });
    connect(m_choices, &QListWidget::currentRowChanged, this, &QuestionPanel::showOwnPlan);
    connect(m_choices, &QListWidget::itemActivated, m_accept, &QPushButton::click);
    connect(m_decline, &QPushButton::clicked, this, [this] { finish({}); });
}

void QuestionPanel::ask(const Question &question)
{
    m_question = question;
    const QString who = question.kind == Question::Kind::Plan ? tr("Stopped at the plan") : roleTitle(question.role);
    m_title->setText(who.isEmpty() ? question.title : u"%1 · %2"_s.arg(who, question.title));
    const bool isCode = question.kind == Question::Kind::Code;
    m_text->setText(isCode ? question.text.section(u"\n\n"_s, 0, 0) : question.text.left(1200));
    m_text->setVisible(!m_text->text().isEmpty());
    fillChoices();
    m_prediction->setVisible(question.kind == Question::Kind::Plan);
    if (question.kind == Question::Kind::Plan) m_prediction->setCounters(question.counters);
    m_edit->setPlainText(question.initial);
    m_edit->setVisible(question.kind == Question::Kind::Text);
    m_edit->setFixedHeight((isShort() ? 2 : 5) * themeSize("codeLine"));
    labelButtons();
    show();
    (m_edit->isVisible()      ? static_cast<QWidget *>(m_edit)
     : m_choices->isVisible() ? static_cast<QWidget *>(m_choices)
                              : m_accept)
        ->setFocus();
}

// No part of the cast that a person plays, but something to be known: a price.
bool QuestionPanel::isShort() const
{
    return m_question.kind == Question::Kind::Text && m_question.role.isEmpty() && !m_question.initial.contains(u'\n');
}

bool QuestionPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress && isShort()) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            m_accept->click();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void QuestionPanel::labelButtons()
{
    const Question::Kind kind = m_question.kind;
    m_accept->setText(kind == Question::Kind::Code      ? tr("Edit the code")
                      : kind == Question::Kind::Confirm ? tr("Yes")
                      : kind == Question::Kind::Plan    ? tr("Go on with it")
                                                        : tr("Answer"));
    m_decline->setText(kind == Question::Kind::Confirm        ? tr("No")
                       : kind == Question::Kind::Plan         ? tr("As planned, without a prediction")
                       : m_question.role == "planner"_L1      ? tr("Leave it to the ranking")
                                                              : tr("Decline"));
}

void QuestionPanel::showOwnPlan()
{
    if (m_question.kind != Question::Kind::Plan) return;
    const bool own = m_choices->count() > 1 && m_choices->currentRow() == m_choices->count() - 1;
    m_edit->setVisible(own);
    m_edit->setPlaceholderText(tr("What should be done? The first words become the plan's name."));
}

void QuestionPanel::fillChoices()
{
    m_choices->clear();
    const bool plans = m_question.kind == Question::Kind::Plan;
    m_choices->setVisible(plans || m_question.kind == Question::Kind::Choose);
    for (qsizetype i = 0; i < m_question.choices.size(); ++i) {
        const QString detail = m_question.details.value(i);
        const QString name = plans && i == m_question.proposed ? tr("%1 (planned)").arg(m_question.choices[i]) : m_question.choices[i];
        m_choices->addItem(detail.isEmpty() ? name : u"%1   –   %2"_s.arg(name, detail));
        m_choices->item(int(i))->setToolTip(detail);
    }
    const int rows = std::clamp(m_choices->count(), 1, mostRows);
    m_choices->setFixedHeight(rows * std::max(themeSize("row"), m_choices->sizeHintForRow(0)) + 2);
    m_choices->setCurrentRow(plans ? std::max(0, m_question.proposed) : 0);
}

Answer QuestionPanel::given() const
{
    const bool plans = m_question.kind == Question::Kind::Plan;
    const bool chooses = plans || m_question.kind == Question::Kind::Choose;
    return {!chooses || m_choices->currentRow() >= 0, chooses ? m_choices->currentRow() : 0, m_edit->toPlainText(),
            plans ? m_prediction->prediction() : Prediction{}};
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
