// SPDX-License-Identifier: Apache-2.0
// A question of an agent to the person, asked in the window rather than in a dialog: the run waits, the window does
// not.
#pragma once

#include "agent/question.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace kernelskill {

class QuestionPanel : public QWidget
{
    Q_OBJECT
public:
    explicit QuestionPanel(QWidget *parent = nullptr);
    void ask(const Question &question);

Q_SIGNALS:
    void answered(const kernelskill::Answer &answer);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void finish(Answer answer);
    Question::Kind m_kind = Question::Kind::Confirm;
    QLabel *m_title, *m_text;
    QComboBox *m_choices;
    QPlainTextEdit *m_edit;
    QPushButton *m_accept, *m_decline;
};

} // namespace kernelskill
