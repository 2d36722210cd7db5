// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>
#include <QStandardPaths>

namespace kernelskill::process {

namespace {

constexpr double longestTimeout_s = 86'400;

// One text, also where commas made a list of it.
QString textOf(const QJsonValue &value)
{
    if (!value.isArray()) return value.toVariant().toString().trimmed();
    QStringList parts;
    for (const QJsonValue &part : value.toArray())
        parts.append(part.toString());
    return parts.join(u',');
}

QStringList namesIn(const QJsonValue &value)
{
    QStringList names;
    for (const QString &name : textOf(value).split(u',', Qt::SkipEmptyParts)) {
        if (!name.trimmed().isEmpty()) names.append(name.trimmed());
    }
    return names;
}

Result<int> timeoutFrom(const QString &text)
{
    if (text.isEmpty()) return Settings{}.timeout_ms;
    bool isNumber = false;
    const double seconds = text.toDouble(&isNumber);
    if (isNumber && seconds >= 0.001 && seconds <= longestTimeout_s) return int(seconds * 1000);
    return failure("settings.value",
                   QStringLiteral("timeout_s of the agent 'process' is a number of seconds above 0 and up to %1, not “%2”")
                       .arg(longestTimeout_s).arg(text));
}

Result<std::optional<QList<Role>>> rolesFrom(const QStringList &names)
{
    if (names.isEmpty()) return std::optional<QList<Role>>();
    QList<Role> roles;
    for (const QString &name : names) {
        const auto role = roleFromString(name);
        if (!role) return failure("settings.value", QStringLiteral("roles of the agent 'process' names “%1”, which is no role").arg(name));
        roles.append(*role);
    }
    return std::optional(roles);
}

// A name with a slash is meant from the folder the program runs in, as a shell there would take it.
Result<QString> programFrom(const QString &name, const QString &folder)
{
    if (!name.contains(u'/')) {
        const QString found = QStandardPaths::findExecutable(name);
        if (!found.isEmpty()) return found;
        return failure("agent.program", QStringLiteral("the program “%1” of the agent 'process' is not installed").arg(name));
    }
    const QFileInfo file(QDir(folder), name);
    if (!file.exists()) return failure("agent.program", QStringLiteral("%1: there is no such program for the agent 'process'").arg(file.absoluteFilePath()));
    if (!file.isFile() || !file.isExecutable())
        return failure("agent.program", QStringLiteral("%1: not a file that can be executed; the agent 'process' needs a program").arg(file.absoluteFilePath()));
    return file.absoluteFilePath();
}

} // namespace

Result<QStringList> wordsOf(const QString &commandLine)
{
    QStringList words;
    QString word;
    bool inWord = false;
    QChar quote; // null outside of quotes
    for (qsizetype i = 0; i < commandLine.size(); ++i) {
        const QChar c = commandLine[i];
        const QChar next = i + 1 < commandLine.size() ? commandLine[i + 1] : QChar();
        const bool escapes = c == u'\\' && !next.isNull()
                             && (quote.isNull() || (quote == u'"' && QStringView(u"\"\\$`").contains(next)));
        if (escapes) {
            word.append(next);
            ++i;
        } else if (!quote.isNull() && c == quote) {
            quote = QChar();
        } else if (quote.isNull() && (c == u'"' || c == u'\'')) {
            quote = c;
        } else if (quote.isNull() && c.isSpace()) {
            if (inWord) words.append(word);
            word.clear();
            inWord = false;
            continue;
        } else {
            word.append(c);
        }
        inWord = true;
    }
    if (!quote.isNull()) return failure("settings.value", QStringLiteral("the quotation mark %1 is not closed in “%2”").arg(quote).arg(commandLine));
    if (inWord) words.append(word);
    return words;
}

Result<Settings> Settings::read(const QJsonObject &settings)
{
    Settings result;
    auto words = wordsOf(textOf(settings.value("command")));
    if (!words) return std::unexpected(words.error());
    if (words->isEmpty() || words->first().isEmpty()) {
        return failure("settings.value", QStringLiteral("the agent 'process' needs a command: --agent-option process.command=\"python3 planner.py\""));
    }
    result.folder = QDir::current().absoluteFilePath(textOf(settings.value("folder")));
    if (!QFileInfo(result.folder).isDir()) return failure("settings.value", QStringLiteral("%1: the folder of the agent 'process' is not there").arg(result.folder));
    auto program = programFrom(words->takeFirst(), result.folder);
    if (!program) return std::unexpected(program.error());
    result.program = *program;
    result.arguments = *words;
    auto timeout_ms = timeoutFrom(textOf(settings.value("timeout_s")));
    if (!timeout_ms) return std::unexpected(timeout_ms.error());
    result.timeout_ms = *timeout_ms;
    auto roles = rolesFrom(namesIn(settings.value("roles")));
    if (!roles) return std::unexpected(roles.error());
    result.roles = *roles;
    result.environment = namesIn(settings.value("environment"));
    return result;
}

bool namesASecret(const QString &variable)
{
    static const QRegularExpression ending(QStringLiteral("(^|_)(API)?(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS)$"),
                                           QRegularExpression::CaseInsensitiveOption);
    return ending.match(variable).hasMatch();
}

QProcessEnvironment withoutSecrets(const QProcessEnvironment &whole, const QStringList &kept)
{
    QProcessEnvironment left = whole;
    for (const QString &name : whole.keys()) {
        if (namesASecret(name) && !kept.contains(name)) left.remove(name);
    }
    return left;
}

} // namespace kernelskill::process
