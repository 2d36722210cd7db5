// SPDX-License-Identifier: Apache-2.0
// A glyph and words: what the run does.
#pragma once

#include "session/trajectory.h"

#include <QWidget>

namespace kernelskill {

class StateLabel : public QWidget
{
    Q_OBJECT
public:
    explicit StateLabel(QWidget *parent = nullptr);
    void setState(std::optional<NodeState> state, const QString &text);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::optional<NodeState> m_state;
    QString m_text;
};

} // namespace kernelskill
