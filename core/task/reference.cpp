// SPDX-License-Identifier: Apache-2.0
#include "task/reference.h"

#include "base/paths.h"
#include "kit/seeds.h"
#include "kit/value_generator.h"
#include "task/dtypes.h"
#include "task/reference_build.h"
#include "task/reference_cache.h"
#include "worker/sandbox.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <algorithm>

namespace kernelskill {

namespace {

constexpr int runnerWallClock_ms = 120'000;

Result<qint64> elementsOf(const Parameter &parameter, const Sizes &sizes)
{
    qint64 count = 1;
    for (const Expression &dimension : parameter.shape) {
        const Result<qint64> length = dimension.evaluateInteger(sizes);
        if (!length) return length;
        count *= *length;
    }
    return count;
}

Result<QJsonObject> describe(const Parameter &parameter, const Sizes &sizes, quint64 seed)
{
    QJsonObject object{{QStringLiteral("name"), parameter.name}, {QStringLiteral("dtype"), parameter.dtype}};
    if (parameter.kind == Parameter::Kind::Scalar) {
        const Result<double> value = parameter.value.evaluate(sizes);
        if (!value) return std::unexpected(value.error());
        object.insert(QStringLiteral("kind"), QStringLiteral("scalar"));
        object.insert(QStringLiteral("value"), *value);
        return object;
    }
    const Result<qint64> elements = elementsOf(parameter, sizes);
    if (!elements) return std::unexpected(elements.error());
    object.insert(QStringLiteral("kind"), QStringLiteral("tensor"));
    object.insert(QStringLiteral("elements"), *elements);
    object.insert(QStringLiteral("read"), parameter.isRead());
    object.insert(QStringLiteral("written"), parameter.isWritten());
    object.insert(QStringLiteral("distribution"), int(parameter.values.kind));
    object.insert(QStringLiteral("first"), parameter.values.first);
    object.insert(QStringLiteral("second"), parameter.values.second);
    // As text: JSON numbers in Qt have 63 bits.
    object.insert(QStringLiteral("seed"), QString::number(inputSeed(seed, parameter.name)));
    return object;
}

// The two enumerations count alike; the runner gets the number.
static_assert(int(Distribution::Kind::Permutation) == int(kit::DistributionKind::Permutation));
static_assert(int(Distribution::Kind::Bernoulli) == int(kit::DistributionKind::Bernoulli));

struct Job
{
    const Task &task;
    const Sizes &sizes;
    QString library, folder;
    quint64 seed = 0;
    QString variant;
    QString mode = QStringLiteral("reference");
    bool unconfined = false;
};

Result<QJsonObject> jobObject(const Job &job)
{
    QJsonArray parameters;
    for (const Parameter &parameter : job.task.parameters) {
        Result<QJsonObject> object = describe(parameter, job.sizes, job.seed);
        if (!object) return object;
        if (job.mode == u"check" && parameter.kind == Parameter::Kind::Tensor)
            object->insert(QStringLiteral("file"), QStringLiteral("%1/%2.bin").arg(job.folder, parameter.name));
        parameters.append(*object);
    }
    QJsonObject object{{QStringLiteral("mode"), job.mode},       {QStringLiteral("library"), job.library},
                       {QStringLiteral("folder"), job.folder},   {QStringLiteral("variant"), job.variant},
                       {QStringLiteral("parameters"), parameters}};
    if (job.mode != u"check" && job.task.generateHook && job.variant == u"random")
        object.insert(QStringLiteral("hook_seed"), QString::number(kit::Seed::of(job.seed, "generate.cpp").value()));
    return object;
}

QString describeSizes(const Sizes &sizes)
{
    QStringList parts;
    for (auto it = sizes.cbegin(); it != sizes.cend(); ++it) parts.append(QStringLiteral("%1=%2").arg(it.key()).arg(it.value()));
    return parts.join(u' ');
}

// What the runner said, or how it died, as an error that names the file to look at. Nothing when it is done.
std::optional<Error> faultOf(const Job &job, const SandboxResult &result)
{
    const QString file = QDir(job.task.folder).filePath(job.mode == u"check" ? QStringLiteral("check.cpp") : QStringLiteral("reference.cpp"));
    const QString log = QString::fromUtf8(result.standardError);
    const auto error = [&](const char *code, const QString &what) {
        return Error{QString::fromLatin1(code), QStringLiteral("%1: %2 (sizes %3, %4 inputs).").arg(file, what, describeSizes(job.sizes), job.variant), log};
    };
    switch (result.end) {
    case SandboxResult::End::Exited: break;
    case SandboxResult::End::Stopped: return Error{QStringLiteral("reference.stopped"), QStringLiteral("The reference was stopped."), {}};
    case SandboxResult::End::TimedOut: return error("reference.timeout", QStringLiteral("it did not finish: ") + result.describe());
    default: return error("reference.crashed", QStringLiteral("it crashed: ") + result.describe());
    }
    const QJsonObject answer = QJsonDocument::fromJson(result.standardOutput.trimmed()).object();
    if (answer.value(u"done").toBool()) return std::nullopt;
    if (answer.contains(u"error"))
        return error(answer.value(u"error").toString().toLatin1().constData(), answer.value(u"message").toString());
    return error("reference.crashed", QStringLiteral("it ended the program early: ") + result.describe());
}

QCoro::Task<Result<void>> runJob(Job job, std::stop_token stop)
{
    const QString runner = paths::helperProgram(QStringLiteral("kernelskill-reference-runner"));
    if (runner.isEmpty())
        co_return failure(QStringLiteral("reference.no_runner"),
                          QStringLiteral("The program kernelskill-reference-runner is missing beside %1; reinstall.").arg(paths::executableFolder()));
    const Result<QJsonObject> object = jobObject(job);
    if (!object) co_return std::unexpected(object.error());
    SandboxCommand command;
    command.program = runner;
    command.readable = {QFileInfo(runner).absolutePath(), job.library};
    command.workingFolder = job.folder;
    command.standardInput = QJsonDocument(*object).toJson(QJsonDocument::Compact) + '\n';
    command.limits.wallClock_ms = runnerWallClock_ms;
    command.limits.cpu_s = runnerWallClock_ms / 1000;
    command.limits.memoryBytes = qint64(16) << 30;
    command.limits.fileBytes = qint64(16) << 30;
    command.allowProcesses = false;
    command.unconfined = job.unconfined;
    const Result<SandboxResult> result = co_await runSandboxed(command, stop);
    if (!result) co_return std::unexpected(result.error());
    if (const std::optional<Error> fault = faultOf(job, *result)) co_return std::unexpected(*fault);
    co_return Result<void>();
}

// All that decides the result, and a number that changes when the generator or the files' form does.
QByteArray runKey(const QString &library, const QJsonObject &job)
{
    constexpr int formVersion = 1;
    QJsonObject object = job;
    object.remove(QStringLiteral("folder"));
    object.insert(QStringLiteral("library"), QFileInfo(library).fileName());
    object.insert(QStringLiteral("form"), formVersion);
    return QCryptographicHash::hash(QJsonDocument(object).toJson(QJsonDocument::Compact), QCryptographicHash::Sha256).toHex();
}

Result<ReferenceOutputs> mapAll(const Task &task, const Sizes &sizes, const QString &folder, bool withExpected)
{
    ReferenceOutputs outputs;
    for (const Parameter &parameter : task.parameters) {
        if (parameter.kind != Parameter::Kind::Tensor) continue;
        const Result<qint64> elements = elementsOf(parameter, sizes);
        if (!elements) return std::unexpected(elements.error());
        if (parameter.isRead()) {
            const auto tensor = TensorData::map(QStringLiteral("%1/in_%2.bin").arg(folder, parameter.name), parameter.name,
                                                parameter.dtype, *elements, dtypeInfo(parameter.dtype)->bytes);
            if (!tensor) return std::unexpected(tensor.error());
            outputs.inputs.append(*tensor);
        }
        if (parameter.isWritten() && withExpected) {
            const auto tensor = TensorData::map(QStringLiteral("%1/out_%2.bin").arg(folder, parameter.name), parameter.name,
                                                QStringLiteral("float64"), *elements, 8);
            if (!tensor) return std::unexpected(tensor.error());
            outputs.expected.append(*tensor);
        }
    }
    return outputs;
}

const TensorData *find(const QList<TensorData> &tensors, const QString &name)
{
    const auto found = std::ranges::find_if(tensors, [&](const TensorData &tensor) { return tensor.name() == name; });
    return found == tensors.end() ? nullptr : &*found;
}

// By the runner in one of its modes that make inputs; from the cache when it ran before.
QCoro::Task<Result<ReferenceOutputs>> runCached(Task task, Sizes sizes, quint64 seed, QString variant, QString mode,
                                                std::stop_token stop, bool unconfined)
{
    const Result<QString> library = co_await buildReference(task, stop, unconfined);
    if (!library) co_return std::unexpected(library.error());
    Job job{task, sizes, *library, {}, seed, variant, mode, unconfined};
    const Result<QJsonObject> object = jobObject(job);
    if (!object) co_return std::unexpected(object.error());
    const QByteArray key = runKey(*library, *object);
    const bool withExpected = mode == u"reference";
    ReferenceCache &cache = ReferenceCache::instance();
    if (const auto remembered = cache.find(key)) co_return *remembered;
    const QString folder = cache.folderOf(key);
    if (QFileInfo::exists(folder)) {
        if (const auto outputs = mapAll(task, sizes, folder, withExpected)) {
            cache.remember(key, *outputs);
            co_return *outputs;
        }
        cache.forget(key); // damaged: made anew
    }
    QDir().mkpath(cache.root());
    QTemporaryDir work(cache.root() + QStringLiteral("/run-XXXXXX"));
    if (!work.isValid())
        co_return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: this folder cannot be written.").arg(cache.root()));
    job.folder = work.path();
    if (const Result<void> done = co_await runJob(job, stop); !done) co_return std::unexpected(done.error());
    if (QDir().rename(work.path(), folder)) work.setAutoRemove(false);
    const Result<ReferenceOutputs> outputs = mapAll(task, sizes, folder, withExpected);
    if (outputs) cache.remember(key, *outputs);
    cache.evict();
    co_return outputs;
}

} // namespace

Result<TensorData> TensorData::map(const QString &path, const QString &name, const QString &dtype, qint64 elements,
                                   qint64 bytesPerElement)
{
    TensorData tensor;
    tensor.m_name = name;
    tensor.m_dtype = dtype;
    tensor.m_path = path;
    tensor.m_elements = elements;
    tensor.m_file = std::make_shared<QFile>(path);
    const qint64 size = elements * bytesPerElement;
    if (!tensor.m_file->open(QIODevice::ReadOnly) || tensor.m_file->size() != size)
        return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: expected a file of %2 bytes.").arg(path).arg(size));
    const uchar *address = tensor.m_file->map(0, size);
    if (!address) return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: %2.").arg(path, tensor.m_file->errorString()));
    tensor.m_bytes = QByteArrayView(address, size);
    return tensor;
}

const TensorData *ReferenceOutputs::input(const QString &name) const { return find(inputs, name); }

const TensorData *ReferenceOutputs::output(const QString &name) const { return find(expected, name); }

QStringList inputVariants()
{
    return {QStringLiteral("random"), QStringLiteral("zeros"), QStringLiteral("ones"),
            QStringLiteral("large"), QStringLiteral("tiny"), QStringLiteral("negative")};
}

quint64 inputSeed(quint64 seed, const QString &parameter)
{
    return kit::Seed::of(seed, "input", std::string_view(parameter.toStdString())).value();
}

QCoro::Task<Result<ReferenceOutputs>> runReference(Task task, Sizes sizes, quint64 seed, QString variant,
                                                   std::stop_token stop, bool unconfined)
{
    if (!inputVariants().contains(variant))
        co_return failure(QStringLiteral("reference.variant"), QStringLiteral("There are no \"%1\" inputs; known are: %2.")
                                                                   .arg(variant, inputVariants().join(QStringLiteral(", "))));
    co_return co_await runCached(task, sizes, seed, variant, QStringLiteral("reference"), stop, unconfined);
}

QCoro::Task<Result<ReferenceOutputs>> generateInputs(Task task, Sizes sizes, quint64 seed, std::stop_token stop,
                                                     bool unconfined)
{
    co_return co_await runCached(task, sizes, seed, QStringLiteral("random"), QStringLiteral("inputs"), stop, unconfined);
}

QCoro::Task<Result<QString>> runCheckHook(Task task, Sizes sizes, ReferenceOutputs inputs, QList<QByteArray> outputs,
                                          std::stop_token stop, bool unconfined)
{
    if (!task.checkHook) co_return failure(QStringLiteral("check.missing"), QStringLiteral("%1 has no check.cpp.").arg(task.folder));
    const Result<QString> library = co_await buildReference(task, stop, unconfined);
    if (!library) co_return std::unexpected(library.error());
    const QTemporaryDir work;
    qsizetype next = 0;
    for (const Parameter &parameter : std::as_const(task.parameters)) {
        if (parameter.kind != Parameter::Kind::Tensor) continue;
        const TensorData *given = inputs.input(parameter.name);
        QByteArrayView content = given ? given->bytes() : QByteArrayView();
        if (parameter.isWritten()) content = outputs.value(next++);
        QFile file(work.filePath(parameter.name + QStringLiteral(".bin")));
        if (!file.open(QIODevice::WriteOnly) || file.write(content.data(), content.size()) != content.size())
            co_return failure(QStringLiteral("reference.cache"), QStringLiteral("%1: this file cannot be written.").arg(file.fileName()));
    }
    Job job{task, sizes, *library, work.path(), 0, QStringLiteral("given"), QStringLiteral("check"), unconfined};
    const Result<void> done = co_await runJob(job, stop);
    if (done) co_return QString();
    if (done.error().code != u"check.refused") co_return std::unexpected(done.error());
    co_return done.error().message;
}

} // namespace kernelskill
