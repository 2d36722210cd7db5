// SPDX-License-Identifier: Apache-2.0
#include "secrets/keychain_job.h"

#include <QCoroSignal>
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
QCoro::Task<KeychainAnswer> run(QKeychain::Job *job, QString origin)
{
    job->setKey(origin);
    job->setInsecureFallback(false);
    if (const QString why = whyNoBus(); !why.isEmpty()) {
        delete job;
        co_return KeychainAnswer{std::nullopt, why};
    }
    job->setAutoDelete(false);
    job->start();
    const auto finished = co_await qCoro(job, &QKeychain::Job::finished, patience);
    if (!finished) {
        job->setAutoDelete(true);
        co_return KeychainAnswer{std::nullopt,
                                 QStringLiteral("the keychain does not answer; it may be locked and wait for its password")};
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
    return run(new QKeychain::ReadPasswordJob(service), std::move(origin));
}

QCoro::Task<KeychainAnswer> writeKeychain(QString origin, QString value)
{
    auto *job = new QKeychain::WritePasswordJob(service);
    job->setTextData(value);
    return run(job, std::move(origin));
}

QCoro::Task<KeychainAnswer> deleteFromKeychain(QString origin)
{
    return run(new QKeychain::DeletePasswordJob(service), std::move(origin));
}

} // namespace kernelskill::secrets
