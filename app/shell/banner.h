// SPDX-License-Identifier: Apache-2.0
// One line across the window: what happened, its code, what still works; and one action that mends it. Instead of
// dialogs.
#pragma once

#include "base/result.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;

namespace kernelskill {

class ElidedLabel;

class Banner : public QWidget
{
    Q_OBJECT
public:
    enum class Severity { Info, Warning, Error };
    explicit Banner(QWidget *parent = nullptr);

    // An empty action shows no button.
    void show(Severity severity, const QString &text, const QString &detail = {}, const QString &actionText = {},
              std::function<void()> action = {});
    void show(const Error &error); // with "Copy details" where there are any

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Severity m_severity = Severity::Info;
    ElidedLabel *m_text;
    QPushButton *m_button;
    std::function<void()> m_action;
};

} // namespace kernelskill
