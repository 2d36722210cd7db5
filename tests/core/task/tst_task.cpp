// SPDX-License-Identifier: Apache-2.0
#include "task/candidate.h"
#include "task/dtypes.h"
#include "task/languages.h"
#include "task/source_text.h"
#include "task/task.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;

namespace {

const QByteArray goodTask = R"({ "schema": 1, "name": "row_softmax", "title": "Softmax over rows", "description": "Markdown",
  "sizes": { "check": {"rows": 7, "cols": 515},
             "edge":  [ {"rows": 1, "cols": 1}, {"rows": 33, "cols": 4099}, {"rows": 7, "cols": 515} ],
             "time":  {"rows": 4096, "cols": 4096} },
  "parameters": [
    {"name": "x", "kind": "tensor", "dtype": "float32", "shape": ["rows", "cols"], "role": "in",
     "values": {"distribution": "normal", "mean": 0, "std": 1}},
    {"name": "y", "kind": "tensor", "dtype": "float32", "shape": ["rows", "cols"], "role": "out"},
    {"name": "rows", "kind": "scalar", "dtype": "int32", "value": "rows"},
    {"name": "cols", "kind": "scalar", "dtype": "int32", "value": "cols"} ],
  "tolerance": {"absolute": 1e-5, "relative": 1e-4},
  "work": {"flops": "5*rows*cols", "bytes": "8*rows*cols"},
  "graph": {"inputs": ["x"], "nodes": [{"id": "y", "op": "softmax", "inputs": ["x"], "attributes": {"dim": -1}}], "outputs": ["y"]} })";

// Replaces the value a JSON pointer leads to; an undefined value removes it.
QJsonValue replaced(const QJsonValue &value, QStringList path, const QJsonValue &with)
{
    if (path.isEmpty()) return with;
    const QString key = path.takeFirst();
    if (value.isArray()) {
        QJsonArray array = value.toArray();
        if (key == u"-") array.append(with);
        else array[key.toInt()] = replaced(array[key.toInt()], path, with);
        return array;
    }
    QJsonObject object = value.toObject();
    const QJsonValue inner = replaced(object.value(key), path, with);
    if (inner.isUndefined()) object.remove(key);
    else object.insert(key, inner);
    return object;
}

} // namespace

class TestTask : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    void write(const QString &name, const QByteArray &text)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
        file.write(text);
    }
    void writeChanged(const QString &pointer, const QJsonValue &value)
    {
        const QJsonObject object = QJsonDocument::fromJson(goodTask).object();
        write(QStringLiteral("task.json"),
              QJsonDocument(replaced(object, pointer.split(u'/', Qt::SkipEmptyParts), value).toObject()).toJson());
    }
    Error refusal()
    {
        const auto task = readTask(m_folder.path());
        return task ? Error{} : task.error();
    }

private Q_SLOTS:
    void init()
    {
        for (const char *name : {"generate.cpp", "check.cpp"}) QFile::remove(m_folder.filePath(QString::fromLatin1(name)));
        write(QStringLiteral("task.json"), goodTask);
        write(QStringLiteral("reference.cpp"), "extern \"C\" void reference(const float *x, float *y, int rows, int cols) {}\n");
        write(QStringLiteral("baseline.cu"), "extern \"C\" void solve(const float *x, float *y, int rows, int cols, cudaStream_t s) {}\n");
    }

    void goodTaskIsRead()
    {
        const auto task = readTask(m_folder.path());
        QVERIFY2(task, task ? "" : qPrintable(task.error().message));
        QCOMPARE(task->name, QStringLiteral("row_softmax"));
        QCOMPARE(task->title, QStringLiteral("Softmax over rows"));
        QCOMPARE(task->kind, QStringLiteral("native"));
        QVERIFY(QDir::isAbsolutePath(task->folder));
        QCOMPARE(task->check, (Sizes{{QStringLiteral("rows"), 7}, {QStringLiteral("cols"), 515}}));
        QCOMPARE(task->edge.size(), 3);
        QCOMPARE(task->checkedSizes().size(), 3); // the edge that equals check counts once
        QCOMPARE(task->time.size(), 1);
        QCOMPARE(task->time[0].name, QStringLiteral("time"));
        QCOMPARE(task->time[0].weight, 1.0);
        QCOMPARE(task->parameters.size(), 4);
        QVERIFY(task->parameter(QStringLiteral("x"))->isRead() && !task->parameter(QStringLiteral("x"))->isWritten());
        QVERIFY(!task->parameter(QStringLiteral("y"))->isRead() && task->parameter(QStringLiteral("y"))->isWritten());
        QCOMPARE(task->parameter(QStringLiteral("x"))->shape[1].evaluateInteger(task->check).value(), 515);
        QVERIFY(!task->parameter(QStringLiteral("z")));
        QCOMPARE(task->flops.evaluate(task->check).value(), 5.0 * 7 * 515);
        QVERIFY(task->graph);
        QCOMPARE(task->graph->nodes[0].op, QStringLiteral("softmax"));
        QVERIFY(task->reference.contains(QStringLiteral("reference")));
        QCOMPARE(task->baseline.files[0].path, QStringLiteral("baseline.cu"));
        QCOMPARE(task->solveDeclaration(),
                 QStringLiteral("extern \"C\" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)"));
    }

    void bundledTasksAreRead()
    {
        const QDir folder(QStringLiteral(SOURCE_DIR "/resources/tasks"));
        const QStringList names = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &name : names) {
            if (!QFile::exists(folder.filePath(name + QStringLiteral("/task.json")))) continue;
            const auto task = readTask(folder.filePath(name));
            QVERIFY2(task, task ? "" : qPrintable(task.error().message));
        }
    }

    void optionalPartsHaveDefaults()
    {
        write(QStringLiteral("task.json"), R"({"schema": 1, "name": "scale", "sizes": {"check": {"n": 5}, "time": {"n": 100}},
            "parameters": [{"name": "x", "kind": "tensor", "dtype": "float16", "shape": ["n"], "role": "inout"},
                           {"name": "mask", "kind": "tensor", "dtype": "bool", "shape": ["n", 2], "role": "in"}], "extra": {"a": 1}})");
        const auto task = readTask(m_folder.path());
        QVERIFY2(task, task ? "" : qPrintable(task.error().message));
        QCOMPARE(task->title, QStringLiteral("scale"));
        QCOMPARE(task->tolerance.relative, 1e-4);
        QCOMPARE(task->bytes.evaluate({{QStringLiteral("n"), 10}}).value(), 4.0 * 10 + 1.0 * 20); // inout moves twice
        QVERIFY(!task->graph && !task->generateHook && !task->checkHook && !task->prepareEntry);
        QVERIFY(task->parameters[1].values.kind == Distribution::Kind::Bernoulli);
    }

    void severalTimeSizes()
    {
        writeChanged(QStringLiteral("/sizes/time"), QJsonDocument::fromJson(R"([
            {"name": "small", "weight": 2, "size": {"rows": 128, "cols": 64}},
            {"name": "large", "size": {"rows": 4096, "cols": 4096}, "max_regression": 1.2}])").array());
        const auto task = readTask(m_folder.path());
        QVERIFY2(task, task ? "" : qPrintable(task.error().message));
        QCOMPARE(task->time.size(), 2);
        QCOMPARE(task->time[0].weight, 2.0);
        QCOMPARE(task->time[0].maxRegression, 1.05);
        QCOMPARE(task->time[1].name, QStringLiteral("large"));
        QCOMPARE(task->time[1].maxRegression, 1.2);
    }

    void hooksAreRead()
    {
        write(QStringLiteral("generate.cpp"), "extern \"C\" void generate(float *x, float *y, int, int, unsigned long long) {}");
        write(QStringLiteral("check.cpp"), "extern \"C\" const char *check(const float *, float *, int, int) { return nullptr; }");
        write(QStringLiteral("baseline.cu"), "void prepare_weights() {} extern \"C\" void solve() {}");
        writeChanged(QStringLiteral("/prepare"), QStringLiteral("prepare_weights"));
        const auto task = readTask(m_folder.path());
        QVERIFY2(task, task ? "" : qPrintable(task.error().message));
        QVERIFY(task->generateHook && task->checkHook);
        QCOMPARE(task->prepareEntry.value(), QStringLiteral("prepare_weights"));
    }

    void readsVendorBaseline()
    {
        write(QStringLiteral("vendor.cu"), "extern \"C\" void solve() {}");
        writeChanged(QStringLiteral("/vendor"), QJsonObject{{QStringLiteral("title"), QStringLiteral("cuBLAS sgemm")},
                                                            {QStringLiteral("libraries"), QJsonArray{QStringLiteral("cublas")}}});
        const Result<Task> task = readTask(m_folder.path());
        QVERIFY2(task, qPrintable(task ? QString() : task.error().message));
        QVERIFY(task->vendor);
        QCOMPARE(task->vendor->title, QStringLiteral("cuBLAS sgemm"));
        QCOMPARE(task->vendor->candidate.files.first().path, QStringLiteral("vendor.cu"));
        QCOMPARE(task->vendor->candidate.libraries, QStringList{QStringLiteral("cublas")});
        QVERIFY(QFile::remove(m_folder.filePath(QStringLiteral("vendor.cu"))));
        QVERIFY(refusal().message.startsWith(m_folder.filePath(QStringLiteral("vendor.cu")) + QStringLiteral(": this file is missing")));
        // it decides nothing about other candidates
        Task without = *task;
        without.vendor.reset();
        QCOMPARE(task->digest(), without.digest());
        const Candidate copy = Candidate::fromJson(task->vendor->candidate.toJson());
        QCOMPARE(copy, task->vendor->candidate);
        Candidate unlinked = copy;
        unlinked.libraries.clear();
        QVERIFY(copy.digest() != unlinked.digest());
    }

    void benchTasksAreRead()
    {
        int read = 0, vendors = 0;
        for (const QString &place : {QStringLiteral("resources/tasks"), QStringLiteral("tests/bench/gpu_loop/tasks"), QStringLiteral("tests/bench/simulator_ladders")}) {
            const QDir folder(QStringLiteral(SOURCE_DIR "/") + place);
            for (const QString &name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
                if (!QFile::exists(folder.filePath(name + QStringLiteral("/task.json")))) continue; // versions of a bundled task
                const Result<Task> task = readTask(folder.filePath(name));
                QVERIFY2(task, qPrintable(task ? QString() : task.error().message));
                QCOMPARE(task->name, name);
                QCOMPARE(QFile::exists(folder.filePath(name + QStringLiteral("/vendor.cu"))), task->vendor.has_value());
                vendors += task->vendor ? 1 : 0;
                ++read;
            }
        }
        QCOMPARE(read, 5 + 42 + 14);
        QCOMPARE(vendors, 3 + 9 + 6);
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("part"); // after "task.json: "
        const QJsonValue gone(QJsonValue::Undefined);
        const auto row = [](const char *name, const char *pointer, const QJsonValue &value, const char *part) {
            QTest::newRow(name) << QString::fromLatin1(pointer) << value << QString::fromLatin1(part);
        };
        row("no schema", "/schema", gone, "/schema: this key is missing");
        row("newer schema", "/schema", 2, "/schema: expected 1, the only version this program reads, found 2");
        row("schema is a text", "/schema", "1", "/schema: expected a whole number, found a text");
        row("no name", "/name", gone, "/name: this key is missing");
        row("name with a slash", "/name", "a/b", "/name: expected a name of letters");
        row("title is a number", "/title", 5, "/title: expected a text, found a number");
        row("no sizes", "/sizes", gone, "/sizes: this key is missing");
        row("no check size", "/sizes/check", gone, "/sizes/check: this key is missing");
        row("negative size", "/sizes/check/rows", -7, "/sizes/check/rows: expected a size of at least 1, found -7");
        row("size 0", "/sizes/edge/0/cols", 0, "/sizes/edge/0/cols: expected a size of at least 1, found 0");
        row("fractional size", "/sizes/time/rows", 1.5, "/sizes/time/rows: expected a whole number, found 1.5");
        row("size is a text", "/sizes/check/rows", "7", "/sizes/check/rows: expected a whole number, found a text");
        row("size missing in an edge", "/sizes/edge/1/cols", gone, "/sizes/edge/1: the size \"cols\" is missing, which sizes.check has");
        row("size too many", "/sizes/time/depth", 3, "/sizes/time/depth: sizes.check has no \"depth\"");
        row("edge is an object", "/sizes/edge", QJsonObject(), "/sizes/edge: expected an array, found an object");
        row("no time sizes", "/sizes/time", QJsonArray(), "/sizes/time: expected at least one size to time");
        row("time is a number", "/sizes/time", 3, "/sizes/time: expected an object of sizes, or a list of {name, weight, size}");
        row("no parameters", "/parameters", gone, "/parameters: this key is missing");
        row("parameters is an object", "/parameters", QJsonObject(), "/parameters: expected an array, found an object");
        row("nothing is written", "/parameters/1/role", "in", "/parameters: expected at least one tensor with role \"out\" or \"inout\"");
        row("unknown dtype", "/parameters/0/dtype", "float8",
            "/parameters/0/dtype: expected float64, float32, float16, bfloat16, int64, int32, int8, uint8 or bool, found \"float8\"");
        row("unknown kind", "/parameters/0/kind", "matrix", "/parameters/0/kind: expected tensor or scalar, found \"matrix\"");
        row("unknown role", "/parameters/0/role", "input", "/parameters/0/role: expected in, out or inout, found \"input\"");
        row("duplicate name", "/parameters/3/name", "rows", "/parameters/3/name: \"rows\" is there twice");
        row("name is a keyword", "/parameters/0/name", "class", "/parameters/0/name: expected a C++ name");
        row("name is taken", "/parameters/0/name", "stream", "/parameters/0/name: expected a C++ name");
        row("no shape", "/parameters/0/shape", gone, "/parameters/0/shape: this key is missing");
        row("shape is a text", "/parameters/0/shape", "rows", "/parameters/0/shape: expected an array, found a text");
        row("unknown size name", "/parameters/0/shape/1", "columns", "/parameters/0/shape/1: there is no size \"columns\"; known are: cols, rows");
        row("broken expression", "/parameters/0/shape/0", "rows +", "/parameters/0/shape/0: \"rows +\", column 7: expected a number");
        row("dimension 0", "/parameters/0/shape/0", "rows - 1", "/parameters/0/shape/0: expected a dimension of at least 1, found 0 with cols = 1, rows = 1");
        row("fractional dimension", "/parameters/0/shape/0", "rows / 2", "/parameters/0/shape/0: \"rows / 2\" is 3.5, expected a whole number (with cols = 515, rows = 7)");
        row("division by zero", "/parameters/0/shape/0", "rows*514 // (cols - 1)", "/parameters/0/shape/0: division by zero (with cols = 1, rows = 1)");
        row("shape of booleans", "/parameters/0/shape/0", true, "/parameters/0/shape/0: expected an expression over sizes");
        row("huge tensor", "/parameters/0/shape/0", "rows*1000000*1000000", "/parameters/0/shape: the tensor has");
        row("no value", "/parameters/2/value", gone, "/parameters/2/value: this key is missing");
        row("value does not fit", "/parameters/2/value", "rows*1000000000", "/parameters/2/value: 7000000000 does not fit into int32 with cols = 515, rows = 7");
        row("unknown distribution", "/parameters/0/values/distribution", "gauss",
            "/parameters/0/values/distribution: expected normal, uniform, integer, bernoulli, constant or permutation, found \"gauss\"");
        row("negative deviation", "/parameters/0/values/std", -1, "/parameters/0/values/std: expected at least 0, found -1");
        row("values is a text", "/parameters/0/values", "normal", "/parameters/0/values: expected an object, found a text");
        row("integer without bounds", "/parameters/0/values", QJsonObject{{"distribution", "integer"}, {"low", 1}}, "/parameters/0/values/high: this key is missing");
        row("bounds the wrong way", "/parameters/0/values", QJsonObject{{"distribution", "uniform"}, {"low", 2}, {"high", 1}},
            "/parameters/0/values: expected low not above high, found 2 and 1");
        row("probability of 2", "/parameters/0/values", QJsonObject{{"distribution", "bernoulli"}, {"p", 2}}, "/parameters/0/values/p: expected 0 to 1, found 2");
        row("negative tolerance", "/tolerance/absolute", -1, "/tolerance/absolute: expected at least 0, found -1");
        row("tolerance is a number", "/tolerance", 1, "/tolerance: expected an object, found a number");
        row("work with unknown size", "/work/flops", "n*n", "/work/flops: there is no size \"n\"; known are: cols, rows");
        row("negative work", "/work/bytes", "-rows", "/work/bytes: expected no negative amount, found -7");
        row("graph input unknown", "/graph/inputs", QJsonArray{"w"}, "/graph/");
        row("graph is a list", "/graph", QJsonArray(), "/graph: expected an object, found an array");
        row("vendor without title", "/vendor", QJsonObject{}, "/vendor/title: this key is missing");
        row("vendor's library", "/vendor", QJsonObject{{"title", "t"}, {"libraries", QJsonArray{"m"}}},
            "/vendor/libraries/0: expected cublas, cublasLt, cudnn");
        row("vendor elsewhere", "/vendor", QJsonObject{{"title", "t"}, {"file", "../vendor.cu"}},
            "/vendor/file: expected the name of a .cu file in this folder, found \"../vendor.cu\"");
        row("prepare is missing", "/prepare", "warm", "/prepare: baseline.cu defines no function \"warm\"");
        row("nameless time size", "/sizes/time", QJsonDocument::fromJson(R"([{"size": {"rows": 1, "cols": 1}}])").array(), "/sizes/time/0/name: this key is missing");
        row("time size without weight", "/sizes/time",
            QJsonDocument::fromJson(R"([{"name": "a", "weight": 0, "size": {"rows": 1, "cols": 1}}])").array(), "/sizes/time/0/weight: expected a weight above 0");
        row("time sizes of one name", "/sizes/time",
            QJsonDocument::fromJson(R"([{"name": "a", "size": {"rows": 1, "cols": 1}}, {"name": "a", "size": {"rows": 2, "cols": 1}}])").array(),
            "/sizes/time/1/name: \"a\" is there twice");
    }
    void refusals()
    {
        QFETCH(QString, pointer);
        QFETCH(QJsonValue, value);
        QFETCH(QString, part);
        writeChanged(pointer, value);
        const Error error = refusal();
        QVERIFY2(error.message.startsWith(m_folder.filePath(QStringLiteral("task.json")) + QStringLiteral(": ")), qPrintable(error.message));
        QVERIFY2(error.message.contains(QStringLiteral("task.json: ") + part), qPrintable(error.message));
        QVERIFY(error.code.startsWith(u"task.") || error.code.startsWith(u"graph."));
    }

    void syntaxErrorsNameLineAndColumn()
    {
        write(QStringLiteral("task.json"), "{\n  \"schema\": 1,\n  \"name\" \"x\"\n}\n");
        QVERIFY2(refusal().message.contains(QStringLiteral("task.json:3:")), qPrintable(refusal().message));
        QCOMPARE(refusal().code, QStringLiteral("task.syntax"));
        write(QStringLiteral("task.json"), "{\"schema\": 1,\n \"name\": \"x\",\n \"name\": \"y\"}");
        QCOMPARE(refusal().message, m_folder.filePath(QStringLiteral("task.json")) + QStringLiteral(":3:2: the key \"name\" stands twice in one object."));
        write(QStringLiteral("task.json"), "[]");
        QVERIFY(refusal().message.contains(QStringLiteral("task.json: /: expected an object, found an array")));
        write(QStringLiteral("task.json"), "");
        QCOMPARE(refusal().code, QStringLiteral("task.syntax"));
    }

    void missingFilesAreNamed()
    {
        QCOMPARE(readTask(m_folder.filePath(QStringLiteral("nowhere"))).error().code, QStringLiteral("task.missing_file"));
        for (const char *name : {"task.json", "reference.cpp", "baseline.cu"}) {
            init();
            QFile::remove(m_folder.filePath(QString::fromLatin1(name)));
            QCOMPARE(refusal().code, QStringLiteral("task.missing_file"));
            QVERIFY2(refusal().message.startsWith(m_folder.filePath(QString::fromLatin1(name))), qPrintable(refusal().message));
        }
    }

    void missingFunctionsAreNamed()
    {
        write(QStringLiteral("baseline.cu"), "// void solve() is not here\nvoid slove() { const char *t = \"solve(\"; }\n");
        QCOMPARE(refusal().message, m_folder.filePath(QStringLiteral("baseline.cu")) +
                     QStringLiteral(": there is no function \"solve\"; expected extern \"C\" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)."));
        init();
        write(QStringLiteral("reference.cpp"), "int main() {}");
        QCOMPARE(refusal().code, QStringLiteral("task.missing_function"));
        init();
        write(QStringLiteral("check.cpp"), "nothing");
        QVERIFY(refusal().message.contains(QStringLiteral("check.cpp: there is no function \"check\"")));
    }

    void digestFollowsWhatDecides()
    {
        const QByteArray before = readTask(m_folder.path())->digest();
        writeChanged(QStringLiteral("/description"), QStringLiteral("other words"));
        QCOMPARE(readTask(m_folder.path())->digest(), before);
        for (const auto &[pointer, value] : {std::pair{"/tolerance/absolute", QJsonValue(1e-6)}, std::pair{"/sizes/check/rows", QJsonValue(8)},
                                             std::pair{"/parameters/0/values/std", QJsonValue(2)}, std::pair{"/work/flops", QJsonValue("rows")}}) {
            writeChanged(QString::fromLatin1(pointer), value);
            QVERIFY2(readTask(m_folder.path())->digest() != before, pointer);
        }
        init();
        write(QStringLiteral("reference.cpp"), "extern \"C\" void reference() { }");
        QVERIFY(readTask(m_folder.path())->digest() != before);
    }

    void candidates()
    {
        Candidate candidate = Candidate::fromText(QStringLiteral("solve.cu"), QStringLiteral("text"));
        const QByteArray digest = candidate.digest();
        QCOMPARE(digest.size(), 64);
        candidate.agentData = {{QStringLiteral("schedule"), 1}};
        QCOMPARE(candidate.digest(), digest); // an agent's own notes are no part of it
        QCOMPARE(Candidate::fromJson(candidate.toJson()), candidate);
        Candidate moved = candidate;
        moved.files[0].path.append(u't');
        moved.files[0].content.remove(0, 1);
        QVERIFY(moved.digest() != digest);
    }

    void registries()
    {
        QCOMPARE(dtypeNames().size(), 9);
        QCOMPARE(dtypeInfo(QStringLiteral("bfloat16"))->cudaType, QStringLiteral("__nv_bfloat16"));
        QCOMPARE(dtypeInfo(QStringLiteral("bfloat16"))->referenceType, QStringLiteral("float"));
        QCOMPARE(dtypeInfo(QStringLiteral("int64"))->bytes, 8);
        QVERIFY(!dtypeInfo(QStringLiteral("complex64")));
        QCOMPARE(languageOfFile(QStringLiteral("a/b.cuh"))->id, QStringLiteral("cuda"));
        QVERIFY(!languageInfo(QStringLiteral("cobol")));
        QVERIFY(languageIds().contains(QStringLiteral("torch-module")));
    }

    void commentsAreBlanked()
    {
        QCOMPARE(withoutComments(QStringLiteral("a /* b */ c // d\ne \"f // g\" 'h' 1'000")),
                 QStringLiteral("a         c     \ne \"      \" ' ' 1'000"));
        QVERIFY(mentionsFunction(QStringLiteral("void f (int)"), QStringLiteral("f")));
        QVERIFY(!mentionsFunction(QStringLiteral("void ff(int)"), QStringLiteral("f")));
        QVERIFY(!mentionsFunction(QStringLiteral("/* f( */"), QStringLiteral("f")));
    }
};

QTEST_APPLESS_MAIN(TestTask)
#include "tst_task.moc"
