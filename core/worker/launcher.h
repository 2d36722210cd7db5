// SPDX-License-Identifier: Apache-2.0
// Where a worker runs: a way to start it and a way to move files. The worker's protocol is the same everywhere.
#pragma once

#include "worker/host_address.h"
#include "worker/worker_process.h"

#include <QHash>
#include <QStringList>

#include <memory>

namespace kernelskill {

// A worker as it is shipped.
struct WorkerInstallation
{
    QString program;         // on this machine, absolute
    QStringList bundlePaths; // where it lies below an unpacked bundle, tried in order
    // Where there is no bundle: this folder is copied there and `sh BUILD_SCRIPT FOLDER` run, which leaves the program (of
    // the same file name) in FOLDER; compilers find headers in the copy's include/ ($CPATH). Empty: it cannot be built
    // elsewhere.
    QString sources;
    QString buildScript; // below sources
};

// Lives on one thread with an event loop, and longer than its tasks. Errors, besides those of runWorker():
//   worker.refused      no key accepted, host key unknown: a person has to do something first
//   worker.unreachable  nobody answers there
//   worker.connection   a connection that stood was lost: trying again may help
//   worker.missing      there is no worker in the folder named
//   worker.build        it could not be built there (detail: the log)
//   worker.staging      files could not be moved
class Launcher
{
public:
    virtual ~Launcher();
    [[nodiscard]] virtual QString host() const = 0; // its name; empty: this machine

    // Makes the worker ready there. `say` gets what takes long, in words.
    virtual QCoro::Task<Result<void>> prepare(std::function<void(const QString &)> say, std::stop_token stop) = 0;

    // Makes files of this machine readable there: path here → path there. Only what the other side lacks is sent.
    virtual QCoro::Task<Result<QHash<QString, QString>>> stage(QStringList files, std::stop_token stop) = 0;

    // A folder there for what the worker writes, standing for `here`.
    virtual QCoro::Task<Result<QString>> makeFolder(QString here, std::stop_token stop) = 0;
    // Its files come to `here`, and it goes.
    virtual QCoro::Task<Result<void>> fetchFolder(QString there, QString here, std::stop_token stop) = 0;

    // `command.program` is set here. When the connection is lost, the worker and everything it started end there.
    virtual QCoro::Task<Result<WorkerEnd>> run(WorkerCommand command, std::function<void(const QJsonObject &)> message,
                                               std::stop_token stop) = 0;
};

[[nodiscard]] std::unique_ptr<Launcher> makeLocalLauncher(WorkerInstallation installation);

// By the OpenSSH client, which must need no password. `shareConnection`: one connection serves all commands, and stays
// open while the launcher lives.
[[nodiscard]] std::unique_ptr<Launcher> makeSshLauncher(HostAddress host, WorkerInstallation installation,
                                                        bool shareConnection = true);

} // namespace kernelskill
