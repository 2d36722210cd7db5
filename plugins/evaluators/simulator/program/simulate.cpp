// SPDX-License-Identifier: Apache-2.0
#include "simulate.h"

#include "base/paths.h"
#include "evaluation/checks.h"
#include "evaluation/worker_answer.h"
#include "profile/gpu_spec.h"
#include "program/program_build.h"
#include "worker/sandbox.h"
#include "worker/worker_process.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

namespace kernelskill::simulator {

namespace {

constexpr int grace_ms = 20'000; // for the worker's own start and end

QJsonObject request(const ProgramOptions &options, const Installation &installation, const ProgramProduct &product,
                    const QString &folder, const QString &gpuFile)
{
    const QStringList readable = QStringList{installation.folder, folder} + options.visibleFolders();
    QStringList arguments{QFileInfo(options.sources.first()).completeBaseName()};
    arguments += options.programArguments;
    const QJsonObject program{{QStringLiteral("gpu"), gpuFile},
                              {QStringLiteral("ptx"), QJsonArray::fromStringList(product.ptx)},
                              {QStringLiteral("host"), installation.hostProgram()},
                              {QStringLiteral("library"), product.library},
                              {QStringLiteral("folder"), QDir::currentPath()},
                              {QStringLiteral("arguments"), QJsonArray::fromStringList(arguments)},
                              {QStringLiteral("readable"), QJsonArray::fromStringList(readable)},
                              {QStringLiteral("writable"), QJsonArray::fromStringList(options.writable)},
                              {QStringLiteral("unconfined"), options.unconfined},
                              {QStringLiteral("timeout_ms"), options.timeout_s * 1000}};
    return {{QStringLiteral("program"), program}};
}

void addWork(const QJsonObject &last, const QString &device, ProgramOutcome &outcome)
{
    Evaluation mapped;
    addWorkerAnswer(last, device, TimeKind::Modelled, mapped);
    outcome.status = toString(mapped.status);
    outcome.findings += mapped.findings;
    outcome.profile = mapped.profile;
    outcome.ended = last.value(u"ended").toBool();
    outcome.exitCode = last.value(u"exit").toInt();
    outcome.elapsed_us = last.value(u"elapsed_us").toDouble();
    outcome.copies = last.value(u"copies").toArray();
}

// What a worker that did not finish means. An Error when it is trouble of the environment.
Result<void> explain(const Error &error, const ProgramOptions &options, ProgramOutcome &outcome)
{
    if (error.code == QLatin1String("worker.timeout")) {
        outcome.status = QStringLiteral("timeout");
        outcome.findings.append(
            checks::finding(QStringLiteral("timeout"),
                            QStringLiteral("the program did not end within %1 seconds (--timeout sets the limit)")
                                .arg(options.timeout_s)));
        return {};
    }
    if (error.code != QLatin1String("worker.died") && error.code != QLatin1String("worker.protocol"))
        return std::unexpected(error);
    outcome.status = QStringLiteral("crashed");
    outcome.findings.append(
        checks::finding(QStringLiteral("simulator_fault"),
                        QStringLiteral("the simulator itself failed on this program: %1").arg(error.message)));
    return {};
}

} // namespace

QCoro::Task<Result<ProgramOutcome>>
simulate(ProgramOptions options, std::function<void(bool isError, const QByteArray &)> printed, std::stop_token stop)
{
    if (!options.unconfined) {
        if (const auto confined = requireSandbox(QStringLiteral("Programs")); !confined)
            co_return std::unexpected(confined.error());
    }
    const auto installation = Installation::find();
    if (!installation) co_return std::unexpected(installation.error());
    const auto compiler = Compiler::find(QStringLiteral("clang"));
    if (!compiler) co_return std::unexpected(compiler.error());
    const auto gpu = GpuSpec::find(options.device.isEmpty() ? QStringLiteral("h200") : options.device);
    if (!gpu) co_return std::unexpected(gpu.error());
    const QString gpuFile = paths::resources() + QStringLiteral("/gpus/%1.json").arg(gpu->id);

    const QTemporaryDir folder(QDir::tempPath() + QStringLiteral("/kernelskill-program-XXXXXX"));
    if (!folder.isValid())
        co_return failure(QStringLiteral("environment.folder"),
                          QStringLiteral("A temporary folder could not be made: %1.").arg(folder.errorString()));
    ProgramOutcome outcome;
    outcome.device = gpu->name;
    const auto product = co_await buildProgram(options, *installation, *compiler, folder.path(), stop);
    if (!product) co_return std::unexpected(product.error());
    outcome.buildLog = product->log;
    if (!product->succeeded) {
        outcome.status = QStringLiteral("build_failed");
        outcome.findings = product->findings;
        co_return outcome;
    }
    const auto end = co_await runWorker(
        {installation->worker(),
         {},
         request(options, *installation, *product, folder.path(), gpuFile),
         options.timeout_s * 1000 + grace_ms},
        [&](const QJsonObject &message) {
            for (const bool isError : {false, true}) {
                const QByteArray text =
                    message.value(isError ? QStringLiteral("stderr") : QStringLiteral("stdout")).toString().toLatin1();
                if (text.isEmpty()) continue;
                (isError ? outcome.errors : outcome.output) += text;
                if (printed) printed(isError, text);
            }
        },
        stop);
    if (!end) {
        if (const auto explained = explain(end.error(), options, outcome); !explained)
            co_return std::unexpected(explained.error());
    } else if (const QString trouble = end->last.value(u"error").toString(); !trouble.isEmpty()) {
        co_return failure(QStringLiteral("worker.trouble"), trouble, end->log);
    } else {
        addWork(end->last, gpu->id, outcome);
    }
    co_return outcome;
}

} // namespace kernelskill::simulator
