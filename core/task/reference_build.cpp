// SPDX-License-Identifier: Apache-2.0
#include "task/reference_build.h"

#include "base/paths.h"
#include "task/dtypes.h"
#include "worker/sandbox.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace kernelskill {

namespace {

const QStringList compilerFlags{QStringLiteral("-std=c++20"), QStringLiteral("-O2"), QStringLiteral("-ffp-contract=off"),
                                QStringLiteral("-fPIC"), QStringLiteral("-shared"), QStringLiteral("-Wl,-z,defs")};

struct Source
{
    QString name, text;
};

QList<Source> sourcesOf(const Task &task)
{
    QList<Source> sources{{QStringLiteral("reference.cpp"), task.reference},
                          {QStringLiteral("kernelskill_trampoline.cpp"), trampolineSource(task)}};
    if (task.generateHook) sources.append({QStringLiteral("generate.cpp"), *task.generateHook});
    if (task.checkHook) sources.append({QStringLiteral("check.cpp"), *task.checkHook});
    return sources;
}

// In the sandbox's own search path, where it will be run.
QString findCompiler()
{
    const QStringList folders{QStringLiteral("/usr/local/bin"), QStringLiteral("/usr/bin"), QStringLiteral("/bin")};
    for (const char *name : {"g++", "clang++", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16"}) {
        const QString path = QStandardPaths::findExecutable(QString::fromLatin1(name), folders);
        if (!path.isEmpty()) return path;
    }
    return {};
}

QByteArray buildKey(const QList<Source> &sources, const QString &compiler)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const QFileInfo program(QFileInfo(compiler).canonicalFilePath());
    // A compiler that was updated has another size or date.
    hash.addData(QStringLiteral("%1 %2 %3 %4\n")
                     .arg(program.filePath()).arg(program.size()).arg(program.lastModified().toSecsSinceEpoch())
                     .arg(compilerFlags.join(u' ')).toUtf8());
    for (const Source &source : sources) {
        const QByteArray text = source.text.toUtf8();
        hash.addData(source.name.toUtf8() + ' ' + QByteArray::number(text.size()) + '\n');
        hash.addData(text);
    }
    return hash.result().toHex();
}

bool writeFile(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

// "reference.cpp:12:5: error: …" tells the file; the linker only tells the function.
Error buildError(const Task &task, const SandboxResult &result)
{
    const QString log = QString::fromUtf8(result.standardError);
    static const QRegularExpression diagnostic(QStringLiteral("^(\\w+\\.cpp):(\\d+):(?:\\d+:)? (?:fatal )?error: (.*)$"),
                                               QRegularExpression::MultilineOption);
    static const QRegularExpression undefinedName(QStringLiteral("undefined (?:reference to|symbol:) [`']?(\\w+)"));
    const auto place = [&](const QString &file) { return QDir(task.folder).filePath(file); };
    if (const auto match = diagnostic.match(log); match.hasMatch())
        return {QStringLiteral("reference.build"),
                QStringLiteral("%1:%2: this does not compile: %3.").arg(place(match.captured(1)), match.captured(2), match.captured(3)),
                log};
    if (const auto match = undefinedName.match(log); match.hasMatch()) {
        const QString function = match.captured(1);
        const bool hook = function == u"generate" || function == u"check";
        return {QStringLiteral("reference.build"),
                QStringLiteral("%1: expected a definition of extern \"C\" %2; the linker found none.")
                    .arg(place(hook ? function + QStringLiteral(".cpp") : QStringLiteral("reference.cpp")), function),
                log};
    }
    return {QStringLiteral("reference.build"),
            QStringLiteral("%1: this does not compile (%2).").arg(place(QStringLiteral("reference.cpp")), result.describe()), log};
}

// Pointers to const where the caller must not write; `writable` makes them all plain, for generate().
QStringList parameterTypes(const Task &task, bool writable)
{
    QStringList types;
    for (const Parameter &parameter : task.parameters) {
        const QString type = dtypeInfo(parameter.dtype)->referenceType;
        if (parameter.kind == Parameter::Kind::Scalar) types.append(type);
        else types.append((writable || parameter.isWritten() ? QString() : QStringLiteral("const ")) + type + QStringLiteral(" *"));
    }
    return types;
}

QString callArguments(const Task &task, const QStringList &types)
{
    QStringList arguments;
    for (qsizetype i = 0; i < types.size(); ++i)
        arguments.append(task.parameters[i].kind == Parameter::Kind::Scalar
                             ? QStringLiteral("*static_cast<%1 *>(values[%2])").arg(types[i]).arg(i)
                             : QStringLiteral("static_cast<%1>(values[%2])").arg(types[i]).arg(i));
    return arguments.join(QStringLiteral(", "));
}

} // namespace

QString trampolineSource(const Task &task)
{
    const QStringList types = parameterTypes(task, false), writable = parameterTypes(task, true);
    QString text = QStringLiteral("extern \"C\" void reference(%1);\n"
                                  "extern \"C\" void kernelskill_reference(void **values) { reference(%2); }\n")
                       .arg(types.join(QStringLiteral(", ")), callArguments(task, types));
    if (task.generateHook)
        text += QStringLiteral("extern \"C\" void generate(%1, unsigned long long);\n"
                               "extern \"C\" void kernelskill_generate(void **values, unsigned long long seed) { generate(%2, seed); }\n")
                    .arg(writable.join(QStringLiteral(", ")), callArguments(task, writable));
    if (task.checkHook)
        text += QStringLiteral("extern \"C\" const char *check(%1);\n"
                               "extern \"C\" const char *kernelskill_check(void **values) { return check(%2); }\n")
                    .arg(types.join(QStringLiteral(", ")), callArguments(task, types));
    return text;
}

QCoro::Task<Result<QString>> buildReference(Task task, std::stop_token stop, bool unconfined)
{
    const QString compiler = findCompiler();
    if (compiler.isEmpty())
        co_return failure(QStringLiteral("reference.no_compiler"),
                          QStringLiteral("No C++ compiler was found to build %1/reference.cpp; install g++ or clang.").arg(task.folder));
    const QList<Source> sources = sourcesOf(task);
    const QString folder = paths::cacheFolder() + QStringLiteral("/references/libraries");
    const QString library = QStringLiteral("%1/%2.so").arg(folder, QString::fromLatin1(buildKey(sources, compiler)));
    if (QFileInfo::exists(library)) co_return library;
    if (!QDir().mkpath(folder)) co_return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: this folder cannot be made.").arg(folder));
    // Built beside its final place, so that the last step is a rename within one file system.
    const QTemporaryDir workFolder(folder + QStringLiteral("/build-XXXXXX"));
    SandboxCommand command;
    command.program = compiler;
    command.arguments = compilerFlags;
    for (const Source &source : sources) {
        if (!writeFile(workFolder.filePath(source.name), source.text.toUtf8()))
            co_return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: this folder cannot be written.").arg(folder));
        command.arguments.append(source.name);
    }
    command.arguments << QStringLiteral("-o") << QStringLiteral("library.so");
    command.workingFolder = workFolder.path();
    command.unconfined = unconfined;
    const Result<SandboxResult> result = co_await runSandboxed(command, stop);
    if (!result) co_return std::unexpected(result.error());
    if (result->end == SandboxResult::End::Stopped)
        co_return failure(QStringLiteral("reference.stopped"), QStringLiteral("Building the reference was stopped."));
    if (!result->succeeded()) co_return std::unexpected(buildError(task, *result));
    // Somebody else may have finished the same library first; theirs is as good.
    if (!QFile::rename(workFolder.filePath(QStringLiteral("library.so")), library) && !QFileInfo::exists(library))
        co_return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: this file cannot be written.").arg(library));
    co_return library;
}

} // namespace kernelskill
