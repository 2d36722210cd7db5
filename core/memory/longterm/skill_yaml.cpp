// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_yaml.h"

#include <QRegularExpression>
#include <QSet>

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace kernelskill::yaml {

namespace {

constexpr int maximumDepth = 32;
constexpr int maximumNodes = 4096;

bool isPlain(const QString &text)
{
    static const QRegularExpression safe(QStringLiteral(
        "^[A-Za-z](?:[^\\x00-\\x1f\\x7f-\\xa0\"#&*!?|>'%@`{}\\[\\],:\\\\\\x{2028}\\x{2029}\\x{feff}]|:(?=[^ ]))*$"));
    static const QSet<QString> words{QStringLiteral("true"), QStringLiteral("false"), QStringLiteral("yes"),
                                     QStringLiteral("no"),   QStringLiteral("on"),    QStringLiteral("off"),
                                     QStringLiteral("null"), QStringLiteral("y"),     QStringLiteral("n")};
    return safe.match(text).hasMatch() && !text.endsWith(u' ') && !text.endsWith(u':') &&
           !words.contains(text.toLower());
}

struct Flow
{
    int nodes = 0;
    bool tooMuch = false;

    QString value(const YAML::Node &node, int depth)
    {
        if (depth > maximumDepth || ++nodes > maximumNodes) tooMuch = true;
        if (tooMuch) return {};
        switch (node.Type()) {
        case YAML::NodeType::Scalar: {
            const QString text = QString::fromStdString(node.Scalar());
            // yaml-cpp marks quoted and block scalars by the tag "!": they are texts. Plain ones keep their type, which
            // is that of their spelling (true, 1.0, 2026-01-01).
            return node.Tag() == "!" || !isOneWord(text) ? quoted(text) : text;
        }
        case YAML::NodeType::Sequence: {
            QStringList parts;
            for (const YAML::Node &element : node)
                parts.append(value(element, depth + 1));
            return u'[' + parts.join(QStringLiteral(", ")) + u']';
        }
        case YAML::NodeType::Map: {
            QStringList parts;
            for (const auto &entry : node)
                parts.append(value(entry.first, depth + 1) + QStringLiteral(": ") + value(entry.second, depth + 1));
            return u'{' + parts.join(QStringLiteral(", ")) + u'}';
        }
        default:
            return QStringLiteral("null");
        }
    }

    static bool isOneWord(const QString &text)
    {
        static const QRegularExpression word(QStringLiteral("^[A-Za-z0-9+.][A-Za-z0-9+._/-]*$|^-[0-9.][0-9.eE+-]*$"));
        return word.match(text).hasMatch() || (isPlain(text) && !text.contains(u':'));
    }
};

} // namespace

std::optional<QString> flow(const YAML::Node &node)
{
    Flow flow;
    const QString text = flow.value(node, 0);
    if (flow.tooMuch) return std::nullopt;
    return text;
}

QString scalar(const QString &text)
{
    return isPlain(text) ? text : quoted(text);
}

QString quoted(const QString &text)
{
    QString result(u'"');
    for (const QChar character : text) {
        const char16_t code = character.unicode();
        if (code == u'"' || code == u'\\')
            result += QStringLiteral("\\") + character;
        else if (code == u'\n')
            result += QStringLiteral("\\n");
        else if (code == u'\t')
            result += QStringLiteral("\\t");
        else if (code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff)
            result += QStringLiteral("\\u%1").arg(int(code), 4, 16, QLatin1Char('0'));
        else
            result += character;
    }
    return result + u'"';
}

QString block(const QStringList &items, int indent)
{
    const bool clean = std::ranges::all_of(items, [](const QString &item) {
        return std::ranges::none_of(item, [](QChar c) {
            return c.unicode() < 0x20 || (c.unicode() >= 0x7f && c.unicode() <= 0xa0) || c.unicode() == 0x2028 ||
                   c.unicode() == 0x2029 || c.unicode() == 0xfeff;
        });
    });
    if (!clean) return quoted(items.join(u'\n') + u'\n');
    QString result(u'|');
    for (const QString &item : items)
        result += u'\n' + QString(indent + 2, u' ') + item;
    return result;
}

} // namespace kernelskill::yaml
