// SPDX-License-Identifier: Apache-2.0
#include "worker/launcher.h"

#include <QFileInfo>

namespace kernelskill {

namespace {

class LocalLauncher : public Launcher
{
public:
    explicit LocalLauncher(WorkerInstallation installation) : m_installation(std::move(installation)) {}

    [[nodiscard]] QString host() const override { return {}; }

    QCoro::Task<Result<void>> prepare(std::function<void(const QString &)>, std::stop_token) override
    {
        if (QFileInfo(m_installation.program).isExecutable()) co_return Result<void>{};
        co_return failure(QStringLiteral("worker.missing"),
                          QStringLiteral("The worker %1 is missing; reinstall.").arg(m_installation.program));
    }

    QCoro::Task<Result<QHash<QString, QString>>> stage(QStringList files, std::stop_token) override
    {
        QHash<QString, QString> same;
        for (const QString &file : std::as_const(files))
            same.insert(file, file);
        co_return same;
    }

    QCoro::Task<Result<QString>> makeFolder(QString here, std::stop_token) override { co_return here; }

    QCoro::Task<Result<void>> fetchFolder(QString, QString, std::stop_token) override { co_return Result<void>{}; }

    QCoro::Task<Result<WorkerEnd>> run(WorkerCommand command, std::function<void(const QJsonObject &)> message,
                                       std::stop_token stop) override
    {
        command.program = m_installation.program;
        command.holdInput = true;
        return runWorker(std::move(command), std::move(message), std::move(stop));
    }

private:
    WorkerInstallation m_installation;
};

} // namespace

Launcher::~Launcher() = default;

std::unique_ptr<Launcher> makeLocalLauncher(WorkerInstallation installation)
{
    return std::make_unique<LocalLauncher>(std::move(installation));
}

} // namespace kernelskill
