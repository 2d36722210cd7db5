// SPDX-License-Identifier: Apache-2.0
#include "settings/theme.h"

#include "base/paths.h"
#include "settings/workbench_style.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStyleHints>
#include <QToolTip>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QHash<QString, QColor> readColors(const QJsonObject &groups)
{
    QHash<QString, QColor> colors;
    for (auto group = groups.begin(); group != groups.end(); ++group) {
        const QJsonObject members = group->toObject();
        for (auto member = members.begin(); member != members.end(); ++member)
            colors.insert(group.key() + u'.' + member.key(), QColor(member->toString()));
    }
    return colors;
}

QString scaleName(TextStyle style)
{
    switch (style) {
    case TextStyle::Caption:
        return u"caption"_s;
    case TextStyle::Body:
        return u"body"_s;
    case TextStyle::Strong:
        return u"strong"_s;
    case TextStyle::Title:
        return u"title"_s;
    case TextStyle::Heading:
        return u"heading"_s;
    case TextStyle::Code:
        return u"code"_s;
    }
    return {};
}

QStringList families(const QJsonValue &list)
{
    QStringList names;
    for (const QJsonValue &name : list.toArray())
        names.append(name.toString());
    return names;
}

double channel(double value)
{
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

} // namespace

double contrastRatio(const QColor &a, const QColor &b)
{
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

Theme &Theme::instance()
{
    static Theme theme;
    return theme;
}

Theme::Theme()
{
    const QString path = paths::resources() + u"/themes/workbench.json"_s;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("The theme %s cannot be read: %s", qUtf8Printable(path), qUtf8Printable(file.errorString()));
    QJsonParseError error;
    m_tokens = QJsonDocument::fromJson(file.readAll(), &error).object();
    if (error.error != QJsonParseError::NoError)
        qFatal("The theme %s is broken at byte %d: %s", qUtf8Printable(path), error.offset,
               qUtf8Printable(error.errorString()));
    const QJsonObject themes = m_tokens["themes"_L1].toObject();
    m_light = readColors(themes["light"_L1].toObject());
    m_darkColors = readColors(themes["dark"_L1].toObject());

    const QJsonObject type = m_tokens["type"_L1].toObject();
    for (const TextStyle style : {TextStyle::Caption, TextStyle::Body, TextStyle::Strong, TextStyle::Title,
                                  TextStyle::Heading, TextStyle::Code}) {
        const QJsonObject entry = type["scale"_L1][scaleName(style)].toObject();
        QFont font;
        font.setFamilies(families(type[style == TextStyle::Code ? "mono"_L1 : "ui"_L1]));
        font.setPixelSize(entry["px"_L1].toInt());
        font.setWeight(QFont::Weight(entry["weight"_L1].toInt(QFont::Normal)));
        if (style == TextStyle::Code) font.setStyleHint(QFont::Monospace);
        m_fonts.insert(int(style), font);
    }
}

void Theme::setMode(ThemeMode mode)
{
    m_mode = mode;
    followSystem();
}

void Theme::followSystem()
{
    if (m_mode == ThemeMode::System)
        setDark(QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark);
    else
        setDark(m_mode == ThemeMode::Dark);
}

void Theme::setDark(bool dark)
{
    if (dark == m_dark) return;
    m_dark = dark;
    if (qApp) {
        QApplication::setPalette(palette());
        QToolTip::setPalette(palette());
    }
    Q_EMIT changed();
}

QColor Theme::color(const QString &role, bool dark) const
{
    const auto &colors = dark ? m_darkColors : m_light;
    const auto found = colors.constFind(role);
    if (found == colors.constEnd()) {
        qWarning("No colour role %s", qUtf8Printable(role));
        return Qt::magenta;
    }
    return *found;
}

QStringList Theme::roles() const
{
    QStringList names = m_light.keys();
    names.sort();
    return names;
}

int Theme::size(const QString &name) const
{
    const QJsonValue value = m_tokens["size"_L1][name];
    if (!value.isDouble()) qWarning("No size %s", qUtf8Printable(name));
    return value.toInt();
}

double Theme::stroke(const QString &name) const
{
    const QJsonValue value = m_tokens["stroke"_L1][name];
    if (!value.isDouble()) qWarning("No stroke %s", qUtf8Printable(name));
    return value.toDouble();
}

int Theme::radius(const QString &name) const
{
    const QJsonValue value = m_tokens["radius"_L1][name];
    if (!value.isDouble()) qWarning("No radius %s", qUtf8Printable(name));
    return value.toInt();
}

int Theme::space(int pixels) const
{
    for (const QJsonValue &step : m_tokens["spacing"_L1].toArray()) {
        if (step.toInt() == pixels) return pixels;
    }
    qWarning("%d is no step of the spacing scale", pixels);
    return pixels;
}

const QFont &Theme::font(TextStyle style) const
{
    return *m_fonts.constFind(int(style));
}

int Theme::lineHeight(TextStyle style) const
{
    return m_tokens["type"_L1]["scale"_L1][scaleName(style)]["line"_L1].toInt();
}

QPalette Theme::palette() const
{
    static const QHash<QString, QPalette::ColorRole> roles{{u"Window"_s, QPalette::Window},
                                                           {u"WindowText"_s, QPalette::WindowText},
                                                           {u"Base"_s, QPalette::Base},
                                                           {u"AlternateBase"_s, QPalette::AlternateBase},
                                                           {u"Text"_s, QPalette::Text},
                                                           {u"PlaceholderText"_s, QPalette::PlaceholderText},
                                                           {u"Button"_s, QPalette::Button},
                                                           {u"ButtonText"_s, QPalette::ButtonText},
                                                           {u"ToolTipBase"_s, QPalette::ToolTipBase},
                                                           {u"ToolTipText"_s, QPalette::ToolTipText},
                                                           {u"Highlight"_s, QPalette::Highlight},
                                                           {u"HighlightedText"_s, QPalette::HighlightedText},
                                                           {u"Accent"_s, QPalette::Accent},
                                                           {u"Link"_s, QPalette::Link},
                                                           {u"LinkVisited"_s, QPalette::LinkVisited},
                                                           {u"BrightText"_s, QPalette::BrightText},
                                                           {u"Light"_s, QPalette::Light},
                                                           {u"Midlight"_s, QPalette::Midlight},
                                                           {u"Mid"_s, QPalette::Mid},
                                                           {u"Dark"_s, QPalette::Dark},
                                                           {u"Shadow"_s, QPalette::Shadow}};
    QPalette palette;
    const QJsonObject entries = m_tokens["qpalette"_L1].toObject();
    const auto set = [&](bool qualified) {
        for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
            const QStringList parts = entry.key().split(u'/');
            if ((parts.size() > 1) != qualified) continue;
            const auto role = roles.constFind(parts.last());
            if (role == roles.constEnd()) {
                qWarning("No palette role %s", qUtf8Printable(entry.key()));
                continue;
            }
            const QColor value = color(entry->toString());
            if (!qualified)
                palette.setColor(*role, value);
            else
                palette.setColor(parts.first() == "Disabled"_L1 ? QPalette::Disabled : QPalette::Inactive, *role,
                                 value);
        }
    };
    set(false);
    set(true);
    return palette;
}

void Theme::applyToApplication()
{
    QApplication::setStyle(new WorkbenchStyle);
    QApplication::setFont(font(TextStyle::Body));
    QApplication::setPalette(palette());
    QToolTip::setFont(font(TextStyle::Body));
    QToolTip::setPalette(palette());
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, &Theme::followSystem,
            Qt::UniqueConnection);
    followSystem();
}

} // namespace kernelskill
