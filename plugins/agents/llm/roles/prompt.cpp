// SPDX-License-Identifier: Apache-2.0
#include "roles/prompt.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSaveFile>

static void initialiseResources()
{
    Q_INIT_RESOURCE(llm);
}

namespace kernelskill::llm {

namespace {

const QRegularExpression &placeholder()
{
    static const QRegularExpression expression(QStringLiteral("\\{\\{([a-z_]+)\\}\\}"));
    return expression;
}

Result<QString> readText(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure("prompt.read", QStringLiteral("%1: cannot be read: %2").arg(path, file.errorString()));
    return QString::fromUtf8(file.readAll());
}

int lineOf(const QString &text, qsizetype position)
{
    return int(text.left(position).count(u'\n')) + 1;
}

} // namespace

QJsonObject Prompt::facts() const
{
    return {{"name", name}, {"version", version}, {"digest", digest}};
}

Result<Prompt> parsePrompt(const QString &name, const QString &text, const QString &source, const QStringList &known)
{
    static const QRegularExpression head(QStringLiteral("\\A---\\nversion: (\\d+)\\n---\\n"));
    const auto front = head.match(text);
    if (!front.hasMatch())
        return failure(
            "prompt.syntax",
            QStringLiteral("%1:1: expected the lines ---, version: NUMBER, --- at its beginning").arg(source));
    for (auto match = placeholder().globalMatch(text); match.hasNext();) {
        const auto found = match.next();
        if (known.contains(found.captured(1))) continue;
        return failure("prompt.syntax", QStringLiteral("%1:%2: there is no {{%3}} here; known are %4")
                                            .arg(source)
                                            .arg(lineOf(text, found.capturedStart()))
                                            .arg(found.captured(1), known.join(QStringLiteral(", "))));
    }
    Prompt prompt;
    prompt.name = name;
    prompt.version = front.captured(1).toInt();
    prompt.digest =
        QString::fromLatin1(QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex().left(16));
    const QString body = text.mid(front.capturedEnd());
    const QString mark = QStringLiteral("\n=== user ===\n");
    const qsizetype split = body.indexOf(mark);
    prompt.system = (split < 0 ? body : body.left(split)).trimmed();
    if (split < 0 && name != u"common")
        return failure(
            "prompt.syntax",
            QStringLiteral("%1: the line === user === is missing, below which stands what differs from call to call")
                .arg(source));
    if (split >= 0) prompt.user = body.mid(split + mark.size()).trimmed();
    return prompt;
}

QString bundledPath(const QString &name)
{
    initialiseResources();
    return QStringLiteral(":/llm/") + name;
}

Result<Prompt> readPrompt(const QString &name, const QString &folder, const QStringList &known)
{
    const QString bundledFile = bundledPath(QStringLiteral("prompts/%1.md").arg(name));
    auto bundled = readText(bundledFile);
    if (!bundled) return std::unexpected(bundled.error());
    if (folder.isEmpty()) return parsePrompt(name, *bundled, bundledFile, known);
    const QString path = QDir(folder).filePath(name + QStringLiteral(".md"));
    if (!QFile::exists(path)) {
        if (!QDir().mkpath(folder))
            return failure("prompt.read",
                           QStringLiteral("%1: the folder cannot be made; name another with llm.prompts").arg(folder));
        QSaveFile copy(path);
        if (!copy.open(QIODevice::WriteOnly) || copy.write(bundled->toUtf8()) < 0 || !copy.commit())
            return failure("prompt.read",
                           QStringLiteral("%1: cannot be written: %2; name another folder with llm.prompts")
                               .arg(path, copy.errorString()));
    }
    auto own = readText(path);
    if (!own) return std::unexpected(own.error());
    return parsePrompt(name, own->replace(QStringLiteral("\r\n"), QStringLiteral("\n")), path, known);
}

QString filled(const QString &text, const Fillings &fillings)
{
    QString result;
    qsizetype end = 0;
    for (auto match = placeholder().globalMatch(text); match.hasNext();) {
        const auto found = match.next();
        result += QStringView(text).mid(end, found.capturedStart() - end);
        const QString filling = fillings.value(found.captured(1));
        end = found.capturedEnd();
        result += filling;
        // A paragraph of its own that came out empty takes its blank line along.
        if (filling.isEmpty() && (result.isEmpty() || result.endsWith(u'\n'))) {
            while (end < text.size() && text[end] == u'\n')
                ++end;
        }
    }
    result += QStringView(text).mid(end);
    return result.trimmed();
}

QString dataBlock(const QString &name, const QString &text)
{
    if (text.trimmed().isEmpty()) return {};
    const QByteArray digest =
        QCryptographicHash::hash((name + u'\n' + text).toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
    const QString id = QString::fromLatin1(digest);
    return QStringLiteral("<<<data %1 id=%2\n%3\ndata id=%2>>>").arg(name, id, QString(text).trimmed());
}

} // namespace kernelskill::llm
