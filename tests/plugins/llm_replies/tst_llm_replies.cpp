// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace kernelskill::llm;

class TestLlmReplies : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void corpus_data();
    void corpus();
    void hostile_data();
    void hostile();
    void schema_data();
    void schema();
    void applied_data();
    void applied();
    void refused_data();
    void refused();
    void joined_data();
    void joined();
};

namespace {

QJsonObject json(const char *text)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError) qFatal("no JSON: %s", text);
    return document.object();
}

void compareExtraction(const Extraction &found, const Shape &shape)
{
    if (shape.problem.isEmpty()) QCOMPARE(found.problem, QString());
    else QVERIFY2(found.problem.contains(shape.problem), qPrintable(found.problem));
    QCOMPARE(found.truncated, shape.truncated);
    for (const QString &note : shape.notes)
        QVERIFY2(found.notes.join(u'\n').contains(note), qPrintable(found.notes.join(u'\n')));
}

QStringList shown(const QList<Edit> &edits)
{
    QStringList all;
    for (const Edit &edit : edits)
        all.append(edit.before + QStringLiteral("=>\n") + edit.after);
    return all;
}

const QString file = QStringLiteral("__global__ void add(float *y)\n{\n    int i = threadIdx.x;\n    y[i] += 1;\n}\n\n"
                                    "void solve(float *y)\n{\n    int n = 1;\n    add<<<1, 1>>>(y);\n}\n");

} // namespace

void TestLlmReplies::corpus_data()
{
    QTest::addColumn<QString>("name");
    for (const QString &name : shapeNames())
        QTest::newRow(qPrintable(name)) << name;
}

void TestLlmReplies::corpus()
{
    QFETCH(QString, name);
    const Shape shape = ::shape(name);
    if (shape.kind == u"object") {
        const ExtractedObject found = extractObject(shape.reply, shape.arguments);
        compareExtraction(found, shape);
        QCOMPARE(found.object.has_value(), shape.object.has_value());
        if (found.object) QCOMPARE(QJsonDocument(*found.object).toJson(), QJsonDocument(*shape.object).toJson());
    } else if (shape.kind == u"code") {
        const ExtractedCode found = extractCode(shape.reply, shape.arguments.first());
        compareExtraction(found, shape);
        QCOMPARE(found.code, shape.code);
    } else {
        const ExtractedChange found = extractChange(shape.reply, shape.arguments.first());
        compareExtraction(found, shape);
        QCOMPARE(found.code, shape.code);
        QCOMPARE(shown(found.edits), shown(shape.edits));
    }
}

// A megabyte of each: no deep recursion, and linear.
void TestLlmReplies::hostile_data()
{
    QTest::addColumn<QString>("piece");
    const QStringList pieces = {
        "{", "`", "<think>", "\n<think>\n", "</think>", "```\n", "```cpp\n", "{\"", "{\"a\":", "{a:{a:[", "[{", "\"", "\\\"",
        "{\"a\":1}", "{}", "<", "[", "solve(", "solve() {", "/*", "// x\n", "<<<<<<< \n", "<<<<<<< \n=======\n", "@@\n-a\n+b\n",
        "&lt;", "'", "\"\"\"", "R\"(", "\n", " ", "}", "~~~\nvoid solve(){\n", "void solve() {}\n", "{\"a\":\"", "\",\"", "1 | x\n"};
    for (const QString &piece : pieces) {
        const QByteArray name = QByteArray(piece.toUtf8().toPercentEncoding());
        QTest::newRow(name.constData()) << piece;
    }
}

void TestLlmReplies::hostile()
{
    QFETCH(QString, piece);
    const QString reply = piece.repeated(1'000'000 / piece.size());
    const auto timed = [](auto &&run) {
        qint64 best = std::numeric_limits<qint64>::max();
        for (int i = 0; i < 3; ++i) {
            QElapsedTimer timer;
            timer.start();
            run();
            best = std::min(best, timer.nsecsElapsed() / 1'000'000);
        }
        return best;
    };
    const qint64 object = timed([&] { (void)extractObject(reply, {QStringLiteral("skill")}); });
    const qint64 code = timed([&] { (void)extractCode(reply, QStringLiteral("solve")); });
    const qint64 change = timed([&] { (void)extractChange(reply, QStringLiteral("solve")); });
    const qint64 join = timed([&] { (void)joinContinuation(reply, reply + u'x'); });
    qInfo("1 MB: object %lld ms, code %lld ms, change %lld ms, join %lld ms", object, code, change, join);
    // Well above what it takes alone (under 50): other work may run beside the test.
    QVERIFY(object < 500 && code < 500 && change < 500 && join < 500);
}

void TestLlmReplies::schema_data()
{
    QTest::addColumn<QByteArray>("schema");
    QTest::addColumn<QByteArray>("given");
    QTest::addColumn<QByteArray>("fitted");
    QTest::addColumn<QString>("problem");
    QTest::addColumn<QString>("note");
    const QByteArray plan = R"({"type": "object", "properties": {"skill": {"type": "string", "minLength": 1},
        "method": {"enum": ["M1", "free-form"]}, "tile": {"type": "integer"}, "gain": {"type": ["number", "null"]},
        "safe": {"type": "boolean"}, "steps": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        "inner": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
        "required": ["skill", "gain"], "additionalProperties": false})";
    const auto row = [&](const char *name, const char *given, const char *fitted, const char *problem, const char *note) {
        QTest::newRow(name) << plan << QByteArray(given) << QByteArray(fitted) << QString::fromUtf8(problem) << QString::fromUtf8(note);
    };
    row("fits", R"({"skill": "a", "gain": 1.5})", R"({"skill": "a", "gain": 1.5})", "", "");
    row("null where it may be", R"({"skill": "a", "gain": null})", R"({"skill": "a", "gain": null})", "", "");
    row("missing nullable", R"({"skill": "a"})", R"({"skill": "a", "gain": null})", "", "/: gain was missing");
    row("missing", R"({"gain": 1})", "", "/: skill is missing", "");
    row("empty", R"({"skill": " ", "gain": 1})", "", "/skill: it must not be empty", "");
    row("other keys", R"({"skill": "a", "gain": 1, "mood": "good"})", R"({"skill": "a", "gain": 1})", "", "/: dropped mood");
    row("number in a string", R"({"skill": "a", "gain": "1.5", "tile": "64"})", R"({"skill": "a", "gain": 1.5, "tile": 64})", "", "/tile: integer");
    row("whole double", R"({"skill": "a", "gain": 1, "tile": 64.0})", R"({"skill": "a", "gain": 1, "tile": 64})", "", "");
    row("no whole number", R"({"skill": "a", "gain": 1, "tile": 6.5})", "", "/tile: expected integer", "");
    row("boolean in a string", R"({"skill": "a", "gain": 1, "safe": "True"})", R"({"skill": "a", "gain": 1, "safe": true})", "", "/safe");
    row("string for a list", R"({"skill": "a", "gain": 1, "steps": "load"})", R"({"skill": "a", "gain": 1, "steps": ["load"]})", "", "/steps: made a list of one");
    row("list for a string", R"({"skill": ["a"], "gain": 1})", R"({"skill": "a", "gain": 1})", "", "/skill: taken out");
    row("number for a string", R"({"skill": 7, "gain": 1})", R"({"skill": "7", "gain": 1})", "", "/skill: text out of a number");
    row("enum spelled otherwise", R"({"skill": "a", "gain": 1, "method": "Free form"})", R"({"skill": "a", "gain": 1, "method": "free-form"})", "", "/method: “Free form” read as “free-form”");
    row("no such choice", R"({"skill": "a", "gain": 1, "method": "M9"})", "", "/method: expected one of M1, free-form", "");
    row("too many items", R"({"skill": "a", "gain": 1, "steps": ["a", "b", "c"]})", "", "/steps: expected at most 2 items, not 3", "");
    row("wrong item", R"({"skill": "a", "gain": 1, "steps": [{"a": 1}]})", "", "/steps/0: expected string", "");
    row("deep", R"({"skill": "a", "gain": 1, "inner": {}})", "", "/inner: a is missing", "");
    row("null for left out", R"({"skill": "a", "gain": 1, "tile": null})", R"({"skill": "a", "gain": 1})", "", "");
    row("wrong type", R"({"skill": "a", "gain": "much"})", "", "/gain: expected number or null", "");
}

void TestLlmReplies::schema()
{
    QFETCH(QByteArray, schema);
    QFETCH(QByteArray, given);
    QFETCH(QByteArray, fitted);
    QFETCH(QString, problem);
    QFETCH(QString, note);
    QJsonObject object = json(given.constData());
    QStringList notes;
    QCOMPARE(fitToSchema(object, json(schema.constData()), notes), problem);
    QVERIFY2(notes.join(u'\n').contains(note), qPrintable(notes.join(u'\n')));
    if (note.isEmpty() && problem.isEmpty()) QCOMPARE(notes, QStringList());
    if (problem.isEmpty()) QCOMPARE(object, json(fitted.constData()));
}

void TestLlmReplies::applied_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("from"); // what of the file becomes what
    QTest::addColumn<QString>("to");
    QTest::addColumn<bool>("spacing");
    const auto row = [](const char *name, const char *before, const char *after, const char *from, const char *to, bool spacing) {
        QTest::newRow(name) << before << after << from << to << spacing;
    };
    row("a line", "    y[i] += 1;\n", "    y[i] += 2;\n", "    y[i] += 1;\n", "    y[i] += 2;\n", false);
    row("a part of a line", "<<<1, 1>>>", "<<<1, 32>>>", "<<<1, 1>>>", "<<<1, 32>>>", false);
    row("deleted", "    y[i] += 1;\n", "", "    y[i] += 1;\n", "", false);
    row("not indented", "y[i]+=1;\n", "y[i] += 2;\n", "    y[i] += 1;\n", "    y[i] += 2;\n", true);
    row("tabs", "\tint i = threadIdx.x;\n\ty[i] += 1;\n", "\tint i = threadIdx.x;\n\tif (i < 4)\n\t\ty[i] += 1;\n",
        "    int i = threadIdx.x;\n    y[i] += 1;\n", "    int i = threadIdx.x;\n    if (i < 4)\n    \ty[i] += 1;\n", true);
    row("spaces behind", "    y[i] += 1;  \n}\n", "    y[i] += 2;\n}\n", "    y[i] += 1;\n}\n", "    y[i] += 2;\n}\n", true);
    row("blank lines differ", "}\nvoid solve(float *y)\n", "}\n\nvoid solve(float *y) // entry\n", "}\n\nvoid solve(float *y)\n",
        "}\n\nvoid solve(float *y) // entry\n", true);
    row("lines joined", "void solve(float *y) {\n    int n = 1;\n", "void solve(float *y) {\n    int n = 2;\n",
        "void solve(float *y)\n{\n    int n = 1;\n", "void solve(float *y) {\n    int n = 2;\n", true);
    row("the whole-line place of two", "add<<<1, 1>>>(y);", "add<<<2, 1>>>(y);", "add<<<1, 1>>>(y);", "add<<<2, 1>>>(y);", false);
}

void TestLlmReplies::applied()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(bool, spacing);
    const Applied applied = applyEdits(file, {{before, after}});
    QCOMPARE(applied.problem, QString());
    QCOMPARE(file.count(from), 1);
    QCOMPARE(applied.code, QString(file).replace(from, to));
    QCOMPARE(applied.notes.join(u'\n').contains(QStringLiteral("but for its spacing")), spacing);
}

void TestLlmReplies::refused_data()
{
    QTest::addColumn<QList<QStringList>>("edits");
    QTest::addColumn<QString>("problem");
    using Edits = QList<QStringList>;
    QTest::newRow("nowhere") << Edits{{"    y[i] += 1;\n", "    y[i] += 2;\n"}, {"    z[i] = 0;\n", ""}}
                             << QStringLiteral("edit 2: its first line stands nowhere in the file: “z[i] = 0;”");
    QTest::newRow("one line nowhere") << Edits{{"    int i = threadIdx.x;\n    y[i] += 3;\n", ""}}
                                      << QStringLiteral("edit 1: this line of it stands nowhere in the file: “y[i] += 3;”");
    QTest::newRow("not together") << Edits{{"    int i = threadIdx.x;\n    int n = 1;\n", ""}}
                                  << QStringLiteral("edit 1: its lines stand in the file, but not one after another: “int i = threadIdx.x;”");
    QTest::newRow("twice") << Edits{{"(float *y)\n", "(float *z)\n"}}
                           << QStringLiteral("edit 1: what it replaces stands 2 times in the file: “(float *y)”; more lines around it are needed");
    QTest::newRow("twice but for spacing") << Edits{{"{\nint", "{\nlong"}}
                                           << QStringLiteral("edit 1: what it replaces stands 2 times in the file: “{”; more lines around it are needed");
    QTest::newRow("nothing") << Edits{{" \n", "x"}} << QStringLiteral("edit 1: it does not say what it replaces");
}

void TestLlmReplies::refused()
{
    QFETCH(QList<QStringList>, edits);
    QFETCH(QString, problem);
    QList<Edit> all;
    for (const QStringList &edit : edits)
        all.append({edit[0], edit[1]});
    const Applied applied = applyEdits(file, all);
    QCOMPARE(applied.problem, problem);
    QCOMPARE(applied.code, QString());
}

void TestLlmReplies::joined_data()
{
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<QString>("joined");
    const auto row = [](const char *name, const char *first, const char *second, const char *joined) {
        QTest::newRow(name) << first << second << joined;
    };
    row("goes on at the letter", "```cpp\n    float su", "m = 0;\n```", "```cpp\n    float sum = 0;\n```");
    row("repeats the last line", "```cpp\nint a;\n    float su", "    float sum = 0;\n```", "```cpp\nint a;\n    float sum = 0;\n```");
    row("repeats it not indented", "```cpp\nint a;\n    float su", "float sum = 0;\n```", "```cpp\nint a;\n    float sum = 0;\n```");
    row("repeats two lines", "```cpp\nint a;\nint b = 1;\nint c = a", "int b = 1;\nint c = a + b;\n", "```cpp\nint a;\nint b = 1;\nint c = a + b;\n");
    row("in a new fence", "```cpp\nint a;\n", "Going on:\n\n```cpp\nint b;\n```", "```cpp\nint a;\nint b;\n```");
    row("in a new fence, at a line", "```cpp\nint a;", "```cpp\nint b;\n```", "```cpp\nint a;\nint b;\n```");
    row("a brace is no repetition", "```cpp\n        }\n    }\n", "    }\n}\n", "```cpp\n        }\n    }\n    }\n}\n");
    row("a chance letter is none", "{\"why\": \"off", "for the loads\"}", "{\"why\": \"offfor the loads\"}");
    row("starts anew", "```cpp\n#include <cuda_runtime.h>\nint a = 1; int b", "```cpp\n#include <cuda_runtime.h>\nint a = 1; int b = 2;\nint c;\n```",
        "```cpp\n#include <cuda_runtime.h>\nint a = 1; int b = 2;\nint c;\n```");
    row("nothing more", "```cpp\nint a", "  ", "```cpp\nint a");
    row("only the closing fence", "```cpp\nint a;\n", "```\nDone.", "```cpp\nint a;\n```\nDone.");
    row("nothing first", "", "int a;", "int a;");
}

void TestLlmReplies::joined()
{
    QFETCH(QString, first);
    QFETCH(QString, second);
    QFETCH(QString, joined);
    QCOMPARE(joinContinuation(first, second), joined);
}

QTEST_APPLESS_MAIN(TestLlmReplies)
#include "tst_llm_replies.moc"
