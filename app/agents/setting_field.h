// SPDX-License-Identifier: Apache-2.0
// One setting of a form: its name, a field, and below it what is wrong with it or, while it has the focus, what it is for.
#pragma once

#include "agents/form_field.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QPushButton;

namespace kernelskill {

class ChoiceList;
class ToneLabel;

class SettingField : public QWidget
{
    Q_OBJECT
public:
    explicit SettingField(const FormField &field, QWidget *parent = nullptr);
    [[nodiscard]] const FormField &field() const { return m_field; }
    [[nodiscard]] QString text() const;
    void setText(const QString &text); // as it is stored: no change of a person's
    [[nodiscard]] QString mistake() const { return mistakeIn(m_field, text()); }
    [[nodiscard]] ChoiceList *list() const { return m_list; }
    [[nodiscard]] QWidget *editor() const;
    // What a person reads under the field now.
    [[nodiscard]] QString hint() const;

Q_SIGNALS:
    void edited();
    void listWanted();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeEditor(class QHBoxLayout *row);
    void showHint();

    FormField m_field;
    QLineEdit *m_line = nullptr;
    QComboBox *m_box = nullptr;
    QPushButton *m_listButton = nullptr;
    ChoiceList *m_list = nullptr;
    ToneLabel *m_hint;
    bool m_touched = false;
};

} // namespace kernelskill
