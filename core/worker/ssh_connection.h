// SPDX-License-Identifier: Apache-2.0
// Commands on another machine through the OpenSSH client: no question is ever asked, a dead connection is noticed
// within half a minute.
#pragma once

#include "worker/helper_process.h"
#include "worker/host_address.h"

#include <QTemporaryDir>

#include <memory>

namespace kernelskill {

// For one word of a POSIX shell's command line.
[[nodiscard]] QString shellQuoted(const QString &word);
[[nodiscard]] QString shellQuoted(const QStringList &words);

class SshMaster;

class SshConnection
{
public:
    // `shared`: one connection is kept open and all commands use it, which saves each the handshake. It ends with this
    // object, which lives on one thread, or with this process.
    SshConnection(HostAddress host, bool shared);
    ~SshConnection();
    SshConnection(const SshConnection &) = delete;
    SshConnection &operator=(const SshConnection &) = delete;

    [[nodiscard]] const HostAddress &host() const { return m_host; }

    // The arguments of ssh that run a POSIX shell script there. The script stands on one line.
    [[nodiscard]] QStringList arguments(const QString &script) const;

    // Connects, when commands share a connection and it does not stand. Errors as explainSshFailure().
    QCoro::Task<Result<void>> open(std::stop_token stop);

    // Runs a script there; its exit status is that of the helper. An Error when ssh itself failed.
    QCoro::Task<Result<HelperEnd>> run(QString script, QByteArray input, int wallClock_ms, std::stop_token stop);
    // The same with a command here that writes to its input, or reads its output.
    QCoro::Task<Result<HelperEnd>> feed(QStringList producer, QString script, int wallClock_ms, std::stop_token stop);
    QCoro::Task<Result<HelperEnd>> drain(QString script, QStringList consumer, int wallClock_ms, std::stop_token stop);

private:
    [[nodiscard]] QStringList options() const;
    QCoro::Task<Result<HelperEnd>> judged(HelperCommand command, std::stop_token stop);

    HostAddress m_host;
    std::unique_ptr<QTemporaryDir> m_folder; // of the shared connection's socket; null: each command connects anew
    std::unique_ptr<SshMaster> m_master;     // the client that holds it
};

} // namespace kernelskill
