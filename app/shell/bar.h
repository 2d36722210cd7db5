// SPDX-License-Identifier: Apache-2.0
// A strip of fixed height over a panel: title, controls, a line below.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace kernelskill {

class Bar : public QWidget
{
    Q_OBJECT
public:
    explicit Bar(int height, QWidget *parent = nullptr);
    QLabel *addTitle(const QString &text);
    QLabel *addText(const QString &text); // secondary
    QToolButton *addButton(const QString &icon, const QString &tip);
    void add(QWidget *widget, int stretch = 0);
    void addStretch();
    void addSpace(int pixels);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QHBoxLayout *m_layout;
};

// A label that gives up its end when there is no room, with the whole text in its tooltip.
class ElidedLabel : public QWidget
{
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget *parent = nullptr);
    void setText(const QString &text);
    [[nodiscard]] QString text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
};

} // namespace kernelskill
