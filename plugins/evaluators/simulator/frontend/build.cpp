// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include "evaluation/compile_diagnostics.h"
#include "frontend/build_cache.h"
#include "frontend/compiler_flags.h"
#include "frontend/prefix_header.h"
#include "task/translation_unit.h"
#include "worker/sandbox.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSet>

#include <optional>
#include <vector>

namespace kernelskill::simulator {

namespace {

constexpr int compileTime_ms = 60'000;

// One translation unit: `source` is relative to the build folder.
struct Unit
{
    QString name, source;
};

bool isSafe(const QString &path)
{
    return !path.isEmpty() && !path.startsWith(u'/') && !path.split(u'/').contains(QStringLiteral("..")) &&
           !path.contains(u'\0');
}

bool writeFile(const QString &path, const QString &text)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

// Lays the candidate out in the build folder; an empty list when a path is not one we would write to.
QList<Unit> layOut(const BuildRequest &request, const QString &folder)
{
    for (const CandidateFile &file : request.candidate.files) {
        if (!isSafe(file.path) || !writeFile(folder + QStringLiteral("/src/") + file.path, file.content)) return {};
    }
    if (!writeFile(folder + QStringLiteral("/unit.cu"), translationUnit(request.task, request.candidate))) return {};
    QList<Unit> units{{QStringLiteral("unit"), QStringLiteral("unit.cu")}};
    static const QSet<QString> compiled{QStringLiteral("cu"), QStringLiteral("cpp"), QStringLiteral("cc"),
                                        QStringLiteral("cxx")};
    for (qsizetype i = 1; i < request.candidate.files.size(); ++i) {
        const QString &path = request.candidate.files[i].path;
        if (compiled.contains(QFileInfo(path).suffix()))
            units.append({QStringLiteral("unit%1").arg(i), QStringLiteral("src/") + path});
    }
    return units;
}

SandboxCommand command(const BuildRequest &request, const QString &folder, const QString &program,
                       QStringList arguments)
{
    SandboxCommand result;
    result.program = program;
    result.arguments = std::move(arguments);
    result.workingFolder = folder;
    result.readable = {request.installation.folder};
    if (request.compiler.kind == CompilerKind::Nvcc) {
        // Its toolkit, by its real name: /usr/local/cuda is a link, and nothing can be mounted on a link.
        const QString toolkit = QFileInfo(QFileInfo(request.compiler.program).canonicalPath()).absolutePath();
        if (!toolkit.startsWith(QLatin1String("/usr/"))) result.readable.append(toolkit); // the rest is there anyway
    }
    result.limits.wallClock_ms = compileTime_ms;
    result.limits.cpu_s = compileTime_ms / 1000;
    result.limits.fileBytes = qint64(256) << 20;
    result.unconfined = request.unconfined;
    return result;
}

// Paths of the precompiled prefix for each pass; empty for "parse the header".
struct Prefix
{
    QString device, host;
    bool plainVectors = false; // see include/vector_types.h
};

QStringList prefixArguments(const QString &precompiled)
{
    if (precompiled.isEmpty()) return {QStringLiteral("-include"), QStringLiteral("cuda_runtime.h")};
    return {QStringLiteral("-Xclang"),  QStringLiteral("-include-pch"),
            QStringLiteral("-Xclang"),  precompiled,
            QStringLiteral("-include"), QStringLiteral("kernelskill/not_precompiled.h")};
}

// The commands that may run side by side; all must succeed.
QList<SandboxCommand> clangCommands(const BuildRequest &request, const QString &folder, const QList<Unit> &units,
                                    const Prefix &prefix)
{
    QList<SandboxCommand> commands;
    const auto add = [&](const QStringList &flags, const QString &precompiled, const Unit &unit, const QString &suffix,
                         const QStringList &more) {
        // The prefix map keeps the build folder's name out of line tables, so that a cached build speaks of the
        // candidate's files only.
        const QStringList here{QStringLiteral("-Isrc"), QStringLiteral("-ffile-prefix-map=%1/=").arg(folder)};
        SandboxCommand one = command(request, folder, request.compiler.program,
                                     flags + prefixArguments(precompiled) + here + more +
                                         QStringList{unit.source, QStringLiteral("-o"), unit.name + suffix});
        if (!precompiled.isEmpty()) one.readable.append(QFileInfo(precompiled).absolutePath());
        commands.append(one);
    };
    for (const Unit &unit : units) {
        add(deviceFlags(request.installation), prefix.device, unit, QStringLiteral(".ptx"),
            prefix.plainVectors ? QStringList{QStringLiteral("-DKERNELSKILL_PLAIN_VECTORS")} : QStringList());
        add(hostFlags(request.installation), prefix.host, unit, QStringLiteral(".o"), placeholderArguments());
    }
    return commands;
}

QList<SandboxCommand> nvccCommands(const BuildRequest &request, const QString &folder, const QList<Unit> &units)
{
    QList<SandboxCommand> commands;
    for (const Unit &unit : units)
        commands.append(command(
            request, folder, request.compiler.program,
            {QStringLiteral("-gencode=arch=compute_80,code=compute_80"), QStringLiteral("-x"), QStringLiteral("cu"),
             QStringLiteral("--compress-mode=none"), QStringLiteral("-lineinfo"), QStringLiteral("-std=c++17"),
             QStringLiteral("-O3"), QStringLiteral("-cudart"), QStringLiteral("none"), QStringLiteral("-Isrc"),
             QStringLiteral("-Xcompiler"), QStringLiteral("-fPIC"), QStringLiteral("-keep"), QStringLiteral("-c"),
             unit.source, QStringLiteral("-o"), unit.name + QStringLiteral(".o")}));
    return commands;
}

SandboxCommand linkCommand(const BuildRequest &request, const QString &folder, const QList<Unit> &units)
{
    QStringList arguments{QStringLiteral("-shared"), QStringLiteral("-o"), QStringLiteral("candidate.so")};
    for (const Unit &unit : units)
        arguments.append(unit.name + QStringLiteral(".o"));
    arguments += {request.installation.runtimeLibrary(), QStringLiteral("-Wl,-z,defs"), QStringLiteral("-Wl,-z,now")};
    const QString program =
        request.compiler.kind == CompilerKind::Nvcc ? QStringLiteral("/usr/bin/g++") : request.compiler.program;
    return command(request, folder, program, arguments);
}

QString text(const SandboxResult &result)
{
    return QString::fromUtf8(result.standardError) + QString::fromUtf8(result.standardOutput);
}

// Notes how a compiler or linker ended; true when it did its work.
bool note(const SandboxResult &result, BuildProduct &product)
{
    product.log += text(result);
    if (result.succeeded()) return true;
    if (result.end != SandboxResult::End::Exited) product.stopped = result.describe();
    return false;
}

// Runs the commands side by side; the product has their output and whether all went well.
QCoro::Task<Result<void>> runAll(QList<SandboxCommand> commands, BuildProduct *product, std::stop_token stop)
{
    std::vector<QCoro::Task<Result<SandboxResult>>> running;
    for (SandboxCommand &one : commands)
        running.push_back(runSandboxed(std::move(one), stop));
    std::optional<Error> trouble;
    product->succeeded = true;
    for (QCoro::Task<Result<SandboxResult>> &task : running) {
        const Result<SandboxResult> result = co_await task;
        if (!result)
            trouble = result.error();
        else if (!note(*result, *product))
            product->succeeded = false;
    }
    if (trouble) co_return std::unexpected(*trouble);
    co_return Result<void>{};
}

QCoro::Task<Result<void>> compile(BuildRequest request, QString folder, QList<Unit> units, BuildProduct *product,
                                  std::stop_token stop)
{
    if (request.compiler.kind == CompilerKind::Nvcc)
        co_return co_await runAll(nvccCommands(request, folder, units), product, stop);
    const PrefixHeader header(request.installation, request.compiler);
    Prefix prefix;
    if (PrefixHeader::suits(request.candidate)) {
        auto device =
            header.ensure(PrefixHeader::Pass::Device, deviceFlags(request.installation), request.unconfined, stop);
        auto host = header.ensure(PrefixHeader::Pass::Host, hostFlags(request.installation), request.unconfined, stop);
        prefix.device = co_await device;
        prefix.host = co_await host;
    }
    auto result = co_await runAll(clangCommands(request, folder, units, prefix), product, stop);
    // What fails gets a second opinion without precompiled headers and with vectors that are plain structures, so that
    // no candidate is blamed for what is ours.
    if (result && !product->succeeded && product->stopped.isEmpty()) {
        if (PrefixHeader::isRefused(product->log)) header.remove();
        product->log.clear();
        Prefix plain;
        plain.plainVectors = true;
        result = co_await runAll(clangCommands(request, folder, units, plain), product, stop);
    }
    co_return result;
}

void explainFailure(const BuildRequest &request, BuildProduct &product)
{
    const QString mainFile = request.candidate.files.first().path;
    if (product.stopped.isEmpty()) {
        product.findings = compileErrors(product.log, mainFile);
        return;
    }
    Finding finding;
    finding.kind = QStringLiteral("compile_error");
    finding.file = mainFile;
    finding.message = QStringLiteral("the compiler was stopped: %1").arg(product.stopped);
    product.findings = {finding};
}

} // namespace

QCoro::Task<Result<BuildProduct>> build(BuildRequest request, std::stop_token stop)
{
    QElapsedTimer timer;
    timer.start();
    BuildCache cache;
    BuildProduct product;
    const QByteArray key = BuildCache::key(request);
    if (cache.find(key, product)) {
        product.wall_ms = static_cast<double>(timer.elapsed());
        co_return product;
    }
    product.folder = cache.newFolder();
    if (product.folder.isEmpty())
        co_return failure(QStringLiteral("simulator.cache"),
                          QStringLiteral("Cannot write to the cache folder, where builds are kept."));
    const QString folder = product.folder;
    const QList<Unit> units = layOut(request, folder);
    if (units.isEmpty() || !writeFile(folder + u'/' + placeholderFile, QStringLiteral("placeholder"))) {
        QDir(folder).removeRecursively();
        co_return failure(QStringLiteral("simulator.candidate"),
                          QStringLiteral("A file of the candidate has a path that cannot be used."));
    }

    auto compiled = co_await compile(request, folder, units, &product, stop);
    if (compiled && product.succeeded) {
        const Result<SandboxResult> linked = co_await runSandboxed(linkCommand(request, folder, units), stop);
        if (linked)
            product.succeeded = note(*linked, product);
        else
            compiled = std::unexpected(linked.error());
    }
    product.wall_ms = static_cast<double>(timer.elapsed());
    if (!compiled || !product.succeeded) {
        QDir(folder).removeRecursively();
        if (!compiled) co_return std::unexpected(compiled.error());
        explainFailure(request, product);
        co_return product;
    }
    cache.keep(key, product);
    co_return product;
}

} // namespace kernelskill::simulator
