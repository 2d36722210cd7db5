// SPDX-License-Identifier: Apache-2.0
// The log as a list that stays at its end while it is there, and from which rows can be copied.
#pragma once

#include "models/log_model.h"

#include <QListView>

namespace kernelskill {

class LogPanel : public QListView
{
    Q_OBJECT
public:
    explicit LogPanel(SessionDocument *document, QWidget *parent = nullptr);
    void note(const QString &text) { m_model->note(text); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    LogModel *m_model;
    bool m_atEnd = true; // before rows came
};

} // namespace kernelskill
