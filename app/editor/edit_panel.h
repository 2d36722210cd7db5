// SPDX-License-Identifier: Apache-2.0
// Editing a candidate in place of the diff: what is edited and why, the code with the compiler's word on it as one types,
// and the button that hands it in.
#pragma once

#include "evaluation/evaluation.h"
#include "task/candidate.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTimer;

namespace kernelskill {

class CodeEditor;
class ElidedLabel;

struct EditOrder
{
    QString title;      // "Edit from node 6"
    QString advice;     // what it is for; may be empty
    QString hint;       // on the button: "Evaluate"
    Candidate candidate; // whose main file is edited
};

class EditPanel : public QWidget
{
    Q_OBJECT
public:
    explicit EditPanel(QWidget *parent = nullptr);

    void begin(const EditOrder &order);
    void setText(const QString &text); // as if it had been typed
    [[nodiscard]] bool isEditing() const { return m_editing; }
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] CodeEditor *editor() const { return m_editor; }
    // The candidate with the text as it is now, without what belonged to the old one.
    [[nodiscard]] Candidate edited() const;
    // The compiler's answer to a ticket; an older one than the last asked for is dropped.
    void showCompiled(int ticket, const QList<Finding> &findings, const QString &trouble);
    void finish(); // done with it, whatever came of it

Q_SIGNALS:
    void submitted(const kernelskill::Candidate &candidate);
    void cancelled();
    void compileWanted(int ticket, const kernelskill::Candidate &candidate);

private:
    void textChanged();
    void setStatus(const QString &text, const char *role);

    EditOrder m_order;
    ElidedLabel *m_title, *m_advice;
    QLabel *m_status;
    QPushButton *m_submit, *m_cancel, *m_goTo;
    CodeEditor *m_editor;
    QTimer *m_pause; // after the last key
    int m_ticket = 0, m_firstError = -1;
    bool m_editing = false;
};

} // namespace kernelskill
