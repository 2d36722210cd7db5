// SPDX-License-Identifier: Apache-2.0
// A question of an agent to the person, asked in the window rather than in a dialog: the run waits, the window does
// not. Code is not written here but in the editor: the panel says that it is wanted and leads there.
#pragma once

#include "agent/question.h"

#include <QWidget>

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace kernelskill {

class PredictionForm;

class QuestionPanel : public QWidget
{
    Q_OBJECT
public:
    explicit QuestionPanel(QWidget *parent = nullptr);
    void ask(const Question &question);
    [[nodiscard]] const Question &question() const { return m_question; }
    void finish(Answer answer); // as the buttons do

Q_SIGNALS:
    void answered(const kernelskill::Answer &answer);
    void editWanted(const kernelskill::Question &question);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void fillChoices();
    void showOwnPlan(); // room to write one, while that is what is chosen
    void labelButtons();
    [[nodiscard]] bool isShort() const; // its answer is a line
    [[nodiscard]] Answer given() const;

    Question m_question;
    QLabel *m_title, *m_text;
    QListWidget *m_choices;
    PredictionForm *m_prediction;
    QPlainTextEdit *m_edit;
    QPushButton *m_accept, *m_decline;
};

} // namespace kernelskill
