// SPDX-License-Identifier: Apache-2.0
// Takes keys out of text: those that are known, however they are written, and what looks like one. It works on bytes, as
// Latin-1 characters, so that text cut anywhere and no text at all pass unharmed.
#include "secrets/secrets.h"

#include <QList>
#include <QMutex>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace kernelskill::secrets {

namespace {

constexpr qsizetype shortestKnown = 8;   // anything shorter is an everyday word
constexpr qsizetype longestSpelled = 200; // characters of a value that its pattern spells out; a pattern's size has limits
const QString redactedText = QStringLiteral("[redacted]");

// Hexadecimal digits in either case.
QString hex(uint value, int digits)
{
    QString pattern;
    for (const QChar c : QString::number(value, 16).rightJustified(digits, u'0'))
        pattern += c.isLetter() ? QStringLiteral("[%1%2]").arg(c, c.toUpper()) : QString(c);
    return pattern;
}

// One character: as it is, percent-encoded, or escaped as JSON does, once or several times over.
QString spellings(const QString &character)
{
    QString literal, percent, escaped;
    for (const char byte : character.toUtf8()) {
        literal += QRegularExpression::escape(QString(QLatin1Char(byte)));
        percent += u'%' + hex(uchar(byte), 2);
    }
    for (const QChar unit : character) escaped += QStringLiteral(R"(\\+u)") + hex(unit.unicode(), 4);
    const bool takesBackslash = character == u"\"" || character == u"/" || character == u"\\";
    const QString plain = takesBackslash ? QStringLiteral(R"(\\*)") + literal : literal;
    return QStringLiteral("(?:%1|%2|%3)").arg(plain, percent, escaped);
}

QRegularExpression patternOf(const QString &value)
{
    QString pattern;
    for (qsizetype i = 0; i < std::min(value.size(), longestSpelled);) {
        const qsizetype units = value.at(i).isHighSurrogate() && i + 1 < value.size() ? 2 : 1;
        pattern += spellings(value.mid(i, units));
        i += units;
    }
    if (value.size() > longestSpelled) pattern += QStringLiteral(R"([^\s"'&<>\\]*)");
    return QRegularExpression(pattern);
}

struct KnownValues
{
    QMutex mutex;
    QSet<QString> seen;
    QList<std::pair<qsizetype, QRegularExpression>> patterns; // longest value first: one may begin with another
};

KnownValues &knownValues()
{
    static KnownValues values;
    return values;
}

// What looks like a key. A first group stays.
const QList<QRegularExpression> &looks()
{
    // Before a key stands no letter or digit, unless it ends an escape.
    static const QString start = QStringLiteral(R"((?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})))");
    static const QString quote = QStringLiteral(R"((?:\\*["'])?)");
    static const QString assigned = quote + QStringLiteral(R"(\s*[:=]\s*)") + quote;
    static const QString token = QStringLiteral("[A-Za-z0-9._~+/=%-]");
    static const QString withDigit = QStringLiteral("(?=%1*[0-9])").arg(token);
    const auto anyCase = QRegularExpression::CaseInsensitiveOption;
    static const QList<QRegularExpression> all{
        QRegularExpression(QStringLiteral("()") + start + QStringLiteral(R"((?:sk|rk|pk)-(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{16,})")),
        QRegularExpression(QStringLiteral("()") + start +
                           QStringLiteral(R"((?:AIza|AQ\.|gsk_|hf_|xai-|pplx-|nvapi-|r8_|tgp_v1_|gh[pousr]_|github_pat_|glpat-|ya29\.)[A-Za-z0-9._-]{20,})")),
        QRegularExpression(QStringLiteral("()") + start + QStringLiteral(R"(AKIA[0-9A-Z]{16})")),
        QRegularExpression(QStringLiteral("()") + start + QStringLiteral(R"(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,})")),
        QRegularExpression(QStringLiteral(R"(((?:proxy-)?authorization%1(?:(?:bearer|basic|token)\s+)?)[^\s"',;\\]+)").arg(assigned), anyCase),
        QRegularExpression(QStringLiteral(R"((\bbearer(?:\s+|%20|\+))%1%2{8,})").arg(withDigit, token), anyCase),
        QRegularExpression(QStringLiteral(R"(((?:x-goog-api-key|x-api-key|\bapi-key)%1)[^\s"',;&\\]{4,})").arg(assigned), anyCase),
        QRegularExpression(QStringLiteral(R"((\b(?:[a-z0-9]+_)*(?:api_?key|access_?token|auth_?token|client_?secret|secret_?key)%1)%2%3{12,})")
                               .arg(assigned, withDigit, token), anyCase),
        QRegularExpression(QStringLiteral(R"(([?&](?:key|api[_-]?key|access_token|token|sig|signature|password)=)[^&\s"'#<>\\]+)"), anyCase),
        QRegularExpression(QStringLiteral(R"((://[^\s/:@"'\\]*:)[^\s/@"'\\]+(?=@))")),
    };
    return all;
}

} // namespace

void alsoRedact(const QString &value)
{
    const QString key = value.trimmed();
    if (key.size() < shortestKnown) return;
    KnownValues &known = knownValues();
    const QMutexLocker lock(&known.mutex);
    if (known.seen.contains(key)) return;
    known.seen.insert(key);
    const auto shorter = std::ranges::find_if(known.patterns, [&](const auto &one) { return one.first < key.size(); });
    known.patterns.insert(shorter, {key.size(), patternOf(key)});
}

QByteArray redacted(QByteArray text)
{
    KnownValues &known = knownValues();
    known.mutex.lock();
    const auto patterns = known.patterns;
    known.mutex.unlock();
    QString latin = QString::fromLatin1(text);
    for (const auto &[length, pattern] : patterns)
        if (text.size() >= length) latin.replace(pattern, redactedText);
    for (const QRegularExpression &look : looks()) latin.replace(look, QStringLiteral(R"(\1)") + redactedText);
    return latin.toLatin1();
}

QString redacted(const QString &text)
{
    const QByteArray bytes = text.toUtf8();
    const QByteArray clean = redacted(bytes);
    return clean == bytes ? text : QString::fromUtf8(clean); // unchanged text stays itself, lone surrogates and all
}

} // namespace kernelskill::secrets
