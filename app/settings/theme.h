// SPDX-License-Identifier: Apache-2.0
// Colours, sizes and fonts of the window, all from resources/themes/workbench.json. UI thread.
#pragma once

#include <QColor>
#include <QFont>
#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QPalette>

namespace kernelskill {

enum class ThemeMode { System, Light, Dark };
enum class TextStyle { Caption, Body, Strong, Title, Heading, Code };

class Theme : public QObject
{
    Q_OBJECT
public:
    // The one theme of the program; loads the tokens at first use and ends the program with a message when they are
    // missing or broken, since nothing can be painted without them.
    static Theme &instance();

    void setMode(ThemeMode mode); // System follows the desktop and its changes
    [[nodiscard]] bool isDark() const { return m_dark; }

    // "state.verified"; an unknown role is a programming error: it warns and gives magenta.
    [[nodiscard]] QColor color(const QString &role) const { return color(role, m_dark); }
    [[nodiscard]] QColor color(const QString &role, bool dark) const;
    [[nodiscard]] QStringList roles() const;
    [[nodiscard]] int size(const QString &name) const;      // "row" → 22
    [[nodiscard]] double stroke(const QString &name) const; // "bestPath" → 2
    [[nodiscard]] int radius(const QString &name) const;    // "card" → 3
    [[nodiscard]] int space(int pixels) const;              // a step of the spacing scale; warns when it is none
    [[nodiscard]] QJsonObject graph() const { return m_tokens[QStringLiteral("graph")].toObject(); }
    [[nodiscard]] const QJsonObject &tokens() const { return m_tokens; }
    [[nodiscard]] const QFont &font(TextStyle style) const;
    [[nodiscard]] int lineHeight(TextStyle style) const;
    [[nodiscard]] QPalette palette() const;

    // Style, palette and font of the application, now and after each change.
    void applyToApplication();

Q_SIGNALS:
    void changed();

private:
    Theme();
    void followSystem();
    void setDark(bool dark);

    QJsonObject m_tokens;
    QHash<QString, QColor> m_light, m_darkColors;
    QHash<int, QFont> m_fonts;
    ThemeMode m_mode = ThemeMode::System;
    bool m_dark = false;
};

[[nodiscard]] inline Theme &theme()
{
    return Theme::instance();
}
// Shorthand for painting code.
[[nodiscard]] inline QColor themeColor(const char *role)
{
    return Theme::instance().color(QString::fromLatin1(role));
}
[[nodiscard]] inline int themeSize(const char *name)
{
    return Theme::instance().size(QString::fromLatin1(name));
}
// Relative luminance contrast after WCAG 2.1, 1…21.
[[nodiscard]] double contrastRatio(const QColor &a, const QColor &b);

} // namespace kernelskill
