// SPDX-License-Identifier: Apache-2.0
#include "secrets/secrets.h"

#include "base/paths.h"
#include "secrets/keychain_job.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QMutex>
#include <QSaveFile>

#include <algorithm>

namespace kernelskill::secrets {

namespace {

struct SessionKeys
{
    QMutex mutex;
    QHash<QString, QString> values; // origin → key
};

SessionKeys &sessionKeys()
{
    static SessionKeys keys;
    return keys;
}

// What could split a header in two, or was pasted with something around it.
bool canBeKey(const QString &value)
{
    return !value.isEmpty() && std::ranges::none_of(value, [](QChar c) { return c.isSpace() || c.category() == QChar::Other_Control; });
}

QString originsFile()
{
    return QDir(paths::configFolder()).filePath(QStringLiteral("key-origins.json"));
}

// A list that cannot be written costs `keys list` a line, so nobody is told.
void noteOrigin(const QString &origin, bool isStored)
{
    QDir().mkpath(paths::configFolder());
    QLockFile lock(originsFile() + QStringLiteral(".lock"));
    if (!lock.tryLock(1000)) return;
    QStringList origins = storedOrigins();
    if (origins.contains(origin) == isStored) return;
    if (isStored) origins.append(origin);
    else origins.removeAll(origin);
    origins.sort();
    QSaveFile file(originsFile());
    if (!file.open(QIODevice::WriteOnly)) return;
    file.write(QJsonDocument(QJsonObject{{"note", "Whose keys are in the system's keychain. No key stands here."},
                                         {"origins", QJsonArray::fromStringList(origins)}})
                   .toJson());
    file.commit();
}

std::unexpected<Error> keychainTrouble(const QString &what, const QString &why)
{
    return failure("secrets.keychain",
                   QStringLiteral("%1: %2; set an environment variable such as OPENAI_API_KEY, or give the key for this session "
                                  "only")
                       .arg(what, why));
}

} // namespace

QString originOf(const QUrl &url)
{
    const QString scheme = url.scheme().toLower();
    QString host = url.host(QUrl::FullyEncoded).toLower();
    if (scheme.isEmpty() || host.isEmpty()) return {};
    if (host.contains(u':') && !host.startsWith(u'[')) host = u'[' + host + u']';
    const int own = scheme == u"https" ? 443 : scheme == u"http" ? 80 : -1;
    const QString origin = scheme + QStringLiteral("://") + host;
    return url.port() < 0 || url.port() == own ? origin : origin + u':' + QString::number(url.port());
}

QCoro::Task<std::optional<Secret>> find(QString origin, QStringList variables, QString variablesOrigin, QString *note)
{
    if (note) note->clear();
    if (origin.isEmpty()) co_return std::nullopt;
    {
        const QMutexLocker lock(&sessionKeys().mutex);
        const QString value = sessionKeys().values.value(origin);
        if (!value.isEmpty()) co_return Secret{value, QStringLiteral("this session")};
    }
    QStringList unfit;
    for (const QString &name : variablesOrigin == origin ? variables : QStringList()) {
        const QString value = qEnvironmentVariable(name.toUtf8().constData()).trimmed();
        if (value.isEmpty()) continue;
        alsoRedact(value);
        if (canBeKey(value)) co_return Secret{value, QStringLiteral("environment variable %1").arg(name)};
        unfit.append(QStringLiteral("environment variable %1 holds spaces or line breaks, so it is no key").arg(name));
    }
    const KeychainAnswer answer = co_await readKeychain(origin);
    if (!answer.trouble.isEmpty()) unfit.append(answer.trouble);
    if (note) *note = unfit.join(QStringLiteral("; "));
    if (!answer.value || !canBeKey(*answer.value)) co_return std::nullopt;
    alsoRedact(*answer.value);
    co_return Secret{*answer.value, QStringLiteral("keychain")};
}

void keepForSession(const QString &origin, const QString &value)
{
    const QString key = value.trimmed();
    alsoRedact(key);
    const QMutexLocker lock(&sessionKeys().mutex);
    if (key.isEmpty()) sessionKeys().values.remove(origin);
    else sessionKeys().values.insert(origin, key);
}

QStringList sessionOrigins()
{
    const QMutexLocker lock(&sessionKeys().mutex);
    QStringList origins = sessionKeys().values.keys();
    origins.sort();
    return origins;
}

QCoro::Task<Result<void>> store(QString origin, QString value)
{
    value = value.trimmed();
    alsoRedact(value);
    if (origin.isEmpty()) co_return failure("secrets.value", QStringLiteral("a key belongs to an address such as https://api.example.org"));
    if (!canBeKey(value)) {
        co_return failure("secrets.value", value.isEmpty() ? QStringLiteral("the key is empty")
                                                           : QStringLiteral("the key has spaces or line breaks in it; was something else pasted with it?"));
    }
    const KeychainAnswer answer = co_await writeKeychain(origin, value);
    if (!answer.trouble.isEmpty()) co_return keychainTrouble(QStringLiteral("the key for %1 was not stored").arg(origin), answer.trouble);
    noteOrigin(origin, true);
    co_return Result<void>();
}

QCoro::Task<Result<void>> forget(QString origin)
{
    keepForSession(origin, {});
    const KeychainAnswer answer = co_await deleteFromKeychain(origin);
    if (!answer.trouble.isEmpty()) {
        co_return failure("secrets.keychain", QStringLiteral("the key for %1 was not taken out of the keychain: %2")
                                                  .arg(origin, answer.trouble));
    }
    noteOrigin(origin, false);
    co_return Result<void>();
}

QStringList storedOrigins()
{
    QFile file(originsFile());
    if (!file.open(QIODevice::ReadOnly)) return {};
    QStringList origins;
    for (const QJsonValue &one : QJsonDocument::fromJson(file.readAll())[u"origins"].toArray())
        if (const QString origin = originOf(QUrl(one.toString())); !origin.isEmpty()) origins.append(origin);
    origins.sort();
    origins.removeDuplicates();
    return origins;
}

} // namespace kernelskill::secrets
