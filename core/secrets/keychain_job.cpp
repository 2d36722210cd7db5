// SPDX-License-Identifier: Apache-2.0
#include "secrets/keychain_job.h"

#include <QCoroSignal>
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusPendingCall>
#include <QDBusPendingCallWatcher>
#include <QDBusVariant>
#include <QDir>
#include <QFileInfo>
#include <qt6keychain/keychain.h>

#include <chrono>

namespace kernelskill::secrets {

namespace {

const QString service = QStringLiteral("kernelskill");
constexpr std::chrono::milliseconds patience{5000};

// Without a session bus the libraries below would try to start one, and say so on stderr.
QString whyNoBus()
{
    if (!qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS").isEmpty()) return {};
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    if (!runtime.isEmpty() && QFileInfo::exists(QDir(runtime).filePath(QStringLiteral("bus")))) return {};
    return QStringLiteral("no keychain can be reached, because this login has no D-Bus session");
}

const QString notAnswering =
    QStringLiteral("the keychain does not answer; it may be locked and wait for its password");
const QString locked = QStringLiteral("the keychain is locked; unlock it in the system's password manager");

enum class Wish { Read, Write, Delete };

QCoro::Task<QDBusMessage> ask(QString path, QString interface, QString method, QVariantList arguments)
{
    QDBusMessage question = QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.secrets"), path, interface, method);
    question.setArguments(arguments);
    QDBusPendingCallWatcher watcher(QDBusConnection::sessionBus().asyncCall(question, int(patience.count())));
    co_await qCoro(&watcher, &QDBusPendingCallWatcher::finished, patience);
    co_return watcher.isFinished() ? watcher.reply() : QDBusMessage();
}

// Empty: go on. A service that knows no such question is another kind of keychain, or none: the job itself finds out.
QString troubleOf(const QDBusMessage &answer)
{
    const bool isSilent = answer.type() == QDBusMessage::InvalidMessage || answer.errorName().endsWith(u".NoReply");
    return isSilent ? notAnswering : QString();
}

// A new key goes into the default collection.
QCoro::Task<QString> whyNotWritten()
{
    const QDBusMessage found = co_await ask(QStringLiteral("/org/freedesktop/secrets"), QStringLiteral("org.freedesktop.Secret.Service"),
                                            QStringLiteral("ReadAlias"), {QStringLiteral("default")});
    if (found.type() != QDBusMessage::ReplyMessage || found.arguments().isEmpty()) co_return troubleOf(found);
    const QString path = found.arguments().constFirst().value<QDBusObjectPath>().path();
    if (path == u"/") co_return QStringLiteral("the keychain has no keyring a key could go into; make one in the system's password manager");
    const QDBusMessage state = co_await ask(path, QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("Get"),
                                            {QStringLiteral("org.freedesktop.Secret.Collection"), QStringLiteral("Locked")});
    if (state.type() != QDBusMessage::ReplyMessage || state.arguments().isEmpty()) co_return troubleOf(state);
    co_return state.arguments().constFirst().value<QDBusVariant>().variant().toBool() ? locked : QString();
}

QCoro::Task<QString> whyNotRead(QString origin)
{
    using Attributes = QMap<QString, QString>;
    qDBusRegisterMetaType<Attributes>();
    const Attributes attributes{{QStringLiteral("server"), service}, {QStringLiteral("user"), origin}};
    const QDBusMessage found = co_await ask(QStringLiteral("/org/freedesktop/secrets"), QStringLiteral("org.freedesktop.Secret.Service"),
                                            QStringLiteral("SearchItems"), {QVariant::fromValue(attributes)});
    if (found.type() != QDBusMessage::ReplyMessage || found.arguments().size() != 2) co_return troubleOf(found);
    const auto open = qdbus_cast<QList<QDBusObjectPath>>(found.arguments().at(0));
    const auto shut = qdbus_cast<QList<QDBusObjectPath>>(found.arguments().at(1));
    co_return open.isEmpty() && !shut.isEmpty() ? locked : QString();
}

QCoro::Task<QString> whyNot(Wish wish, QString origin)
{
    if (const QString why = whyNoBus(); !why.isEmpty()) co_return why;
    if (!QDBusConnection::sessionBus().isConnected())
        co_return QStringLiteral("no keychain can be reached, because this login's D-Bus session does not answer");
    co_return wish == Wish::Write ? co_await whyNotWritten() : co_await whyNotRead(origin);
}

QString troubleOf(const QKeychain::Job &job)
{
    const QString words = job.errorString().simplified();
    const QString inBrackets = words.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(words);
    switch (job.error()) {
    case QKeychain::NoError:
    case QKeychain::EntryNotFound: return {};
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser: return QStringLiteral("the keychain is locked or refuses access") + inBrackets;
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented: return QStringLiteral("there is no keychain service") + inBrackets;
    default: return QStringLiteral("the keychain does not do it") + inBrackets;
    }
}

// Owns the job. One that answers too late deletes itself then.
QCoro::Task<KeychainAnswer> run(QKeychain::Job *job, Wish wish, QString origin)
{
    job->setKey(origin);
    job->setInsecureFallback(false);
    if (const QString why = co_await whyNot(wish, origin); !why.isEmpty()) {
        delete job;
        co_return KeychainAnswer{std::nullopt, why};
    }
    job->setAutoDelete(false);
    job->start();
    const auto finished = co_await qCoro(job, &QKeychain::Job::finished, patience);
    if (!finished) {
        job->setAutoDelete(true);
        co_return KeychainAnswer{std::nullopt, notAnswering};
    }
    KeychainAnswer answer{std::nullopt, troubleOf(*job)};
    if (const auto *reading = qobject_cast<QKeychain::ReadPasswordJob *>(job); reading && job->error() == QKeychain::NoError)
        answer.value = reading->textData();
    job->deleteLater();
    co_return answer;
}

} // namespace

QCoro::Task<KeychainAnswer> readKeychain(QString origin)
{
    return run(new QKeychain::ReadPasswordJob(service), Wish::Read, std::move(origin));
}

QCoro::Task<KeychainAnswer> writeKeychain(QString origin, QString value)
{
    auto *job = new QKeychain::WritePasswordJob(service);
    job->setTextData(value);
    return run(job, Wish::Write, std::move(origin));
}

QCoro::Task<KeychainAnswer> deleteFromKeychain(QString origin)
{
    return run(new QKeychain::DeletePasswordJob(service), Wish::Delete, std::move(origin));
}

} // namespace kernelskill::secrets
