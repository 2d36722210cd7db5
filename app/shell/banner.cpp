// SPDX-License-Identifier: Apache-2.0
#include "shell/banner.h"

#include "settings/icons.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

const char *fillRole(Banner::Severity severity)
{
    return severity == Banner::Severity::Error     ? "severity.errorFill"
           : severity == Banner::Severity::Warning ? "severity.warnFill"
                                                   : "severity.infoFill";
}

QString textRole(Banner::Severity severity)
{
    return severity == Banner::Severity::Error     ? u"severity.errorText"_s
           : severity == Banner::Severity::Warning ? u"severity.warnText"_s
                                                   : u"severity.infoText"_s;
}

} // namespace

Banner::Banner(QWidget *parent) : QWidget(parent), m_text(new ElidedLabel), m_button(new QPushButton)
{
    setFixedHeight(themeSize("banner"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(30, 0, theme().space(6), 0);
    layout->setSpacing(theme().space(8));
    layout->addWidget(m_text, 1);
    layout->addWidget(m_button);
    auto *close = new QToolButton;
    close->setIcon(themedIcon(u"close"_s));
    close->setToolTip(tr("Dismiss"));
    close->setAutoRaise(true);
    layout->addWidget(close);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        const auto action = m_action; // which may show the next banner, with an action of its own
        if (action) action();
    });
    hide();
}

void Banner::show(Severity severity, const QString &text, const QString &detail, const QString &actionText,
                  std::function<void()> action)
{
    m_severity = severity;
    m_text->setText(text);
    m_text->setToolTip(detail.isEmpty() ? text : text + u"\n\n"_s + detail.left(2000));
    m_action = std::move(action);
    m_button->setText(actionText);
    m_button->setVisible(!actionText.isEmpty());
    QWidget::show();
    update();
}

void Banner::show(const Error &error)
{
    QString message = error.message;
    if (!message.isEmpty()) message[0] = message[0].toUpper();
    const QString text = error.code.isEmpty() ? message : u"%1 (%2)"_s.arg(message, error.code);
    const QString all = error.detail.isEmpty() ? text : text + u"\n\n"_s + error.detail;
    show(Severity::Error, text, error.detail, tr("Copy details"), [all] { QApplication::clipboard()->setText(all); });
}

void Banner::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor(fillRole(m_severity)));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
    const QIcon icon = themedIcon(m_severity == Severity::Info ? u"info"_s : u"warning"_s, textRole(m_severity));
    icon.paint(&painter, QRect(9, (height() - 14) / 2, 14, 14));
}

} // namespace kernelskill
