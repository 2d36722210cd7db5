// SPDX-License-Identifier: Apache-2.0
// A skill's text under a person's hands: front matter with its gate, and the advice below it. What is wrong is said at
// its place as one types, with what may stand there instead; while anything is wrong it cannot be saved.
#pragma once

#include "models/skill_check.h"

#include <QWidget>

class QLineEdit;
class QListWidget;
class QTimer;

namespace kernelskill {

class CodeEditor;
class ElidedLabel;

// What a person has typed and not saved.
struct SkillEdit
{
    QString text, reason;
    int revision = 0; // it was begun on
};

class SkillEditor : public QWidget
{
    Q_OBJECT
public:
    explicit SkillEditor(QWidget *parent = nullptr);

    // `saved`: the text in use, for "changed"; `gates` may be null and outlives the editor.
    void begin(const QString &name, const SkillEdit &edit, const QString &saved, GateCheck *gates);
    void setGates(GateCheck *gates);
    void finish();
    [[nodiscard]] bool isEditing() const { return !m_name.isEmpty(); }
    [[nodiscard]] QString skill() const { return m_name; }
    [[nodiscard]] SkillEdit edit() const;
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] bool canSave() const;
    [[nodiscard]] const SkillCheck &check() const { return m_check; }
    [[nodiscard]] CodeEditor *editor() const { return m_editor; }
    [[nodiscard]] QListWidget *problems() const { return m_problems; }
    [[nodiscard]] QString status() const;
    void goToGate();
    void goToReason();
    void goToFirstError();
    void complete(); // names of the evidence that begin as the word at the cursor

Q_SIGNALS:
    void touched(); // text or reason changed, or what is wrong with them
    void saveWanted();
    void revertWanted();

private:
    void examine();
    void showFindings();
    void goTo(const SkillFinding &finding);

    QString m_name, m_saved;
    int m_revision = 0;
    GateCheck *m_gates = nullptr;
    SkillCheck m_check;
    CodeEditor *m_editor;
    ElidedLabel *m_status;
    QListWidget *m_problems;
    QLineEdit *m_reason;
    QTimer *m_pause; // long texts are examined after the last key
};

} // namespace kernelskill
