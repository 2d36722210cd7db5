// SPDX-License-Identifier: Apache-2.0
#include "program_build.h"

#include "evaluation/compile_diagnostics.h"
#include "worker/sandbox.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace kernelskill::simulator {

namespace {

constexpr int compileTime_ms = 300'000;

// Host code runs as its authors saw it run: nvcc leaves the host compiler's optimiser off unless asked, so that
// overflowing integers wrap and types may share memory.
QStringList lenient()
{
    return {QStringLiteral("-fwrapv"), QStringLiteral("-fno-strict-aliasing")};
}

// As nvcc does, before every source.
QStringList runtimeHeader()
{
    return {QStringLiteral("-include"), QStringLiteral("cuda_runtime.h")};
}

struct Builder
{
    ProgramOptions options;
    Installation installation;
    Compiler compiler;
    QString folder;

    [[nodiscard]] SandboxCommand command(const QStringList &arguments) const
    {
        SandboxCommand result;
        result.program = compiler.program;
        result.arguments = arguments;
        result.workingFolder = folder;
        result.readable = QStringList{installation.folder} + options.visibleFolders();
        result.limits.wallClock_ms = compileTime_ms;
        result.limits.cpu_s = compileTime_ms / 1000;
        result.unconfined = options.unconfined;
        return result;
    }

    [[nodiscard]] SandboxCommand deviceCommand(const QString &source, const QString &name,
                                               const QStringList &more = {}) const
    {
        return command(deviceFlags(installation, options.code) + runtimeHeader() + more +
                       QStringList{source, QStringLiteral("-o"), name + QStringLiteral(".ptx")});
    }
    // What does not compile may be code that needs plain structures for vectors, see include/vector_types.h.
    [[nodiscard]] SandboxCommand plainDeviceCommand(const QString &source, const QString &name) const
    {
        return deviceCommand(source, name, {QStringLiteral("-DKERNELSKILL_PLAIN_VECTORS")});
    }

    [[nodiscard]] QList<SandboxCommand> commandsFor(const QString &source, const QString &name) const
    {
        const QString suffix = QFileInfo(source).suffix();
        if (suffix == QLatin1String("cu")) {
            return {deviceCommand(source, name),
                    command(hostFlags(installation, options.code) + runtimeHeader() + lenient() + placeholderArguments() +
                            QStringList{source, QStringLiteral("-o"), name + QStringLiteral(".o")})};
        }
        QStringList arguments{QStringLiteral("-x"),
                              suffix == QLatin1String("c") ? QStringLiteral("c") : QStringLiteral("c++")};
        if (suffix != QLatin1String("c")) arguments.append(QStringLiteral("-std=") + options.code.standard);
        arguments += QStringList{QStringLiteral("-O2"),
                                 QStringLiteral("-w"),
                                 QStringLiteral("-fPIC"),
                                 QStringLiteral("-fno-color-diagnostics"),
                                 QStringLiteral("-fno-caret-diagnostics"),
                                 QStringLiteral("-isystem"),
                                 installation.headers()} +
                     options.code.more + lenient();
        return {command(arguments +
                        QStringList{QStringLiteral("-c"), source, QStringLiteral("-o"), name + QStringLiteral(".o")})};
    }

    [[nodiscard]] SandboxCommand linkCommand(const QStringList &objects) const
    {
        return command(
            QStringList{QStringLiteral("-shared"), QStringLiteral("-o"), QStringLiteral("program.so")} + objects +
            QStringList{installation.runtimeLibrary(), QStringLiteral("-Wl,--require-defined=main"),
                        QStringLiteral("-Wl,-z,defs"), QStringLiteral("-Wl,-z,now"), QStringLiteral("-pthread")} +
            options.libraries);
    }
};

Finding buildFinding(const QString &file, const QString &message)
{
    Finding finding;
    finding.kind = QStringLiteral("compile_error");
    finding.file = file;
    finding.message = message;
    return finding;
}

void explain(const SandboxResult &result, const QString &source, ProgramProduct &product)
{
    const QString text = QString::fromUtf8(result.standardError) + QString::fromUtf8(result.standardOutput);
    product.log += text;
    if (result.succeeded()) return;
    if (result.end != SandboxResult::End::Exited)
        product.findings.append(
            buildFinding(source, QStringLiteral("the compiler was stopped: %1").arg(result.describe())));
    else if (text.contains(QStringLiteral("required symbol `main' not defined")))
        product.findings.append(buildFinding(source, QStringLiteral("the program has no main")));
    else
        product.findings += compileErrors(text, source);
}

} // namespace

QCoro::Task<Result<ProgramProduct>> buildProgram(ProgramOptions options, Installation installation, Compiler compiler,
                                                 QString folder, std::stop_token stop)
{
    const Builder builder{std::move(options), std::move(installation), std::move(compiler), folder};
    ProgramProduct product;
    QFile placeholder(folder + u'/' + placeholderFile);
    if (!placeholder.open(QIODevice::WriteOnly) || placeholder.write("placeholder") < 0)
        co_return failure(QStringLiteral("simulator.cache"), QStringLiteral("%1 cannot be written.").arg(folder));
    placeholder.close();

    QStringList objects;
    for (qsizetype i = 0; i < builder.options.sources.size(); ++i) {
        const QString &source = builder.options.sources[i];
        const QString name = QStringLiteral("unit%1").arg(i);
        std::vector<QCoro::Task<Result<SandboxResult>>> running;
        for (SandboxCommand &one : builder.commandsFor(source, name))
            running.push_back(runSandboxed(std::move(one), stop));
        std::optional<Error> trouble;
        const qsizetype before = product.findings.size();
        for (std::size_t pass = 0; pass < running.size(); ++pass) {
            Result<SandboxResult> result = co_await running[pass];
            if (pass == 0 && running.size() > 1 && result && result->end == SandboxResult::End::Exited &&
                !result->succeeded())
                result = co_await runSandboxed(builder.plainDeviceCommand(source, name), stop);
            if (!result) trouble = result.error();
            // The second pass mostly says the same again.
            else if (product.findings.size() == before)
                explain(*result, source, product);
        }
        if (trouble) co_return std::unexpected(*trouble);
        objects.append(name + QStringLiteral(".o"));
        if (running.size() > 1) product.ptx.append(folder + u'/' + name + QStringLiteral(".ptx"));
    }
    if (!product.findings.isEmpty()) co_return product;
    const Result<SandboxResult> linked = co_await runSandboxed(builder.linkCommand(objects), stop);
    if (!linked) co_return std::unexpected(linked.error());
    explain(*linked, builder.options.sources.first(), product);
    product.succeeded = product.findings.isEmpty();
    product.library = folder + QStringLiteral("/program.so");
    co_return product;
}

} // namespace kernelskill::simulator
