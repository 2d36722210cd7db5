// SPDX-License-Identifier: Apache-2.0
#include "build_cache.h"

#include "base/paths.h"
#include "task/translation_unit.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QUuid>

namespace kernelskill::simulator {

namespace {

constexpr int mostEntries = 400; // about 40 KiB each
constexpr int buildRules = 5;    // raise when flags or layout of an entry change

QStringList ptxIn(const QString &folder)
{
    QStringList paths;
    for (const QString &name : QDir(folder).entryList({QStringLiteral("*.ptx")}, QDir::Files, QDir::Name))
        paths.append(folder + u'/' + name);
    return paths;
}

// Sources and intermediate files serve nobody afterwards.
void removeIntermediates(const QString &folder)
{
    QDir(folder + QStringLiteral("/src")).removeRecursively();
    for (const QFileInfo &file : QDir(folder).entryInfoList(QDir::Files | QDir::Hidden)) {
        const bool kept = file.suffix() == QLatin1String("ptx") || file.fileName() == QLatin1String("candidate.so");
        if (!kept) QFile::remove(file.absoluteFilePath());
    }
}

void fill(BuildProduct &product, const QString &folder)
{
    product.folder = folder;
    product.ptx = ptxIn(folder);
    product.library = folder + QStringLiteral("/candidate.so");
}

} // namespace

BuildCache::BuildCache() : m_folder(paths::cacheFolder() + QStringLiteral("/simulator")) {}

QByteArray BuildCache::key(const BuildRequest &request)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArray::number(buildRules));
    hash.addData(request.candidate.digest());
    hash.addData(translationUnit(request.task, request.candidate).toUtf8());
    hash.addData((request.compiler.program + u'\n' + request.compiler.version).toUtf8());
    hash.addData(request.installation.digest());
    return hash.result().toHex();
}

bool BuildCache::find(const QByteArray &key, BuildProduct &product) const
{
    const QString folder = m_folder + u'/' + QString::fromLatin1(key);
    if (!QFileInfo::exists(folder + QStringLiteral("/candidate.so"))) return false;
    fill(product, folder);
    product.succeeded = product.cached = true;
    QFile log(folder + QStringLiteral("/log.txt"));
    if (log.open(QIODevice::ReadOnly)) product.log = QString::fromUtf8(log.readAll());
    return true;
}

QString BuildCache::newFolder() const
{
    const QString folder = m_folder + QStringLiteral("/new-") + QUuid::createUuid().toString(QUuid::Id128);
    return QDir().mkpath(folder + QStringLiteral("/src")) ? folder : QString();
}

void BuildCache::keep(const QByteArray &key, BuildProduct &product)
{
    removeIntermediates(product.folder);
    QFile log(product.folder + QStringLiteral("/log.txt"));
    if (log.open(QIODevice::WriteOnly)) log.write(product.log.toUtf8());
    log.close();
    const QString folder = m_folder + u'/' + QString::fromLatin1(key);
    // Where another process was first, its entry is as good: same key, same content.
    if (!QDir().rename(product.folder, folder)) QDir(product.folder).removeRecursively();
    fill(product, folder);
    prune();
}

void BuildCache::prune() const
{
    const QFileInfoList entries =
        QDir(m_folder).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time | QDir::Reversed);
    const QDateTime recent = QDateTime::currentDateTime().addSecs(-3600);
    for (qsizetype i = 0; i + mostEntries < entries.size(); ++i) {
        if (entries[i].lastModified() < recent) QDir(entries[i].absoluteFilePath()).removeRecursively();
    }
}

} // namespace kernelskill::simulator
