// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/package_check.h"

#include <QStringList>

#include <algorithm>

namespace kernelskill {

namespace {

constexpr qsizetype maximumComponentBytes = 255, maximumPathBytes = 1024;
constexpr qint64 ratioMattersFrom = 4 << 20;

QString shown(const QString &path)
{
    QString text = path.left(120);
    for (QChar &character : text) {
        if (!character.isPrint()) character = QChar(0xfffd);
    }
    return text;
}

// Two names that some file system or some reader takes for the same one.
QString folded(const QString &path)
{
    return path.normalized(QString::NormalizationForm_KC).toCaseFolded().normalized(QString::NormalizationForm_KC);
}

QString badComponent(const QString &component)
{
    if (component.isEmpty()) return QStringLiteral("an empty name");
    if (component == QLatin1String(".") || component == QLatin1String(".."))
        return QStringLiteral("'%1' in a path").arg(component);
    if (component.toUtf8().size() > maximumComponentBytes) return QStringLiteral("a name of more than 255 bytes");
    if (component.endsWith(u'.') || component.endsWith(u' ') || component.startsWith(u' '))
        return QStringLiteral("a name that begins or ends in a blank or ends in a dot");
    for (const QChar character : component) {
        if (character == u'\\') return QStringLiteral("a backslash in a name");
        if (character == u':') return QStringLiteral("a colon in a name");
        if (character.category() == QChar::Other_Control || character.category() == QChar::Other_Format)
            return QStringLiteral("an invisible character in a name");
        if (character == QChar::ReplacementCharacter) return QStringLiteral("a name that is not UTF-8");
    }
    return {};
}

} // namespace

std::unexpected<Error> PackageCheck::refuse(const QString &path, const QString &rule) const
{
    return failure("package.unsafe",
                   QStringLiteral("%1: refused, nothing was taken in: '%2' has %3; pack the skill anew without it")
                       .arg(m_source, shown(path), rule));
}

Result<void> PackageCheck::add(const QString &path, bool isFolder)
{
    m_fileBytes = 0;
    if (++m_entries > m_limits.entries) {
        return failure(
            "package.limit",
            QStringLiteral("%1: refused, nothing was taken in: more than %2 entries; import fewer skills at once")
                .arg(m_source)
                .arg(m_limits.entries));
    }
    if (path.startsWith(u'/')) return refuse(path, QStringLiteral("an absolute path"));
    if (path.toUtf8().size() > maximumPathBytes) return refuse(path, QStringLiteral("a path of more than 1024 bytes"));
    const QStringList components = path.split(u'/');
    for (const QString &component : components) {
        if (const QString rule = badComponent(component); !rule.isEmpty()) return refuse(path, rule);
    }
    QString prefix;
    for (qsizetype i = 0; i < components.size(); ++i) {
        prefix += (i ? QStringLiteral("/") : QString()) + components[i];
        const QString key = folded(prefix);
        const auto spelling = m_spellings.constFind(key);
        if (spelling != m_spellings.constEnd() && *spelling != prefix) {
            return refuse(
                path,
                QStringLiteral("a name that differs from '%1' in case or Unicode form only").arg(shown(*spelling)));
        }
        m_spellings.insert(key, prefix);
        const bool last = i + 1 == components.size();
        if (m_files.contains(key)) {
            return refuse(path, last ? QStringLiteral("the name of an entry before it")
                                     : QStringLiteral("a file where a folder should be"));
        }
        if (last && !isFolder && m_folders.contains(key)) return refuse(path, QStringLiteral("the name of a folder"));
        if (last && !isFolder)
            m_files.insert(key);
        else
            m_folders.insert(key);
    }
    return {};
}

Result<void> PackageCheck::addBytes(const QString &path, qint64 bytes)
{
    m_fileBytes += bytes;
    m_totalBytes += bytes;
    QString rule;
    if (m_fileBytes > m_limits.fileBytes)
        rule = QStringLiteral("'%1' has more than %2 MiB").arg(shown(path)).arg(m_limits.fileBytes >> 20);
    else if (m_totalBytes > m_limits.totalBytes)
        rule = QStringLiteral("its files have more than %1 MiB").arg(m_limits.totalBytes >> 20);
    else if (m_packedBytes > 0 && m_totalBytes > ratioMattersFrom &&
             m_totalBytes / m_packedBytes >= m_limits.unpackedPerPackedByte)
        rule = QStringLiteral("it unpacks to more than %1 times its size").arg(m_limits.unpackedPerPackedByte);
    else
        return {};
    return failure("package.limit",
                   QStringLiteral("%1: refused, nothing was taken in: %2; leave large files out").arg(m_source, rule));
}

} // namespace kernelskill
