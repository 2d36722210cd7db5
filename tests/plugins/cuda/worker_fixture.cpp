// SPDX-License-Identifier: Apache-2.0
#include "worker_fixture.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QtEndian>

namespace kernelskill::testing {

namespace {

const QString buildFolder = QStringLiteral(BUILD_DIR);
constexpr int timedElements = 3000, wallClock_ms = 60'000;

// What core/task/translation_unit.h makes of this task.
const QString unit = QStringLiteral(R"(#include <cuda_runtime.h>
extern "C" void solve(const float *x, float *y, int n, cudaStream_t s);
#include "src/solve.cu"
extern "C" __attribute__((visibility("default"))) void kernelskill_call(void **slots, void *stream)
{
    solve(*(const float **)slots[0], *(float **)slots[1], *(int *)slots[2], (cudaStream_t)stream);
}
)");

QJsonObject source(const QString &text)
{
    return {{"unit", unit}, {"files", QJsonArray{QJsonObject{{"path", "solve.cu"}, {"text", text}}}}};
}

QJsonObject sized(int n)
{
    return {{"shapes", QJsonArray{QJsonArray{n}, QJsonArray{n}, QJsonArray()}}, {"scalars", QJsonArray{0, 0, n}}};
}

template <class Value> void writeValues(const QString &path, const QList<double> &values)
{
    QList<Value> raw(values.begin(), values.end());
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(reinterpret_cast<const char *>(raw.constData()), raw.size() * qsizetype(sizeof(Value)));
}

} // namespace

WorkerFixture::WorkerFixture() : m_environment(QProcessEnvironment::systemEnvironment())
{
    const QString stand_in = buildFolder + QStringLiteral("/tests/cuda");
    setEnvironment("KERNELSKILL_LIBCUDA", stand_in + QStringLiteral("/libkernelskill-cuda-stand-in.so"));
    setEnvironment("KERNELSKILL_LIBNVML", QStringLiteral("/nowhere/libnvidia-ml.so.1"));
    setEnvironment("KERNELSKILL_NVCC", stand_in + QStringLiteral("/toolkit/bin/nvcc"));
    setEnvironment("KERNELSKILL_STAND_IN_DEVICE", QString::number(QCoreApplication::applicationPid()));
    setEnvironment("XDG_CACHE_HOME", m_folder.path());
}

QString WorkerFixture::program(const QString &body, const QString &before)
{
    return QStringLiteral("%1\nextern \"C\" void solve(const float *x, float *y, int n, cudaStream_t s)\n{\n%2\n}\n")
        .arg(before, body);
}

QString WorkerFixture::rightBody()
{
    return QStringLiteral("launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; });");
}

QString WorkerFixture::steadyProgram()
{
    return program(QStringLiteral("launch(s, [] { usleep(300); });") + rightBody(), "#include <unistd.h>");
}

QJsonObject WorkerFixture::checkCase(const QString &name, int n, double first) const
{
    QList<double> x, y;
    for (int i = 0; i < n; ++i) {
        x.append(first + 0.25 * i);
        y.append(2 * x.last());
    }
    const QString base = m_folder.filePath(name.simplified().replace(u' ', u'_'));
    writeValues<float>(base + QStringLiteral(".x"), x);
    writeValues<double>(base + QStringLiteral(".y"), y);
    QJsonObject one = sized(n);
    one["name"] = name;
    one["inputs"] = QJsonArray{base + QStringLiteral(".x"), "", ""};
    one["expected"] = QJsonArray{"", base + QStringLiteral(".y"), ""};
    return one;
}

QJsonObject WorkerFixture::request(const QString &candidate) const
{
    const QJsonArray parameters{
        QJsonObject{{"name", "x"},
                    {"dtype", "float32"},
                    {"tensor", true},
                    {"read", true},
                    {"written", false},
                    {"distribution", "normal"},
                    {"first", 0},
                    {"second", 1}},
        QJsonObject{{"name", "y"}, {"dtype", "float32"}, {"tensor", true}, {"read", false}, {"written", true}},
        QJsonObject{{"name", "n"}, {"dtype", "int32"}, {"tensor", false}, {"read", false}, {"written", false}}};
    QJsonObject timed = sized(timedElements);
    timed["name"] = "n=3000";
    timed["weight"] = 1;
    timed["seeds"] = QJsonArray{"1", "2", "3"};
    return {{"absolute", 1e-5},
            {"relative", 1e-4},
            {"parameters", parameters},
            {"checks", QJsonArray{checkCase("outputs n=100 seed 1", 100, 1), checkCase("outputs n=100 seed 2", 100, -7),
                                  checkCase("outputs n=1 seed 1", 1, 3)}},
            {"times", QJsonArray{timed}},
            {"after", QJsonArray{checkCase("outputs n=100 seed 77", 100, 40)}},
            {"candidate", source(candidate)},
            {"baseline", source(program(rightBody()))},
            {"samples", 8},
            {"limits", QJsonObject{{"call_ms", 1500}, {"sampling_s", 0.5}}}};
}

QJsonObject WorkerFixture::generated(QJsonObject request, int sets) const
{
    QJsonObject timed = request.value(u"times").toArray().at(0).toObject();
    QJsonArray further;
    for (int set = 0; set < sets; ++set) {
        QList<double> x;
        for (int i = 0; i < timedElements; ++i)
            x.append(100 * set + 0.25 * i);
        const QString file = m_folder.filePath(QStringLiteral("timed-%1.x").arg(set));
        writeValues<float>(file, x);
        if (set == 0)
            timed["inputs"] = QJsonArray{file, "", ""};
        else
            further.append(QJsonArray{file, "", ""});
    }
    timed["input_sets"] = further;
    request["times"] = QJsonArray{timed};
    request["generated"] = true;
    request["samples"] = 40;
    return request;
}

std::unique_ptr<QProcess> WorkerFixture::start(const QJsonObject &request)
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->start(buildFolder + QStringLiteral("/plugins/cuda/kernelskill-cuda-worker"), QStringList());
    process->write(QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n');
    return process;
}

QJsonObject WorkerFixture::run(const QJsonObject &request, QStringList *stages)
{
    const auto process = start(request);
    if (!process->waitForFinished(wallClock_ms)) return {{"error", "the worker did not finish"}};
    QJsonObject last;
    for (const QByteArray &line : process->readAllStandardOutput().split('\n')) {
        if (line.isEmpty()) continue;
        last = QJsonDocument::fromJson(line).object();
        if (stages && last.contains(u"stage")) stages->append(last.value(u"stage").toString());
    }
    return last;
}

QStringList WorkerFixture::processes() const
{
    QStringList found;
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
        if (!file.open(QIODevice::ReadOnly)) continue;
        const QString line = QString::fromUtf8(file.readAll().replace('\0', ' '));
        if (line.contains(m_folder.path())) found.append(line);
    }
    return found;
}

// The stand-in's number is the first four bytes of its uuid.
QString WorkerFixture::leaseFile() const
{
    const quint32 number = qToLittleEndian(m_environment.value("KERNELSKILL_STAND_IN_DEVICE").toUInt());
    const QByteArray bytes(reinterpret_cast<const char *>(&number), sizeof number);
    return QStringLiteral("/tmp/kernelskill-GPU-%1-0000-0000-0000-000000000000.lease")
        .arg(QString::fromLatin1(bytes.toHex()));
}

QString outcome(const QJsonObject &answer, const QString &check)
{
    for (const QJsonValue &value : answer.value(u"checks").toArray())
        if (value[u"name"].toString() == check) return value[u"outcome"].toString();
    return {};
}

QStringList failures(const QJsonObject &answer)
{
    QStringList names;
    for (const QJsonValue &value : answer.value(u"checks").toArray())
        if (value[u"outcome"].toString() == QLatin1String("failed")) names.append(value[u"name"].toString());
    return names;
}

QString complaints(const QJsonObject &answer)
{
    QStringList lines;
    if (answer.contains(u"error")) lines.append(answer.value(u"error").toString());
    for (const QJsonValue &value : answer.value(u"checks").toArray())
        if (value[u"outcome"].toString() != QLatin1String("passed"))
            lines.append(value[u"name"].toString() + QStringLiteral(": ") + value[u"detail"].toString());
    return lines.join(u'\n');
}

QString findingKind(const QJsonObject &answer)
{
    return answer.value(u"findings").toArray().at(0)[u"kind"].toString();
}

} // namespace kernelskill::testing
