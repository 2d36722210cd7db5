// SPDX-License-Identifier: Apache-2.0
#include "kit/dtypes.h"
#include "kit/value_generator.h"
#include "task/reference.h"
#include "task/reference_build.h"
#include "task/reference_cache.h"
#include "task/task.h"

#include <QCoroTest>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>

using namespace kernelskill;

namespace {

// Every kind of argument: float, half, integer and bool tensors, a tensor that is read and written, scalars of two types.
const QByteArray mixedTask = R"({ "schema": 1, "name": "mixed",
  "sizes": { "check": {"rows": 3, "cols": 5}, "edge": [{"rows": 1, "cols": 1}, {"rows": 17, "cols": 33}], "time": {"rows": 64, "cols": 64} },
  "parameters": [
    {"name": "x", "kind": "tensor", "dtype": "float16", "shape": ["rows", "cols"], "role": "in"},
    {"name": "index", "kind": "tensor", "dtype": "int32", "shape": ["rows"], "role": "in",
     "values": {"distribution": "integer", "low": 0, "high": 4}},
    {"name": "mask", "kind": "tensor", "dtype": "bool", "shape": ["rows"], "role": "in"},
    {"name": "total", "kind": "tensor", "dtype": "float64", "shape": ["rows"], "role": "inout"},
    {"name": "y", "kind": "tensor", "dtype": "float32", "shape": ["rows", "cols"], "role": "out"},
    {"name": "count", "kind": "tensor", "dtype": "int64", "shape": [1], "role": "out"},
    {"name": "rows", "kind": "scalar", "dtype": "int32", "value": "rows"},
    {"name": "cols", "kind": "scalar", "dtype": "int64", "value": "cols"},
    {"name": "factor", "kind": "scalar", "dtype": "float32", "value": 0.5} ] })";

const QByteArray mixedReference = R"(#include <cstdio>
extern "C" void reference(const float *x, const int *index, const bool *mask, double *total, float *y, long long *count,
                          int rows, long long cols, float factor)
{
    std::puts("the reference may print");
    *count = 0;
    for (int r = 0; r < rows; ++r) {
        for (long long c = 0; c < cols; ++c) {
            y[r * cols + c] = x[r * cols + c] * factor + index[r];
            total[r] += x[r * cols + c];
        }
        *count += mask[r];
    }
}
)";

} // namespace

class TestReference : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder, m_cache;

    void write(const QString &name, const QByteArray &text)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
        file.write(text);
    }
    Task task()
    {
        const auto read = readTask(m_folder.path());
        if (!read) qFatal("%s", qPrintable(read.error().message));
        return *read;
    }
    Task taskWith(const QByteArray &reference)
    {
        write(QStringLiteral("reference.cpp"), reference);
        return task();
    }
    static Result<ReferenceOutputs> run(const Task &task, const Sizes &sizes, quint64 seed = 1, const QString &variant = QStringLiteral("random"))
    {
        return QCoro::waitFor(runReference(task, sizes, seed, variant, {}));
    }
    static QList<double> doubles(const TensorData *tensor)
    {
        QList<double> values(tensor->elements());
        kit::findDtype(tensor->dtype().toStdString())->toDouble(tensor->bytes().data(), values.data(), std::size_t(values.size()));
        return values;
    }
    // What the mixed reference must give, worked out here from the inputs it says it had.
    static void verifyMixed(const ReferenceOutputs &outputs, const Sizes &sizes)
    {
        const qint64 rows = sizes[QStringLiteral("rows")], cols = sizes[QStringLiteral("cols")];
        const QList<double> x = doubles(outputs.input(QStringLiteral("x"))), index = doubles(outputs.input(QStringLiteral("index"))),
                            mask = doubles(outputs.input(QStringLiteral("mask"))), before = doubles(outputs.input(QStringLiteral("total"))),
                            after = doubles(outputs.output(QStringLiteral("total"))), y = doubles(outputs.output(QStringLiteral("y")));
        QCOMPARE(x.size(), rows * cols);
        double masked = 0;
        for (qint64 r = 0; r < rows; ++r) {
            double sum = before[r];
            for (qint64 c = 0; c < cols; ++c) {
                QCOMPARE(y[r * cols + c], double(float(x[r * cols + c]) * 0.5f + float(index[r])));
                sum += x[r * cols + c];
            }
            QCOMPARE(after[r], sum);
            masked += mask[r];
        }
        QCOMPARE(doubles(outputs.output(QStringLiteral("count"))), QList<double>{masked});
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8());
        write(QStringLiteral("task.json"), mixedTask);
        write(QStringLiteral("baseline.cu"), "extern \"C\" void solve() {}");
        write(QStringLiteral("reference.cpp"), mixedReference);
    }
    void init() { write(QStringLiteral("reference.cpp"), mixedReference); }
    void cleanup()
    {
        QFile::remove(m_folder.filePath(QStringLiteral("generate.cpp")));
        QFile::remove(m_folder.filePath(QStringLiteral("check.cpp")));
    }

    void allSizesAreRight()
    {
        const Task mixed = task();
        for (const Sizes &sizes : mixed.checkedSizes()) {
            const auto outputs = run(mixed, sizes);
            QVERIFY2(outputs, outputs ? "" : qPrintable(outputs.error().message + outputs.error().detail));
            verifyMixed(*outputs, sizes);
        }
    }

    void inputsAreTheGenerators()
    {
        const Task mixed = task();
        const auto outputs = run(mixed, mixed.check, 7);
        QVERIFY(outputs);
        QByteArray expected(15 * 2, 0);
        kit::generateValues(*kit::findDtype("float16"), {}, kit::Variant::Random, kit::Seed(inputSeed(7, QStringLiteral("x"))), expected.data(), 0, 15, 15);
        QCOMPARE(outputs->input(QStringLiteral("x"))->bytes().toByteArray(), expected);
        for (double value : doubles(outputs->input(QStringLiteral("index")))) QVERIFY(value >= 0 && value <= 4);
    }

    void seedsAndVariantsDiffer()
    {
        const Task mixed = task();
        const auto bytes = [&](quint64 seed, const QString &variant) {
            return run(mixed, mixed.check, seed, variant)->input(QStringLiteral("x"))->bytes().toByteArray();
        };
        QVERIFY(bytes(1, QStringLiteral("random")) != bytes(2, QStringLiteral("random")));
        QCOMPARE(bytes(1, QStringLiteral("zeros")), QByteArray(30, 0));
        for (const QString &variant : inputVariants()) {
            const auto outputs = run(mixed, mixed.check, 3, variant);
            QVERIFY2(outputs, outputs ? "" : qPrintable(outputs.error().message));
            verifyMixed(*outputs, mixed.check);
        }
        QCOMPARE(run(mixed, mixed.check, 1, QStringLiteral("pretty")).error().code, QStringLiteral("reference.variant"));
    }

    void resultsAreCachedAndDamageIsRepaired()
    {
        const Task mixed = task();
        const auto first = run(mixed, mixed.check, 11);
        QVERIFY(first);
        const QString path = first->output(QStringLiteral("y"))->path();
        QVERIFY(path.startsWith(m_cache.path()));
        QCOMPARE(run(mixed, mixed.check, 11)->output(QStringLiteral("y"))->path(), path);
        const QByteArray key = QFileInfo(path).dir().dirName().toLatin1();
        ReferenceCache fresh(ReferenceCache::instance().root());
        QVERIFY(!fresh.find(key));
        ReferenceCache::instance().forget(key);
        QVERIFY(!QFile::exists(path));
        const auto again = run(mixed, mixed.check, 11);
        QVERIFY(again);
        QCOMPARE(again->output(QStringLiteral("y"))->bytes().toByteArray(), first->output(QStringLiteral("y"))->bytes().toByteArray());
    }

    void evictionRemovesTheOldest()
    {
        QTemporaryDir root;
        ReferenceCache cache(root.path(), 2500);
        for (int i = 0; i < 4; ++i) {
            const QByteArray key = "key" + QByteArray::number(i);
            QVERIFY(QDir().mkpath(cache.folderOf(key)));
            QFile file(cache.folderOf(key) + QStringLiteral("/data"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray(1000, 'x'));
            file.close();
            const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
            utimensat(AT_FDCWD, cache.folderOf(key).toLocal8Bit().constData(), times, 0);
        }
        cache.evict();
        QCOMPARE(QDir(root.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList({QStringLiteral("key2"), QStringLiteral("key3")}));
        // What was just used stays even where it does not fit: somebody may be about to read it.
        ReferenceCache small(root.path(), 500);
        small.remember("key2", {});
        small.evict();
        QCOMPARE(QDir(root.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList({QStringLiteral("key2")}));
        // Remembered, but its files are gone: it has to be made again.
        QVERIFY(small.find("key2"));
        QVERIFY(QDir(small.folderOf("key2")).removeRecursively());
        QVERIFY(!small.find("key2"));
    }

    void generateHookDecidesInputs()
    {
        write(QStringLiteral("generate.cpp"), R"(extern "C" void generate(float *x, int *index, bool *, double *, float *, long long *,
            int rows, long long cols, float, unsigned long long seed) {
            for (int i = 0; i < rows * cols; ++i) x[i] = 1.0f / 3;
            for (int i = 0; i < rows; ++i) index[i] = int(seed % 5);
        })");
        const Task hooked = task();
        const auto outputs = run(hooked, hooked.check);
        QVERIFY2(outputs, outputs ? "" : qPrintable(outputs.error().message));
        verifyMixed(*outputs, hooked.check);
        // The hook wrote more digits than a half has; everybody sees the rounded value.
        QCOMPARE(doubles(outputs->input(QStringLiteral("x"))).first(), kit::float16ToDouble(kit::float16FromDouble(1.0f / 3)));
        QVERIFY(doubles(run(hooked, hooked.check, 1, QStringLiteral("zeros"))->input(QStringLiteral("x"))).first() == 0); // not for fills
    }

    void inputsAlone()
    {
        write(QStringLiteral("generate.cpp"), R"(extern "C" void generate(float *x, int *index, bool *, double *, float *, long long *,
            int rows, long long cols, float, unsigned long long seed) {
            for (int i = 0; i < rows * cols; ++i) x[i] = 0.5f;
            for (int i = 0; i < rows; ++i) index[i] = int(seed % 1000);
        })");
        const Task hooked = task();
        const auto whole = run(hooked, hooked.check, 5);
        QVERIFY2(whole, whole ? "" : qPrintable(whole.error().message));
        const auto alone = QCoro::waitFor(generateInputs(hooked, hooked.check, 5, {}));
        QVERIFY2(alone, alone ? "" : qPrintable(alone.error().message));
        QVERIFY(alone->expected.isEmpty());
        QCOMPARE(alone->inputs.size(), whole->inputs.size());
        for (qsizetype i = 0; i < alone->inputs.size(); ++i)
            QVERIFY(alone->inputs[i].bytes() == whole->inputs[i].bytes());
        const auto other = QCoro::waitFor(generateInputs(hooked, hooked.check, 6, {}));
        QVERIFY(other && other->input(QStringLiteral("index"))->bytes() != alone->input(QStringLiteral("index"))->bytes());
        // No reference is run for them.
        write(QStringLiteral("reference.cpp"), "extern \"C\" void reference(const float *, const int *, const bool *, "
                                               "double *, float *, long long *, int, long long, float) "
                                               "{ __builtin_trap(); }");
        const Task broken = task();
        QVERIFY(!run(broken, broken.check, 5));
        QVERIFY(QCoro::waitFor(generateInputs(broken, broken.check, 5, {})));
    }

    void checkHookJudges()
    {
        write(QStringLiteral("check.cpp"), R"(extern "C" const char *check(const float *x, const int *, const bool *, double *,
            float *y, long long *, int, long long, float) { return y[0] == x[0] ? nullptr : "y[0] is not x[0]"; })");
        const Task checked = task();
        const auto outputs = run(checked, checked.check);
        QVERIFY(outputs);
        const QByteArray total(3 * 8, 0), count(8, 0);
        QByteArray y(15 * 4, 0);
        const auto judge = [&] {
            return QCoro::waitFor(runCheckHook(checked, checked.check, *outputs, {total, y, count}, {}));
        };
        auto verdict = judge();
        QVERIFY2(verdict, verdict ? "" : qPrintable(verdict.error().message));
        QVERIFY2(verdict->contains(QStringLiteral("y[0] is not x[0]")), qPrintable(*verdict));
        reinterpret_cast<float *>(y.data())[0] = float(doubles(outputs->input(QStringLiteral("x"))).first());
        verdict = judge();
        QVERIFY(verdict);
        QCOMPARE(*verdict, QString());
    }

    void faults_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("part");
        const auto row = [](const char *name, const QByteArray &body, const char *code, const char *part) {
            QTest::newRow(name) << body << QString::fromLatin1(code) << QString::fromLatin1(part);
        };
        row("does not compile", "\n    nonsense;", "reference.build", "reference.cpp:4: this does not compile: ");
        row("crashes", "*(volatile int *)8 = 1;", "reference.crashed", "reference.cpp: it crashed: signal 11 (SIGSEGV)");
        row("exits", "_exit(0);", "reference.crashed", "reference.cpp: it ended the program early: exit status 0");
        row("forks", "fork();", "reference.crashed", "refused system call fork");
        row("opens a socket", "socket(2, 1, 0);", "reference.crashed", "refused system call socket");
        row("forgets outputs", "count[0] = 1;", "reference.incomplete", "leaves 15 of 15 elements of y unwritten, the first at 0");
    }
    void faults()
    {
        QFETCH(QByteArray, body);
        QFETCH(QString, code);
        QFETCH(QString, part);
        const Task broken = taskWith("#include <unistd.h>\n#include <sys/socket.h>\nextern \"C\" void reference(const float *x, const int *index, const bool *mask, double *total, "
                                     "float *y, long long *count, int rows, long long cols, float factor) {" + body + "}\n");
        const auto outputs = run(broken, broken.check);
        QVERIFY(!outputs);
        QCOMPARE(outputs.error().code, code);
        QVERIFY2(outputs.error().message.contains(part), qPrintable(outputs.error().message));
        QVERIFY2(outputs.error().message.contains(m_folder.path()), qPrintable(outputs.error().message));
    }

    void forgottenExternCIsExplained()
    {
        const Task broken = taskWith("void reference() {}");
        const auto outputs = run(broken, broken.check);
        QVERIFY(!outputs);
        QVERIFY2(outputs.error().message.contains(QStringLiteral("reference.cpp: expected a definition of extern \"C\" reference")), qPrintable(outputs.error().message));
    }

    void stopEndsAnEndlessReference()
    {
        const Task endless = taskWith("extern \"C\" void reference() { for (;;) asm volatile(\"\"); }");
        std::stop_source source;
        QTimer::singleShot(500, this, [&] { source.request_stop(); });
        const auto outputs = QCoro::waitFor(runReference(endless, endless.check, 1, QStringLiteral("random"), source.get_token()));
        QVERIFY(!outputs);
        QCOMPARE(outputs.error().code, QStringLiteral("reference.stopped"));
        const QStringList left = QDir(m_cache.filePath(QStringLiteral("kernelskill/references/runs"))).entryList({QStringLiteral("run-*")}, QDir::Dirs);
        QCOMPARE(left, QStringList());
    }

    void bundledReferencesRun()
    {
        const QDir folder(QStringLiteral(SOURCE_DIR "/resources/tasks"));
        const QStringList names = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &name : names) {
            if (!QFile::exists(folder.filePath(name + QStringLiteral("/task.json")))) continue;
            const auto bundled = readTask(folder.filePath(name));
            QVERIFY2(bundled, bundled ? "" : qPrintable(bundled.error().message));
            const auto outputs = run(*bundled, bundled->check);
            QVERIFY2(outputs, outputs ? "" : qPrintable(outputs.error().message + outputs.error().detail));
            for (const TensorData &tensor : outputs->expected)
                for (double value : doubles(&tensor)) QVERIFY2(std::isfinite(value), qPrintable(name));
        }
    }

    void trampolineHasExactTypes()
    {
        QVERIFY(trampolineSource(task()).startsWith(
            QStringLiteral("extern \"C\" void reference(const float *, const int *, const bool *, double *, float *, long long *, int, long long, float);\n")));
    }
};

QTEST_GUILESS_MAIN(TestReference)
#include "tst_reference.moc"
