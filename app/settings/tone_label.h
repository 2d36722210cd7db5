// SPDX-License-Identifier: Apache-2.0
// Wrapped words in a colour of the theme's, in whichever mode.
#pragma once

#include "settings/theme.h"

#include <QLabel>

namespace kernelskill {

class ToneLabel : public QLabel
{
public:
    explicit ToneLabel(const QString &role, QWidget *parent = nullptr) : QLabel(parent), m_role(role)
    {
        setWordWrap(true);
        setFont(theme().font(TextStyle::Caption));
        connect(&theme(), &Theme::changed, this, &ToneLabel::paint);
        paint();
    }
    void setTone(const QString &role)
    {
        m_role = role;
        paint();
    }

private:
    void paint()
    {
        QPalette words = theme().palette();
        words.setColor(QPalette::WindowText, theme().color(m_role));
        setPalette(words);
    }

    QString m_role;
};

} // namespace kernelskill
