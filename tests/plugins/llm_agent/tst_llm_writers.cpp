// SPDX-License-Identifier: Apache-2.0
// The roles that write code: what becomes of replies with and without it, and how they fit a window.
#include "role_stage.h"

#include "money/spending.h"
#include "roles/writing.h"

#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;
using namespace kernelskill::llm::test;

class TestLlmWriters : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_stage.clear(); }
    void writesAWholeFile();
    void appliesEdits();
    void editsThatDoNotApplyBecomeAWholeFile();
    void compilesBeforeItCosts();
    void handsOnWhatStillDoesNotCompile();
    void givesUpOpenly_data();
    void givesUpOpenly();
    void troubleOfTheEnvironmentKeepsTheCode();
    void whatIsWrittenIsKept();
    void unpreparedItSaysWhy();
    void givesUpWithoutCode_data();
    void givesUpWithoutCode();
    void goesOnWhereItStopped();
    void generatesSeveral();
    void fitsASmallWindow();
    void shrinksWhenTheModelSaysSo();
    void steeringCommentsAreMadePlain();

private:
    RoleStage m_stage;
};

void TestLlmWriters::writesAWholeFile()
{
    ScriptedTransport *transport =
        m_stage.script({says(fenced(QString(baseCode).replace("2.0f * x[i]", "x[i] + x[i]")))});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY2(change, qPrintable(change ? QString() : change.error().message));
    QCOMPARE(change->candidate.mainText(), QString(baseCode).replace("2.0f * x[i]", "x[i] + x[i]"));
    QCOMPARE(change->candidate.files.size(), 1);
    QCOMPARE(change->summary, QString("Vectorised access: as asked"));
    QCOMPARE(m_stage.compiled, 1);
    const QString prompt = transport->text(0);
    QVERIFY(prompt.contains("Load float4."));
    QVERIFY(prompt.contains("Wider loads."));
}

void TestLlmWriters::appliesEdits()
{
    m_stage.script(
        {says("Summary: added to itself\n\n<<<<<<< before\n    if (i < n) y[i] = 2.0f * x[i];\n=======\n    if (i < "
              "n) y[i] = x[i] + x[i];\n>>>>>>> after\n")});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY2(change, qPrintable(change ? QString() : change.error().message));
    QCOMPARE(change->candidate.mainText(), QString(baseCode).replace("2.0f * x[i]", "x[i] + x[i]"));
}

void TestLlmWriters::editsThatDoNotApplyBecomeAWholeFile()
{
    ScriptedTransport *transport = m_stage.script(
        {says("<<<<<<< before\n    y[i] = three(x[i]);\n=======\n    y[i] = x[i] + x[i];\n>>>>>>> after\n"),
         says(fenced(baseCode))});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY(change);
    QCOMPARE(change->candidate.mainText(), baseCode);
    QVERIFY2(transport->text(1).contains("the edits do not apply: "), qPrintable(transport->text(1)));
    QVERIFY(transport->text(1).contains("Answer with the whole file"));
}

void TestLlmWriters::compilesBeforeItCosts()
{
    Finding error;
    error.kind = "build";
    error.file = "solve.cu";
    error.line = 4;
    error.message = "identifier \"z\" is undefined";
    m_stage.compilations = {{error}, {}};
    // The correction's edits are of the file as it was written last.
    ScriptedTransport *transport =
        m_stage.script({says(fenced(QString(baseCode).replace("2.0f * x[i]", "z[i]"))),
                        says("<<<<<<< before\n    if (i < n) y[i] = z[i];\n=======\n    if (i < n) "
                             "y[i] = x[i] * 2;\n>>>>>>> after\n")});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY2(change, qPrintable(change ? QString() : change.error().message));
    QCOMPARE(change->candidate.mainText(), QString(baseCode).replace("2.0f * x[i]", "x[i] * 2"));
    QVERIFY(transport->text(1).contains("- solve.cu:4: build: identifier \"z\" is undefined"));
}

void TestLlmWriters::handsOnWhatStillDoesNotCompile()
{
    Finding error;
    error.kind = "build";
    error.message = "no";
    m_stage.compilations = {{error}, {error}};
    const QString bad = QString(baseCode).replace("2.0f * x[i]", "z[i]");
    ScriptedTransport *transport = m_stage.script({says(fenced(bad)), says(fenced(bad))});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY(change); // the Reviewer and the repairs have the last word
    QCOMPARE(change->candidate.mainText(), bad);
    QCOMPARE(transport->requests.size(), 2);
}

void TestLlmWriters::givesUpOpenly_data()
{
    QTest::addColumn<QString>("reply");
    QTest::newRow("as asked") << "INAPPLICABLE: the rows are not aligned, so there is nothing to widen.";
    QTest::newRow("as the prompt shows it")
        << "- INAPPLICABLE: the rows are not aligned, so there is nothing to widen.";
    QTest::newRow("in bold")
        << "I looked at it.\n\n**INAPPLICABLE**: the rows are not aligned, so there is nothing to widen.";
    QTest::newRow("as code") << "`INAPPLICABLE`: the rows are not aligned, so there is nothing to widen.";
}

void TestLlmWriters::givesUpOpenly()
{
    QFETCH(QString, reply);
    ScriptedTransport *transport = m_stage.script({says(reply)});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY(!change);
    QCOMPARE(change.error().code, QString("optimise.inapplicable"));
    QCOMPARE(change.error().message, QString("the rows are not aligned, so there is nothing to widen."));
    QCOMPARE(transport->requests.size(), 1);
}

// A compiler that cannot be reached is the Reviewer's to report; the code is paid for.
void TestLlmWriters::troubleOfTheEnvironmentKeepsTheCode()
{
    m_stage.script({says(fenced(baseCode))});
    RoleContext context = m_stage.context();
    context.compile = [](Candidate) -> QCoro::Task<Result<QList<Finding>>> {
        co_return failure("worker.lost", "the machine cannot be reached");
    };
    const auto change = m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), context));
    QVERIFY(change);
    QCOMPARE(change->candidate.mainText(), baseCode);
}

void TestLlmWriters::whatIsWrittenIsKept()
{
    m_stage.script({says(fenced(baseCode)), refuses(429, "You exceeded your current quota", "insufficient_quota")});
    const auto changes = m_stage.wait(m_stage.agent->generator()->generate({m_stage.task, 3}, m_stage.context()));
    QVERIFY2(changes, qPrintable(changes ? QString() : changes.error().message));
    QCOMPARE(changes->size(), 1);
}

void TestLlmWriters::unpreparedItSaysWhy()
{
    LlmAgent agent(QJsonObject{{"provider", "closedai"}});
    QVERIFY(!agent.prepare(m_stage.task));
    LlmAgent &player = agent;
    const auto change =
        m_stage.wait(static_cast<Agent &>(player).optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY(!change);
    QVERIFY2(change.error().message.contains("closedai"), qPrintable(change.error().message));
}

void TestLlmWriters::givesUpWithoutCode_data()
{
    QTest::addColumn<QString>("reply");
    QTest::newRow("empty") << "";
    QTest::newRow("prose") << "Use float4 for all loads and stores.";
    QTest::newRow("rest left out") << fenced("extern \"C\" void solve(const float *x, float *y, int n, cudaStream_t "
                                             "stream)\n{\n    // ... rest of the code unchanged ...\n}\n");
    QTest::newRow("no solve") << fenced("__global__ void k() {}\n");
}

void TestLlmWriters::givesUpWithoutCode()
{
    QFETCH(QString, reply);
    m_stage.script({says(reply), says(reply)});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY(!change);
    QCOMPARE(change.error().code, QString("optimise.inapplicable"));
    QVERIFY2(change.error().message.startsWith("the model's reply could not be used: "),
             qPrintable(change.error().message));
    QCOMPARE(m_stage.compiled, 0);
}

void TestLlmWriters::goesOnWhereItStopped()
{
    const QString whole = fenced(baseCode);
    const qsizetype half = whole.size() / 2;
    ScriptedTransport *transport = m_stage.script({says(whole.left(half), 100, 50, "length"), says(whole.mid(half))});
    const auto change =
        m_stage.wait(m_stage.agent->optimizer()->optimise(m_stage.optimizeRequest(), m_stage.context()));
    QVERIFY2(change, qPrintable(change ? QString() : change.error().message));
    QCOMPARE(change->candidate.mainText(), baseCode);
    QVERIFY(transport->text(1).startsWith("Your answer stopped at its limit."));
}

void TestLlmWriters::generatesSeveral()
{
    const QString other = QString(baseCode).replace("128", "256");
    ScriptedTransport *transport =
        m_stage.script({says(fenced(baseCode)), says("nothing"), says("nothing"), says(fenced(other))});
    const auto changes = m_stage.wait(m_stage.agent->generator()->generate({m_stage.task, 3}, m_stage.context()));
    QVERIFY2(changes, qPrintable(changes ? QString() : changes.error().message));
    QCOMPARE(changes->size(), 2); // one of three came to nothing, twice
    QCOMPARE(changes->last().candidate.mainText(), other);
    QVERIFY(transport->text(0).endsWith("Write candidate 1 of 3."));
    QVERIFY(transport->text(3).contains("- First candidate: as asked"));
}

void TestLlmWriters::fitsASmallWindow()
{
    OptimizeRequest request = m_stage.optimizeRequest();
    QString code = baseCode;
    for (int i = 0; i < 300; ++i)
        code += QStringLiteral("__device__ float layer%1(float x) { return x * %1.0f + %1.5f; }\n").arg(i);
    request.base = Candidate::fromText("solve.cu", code); // about 7 000 tokens
    request.task.reference = QString("// one of many lines of a model with fifty layers\n").repeated(2000);
    request.skill.body = QString("Another paragraph of advice that is good to know.\n").repeated(500);
    for (int i = 1; i < 60; ++i) {
        Attempt attempt;
        attempt.node = i;
        attempt.skill = "memory-coalescing";
        attempt.outcome = "verified";
        attempt.why = "no change";
        request.attempts.add(attempt);
    }
    KernelProfile kernel = request.evaluation.profile.kernels.first();
    for (int i = 0; i < 50; ++i) {
        kernel.name = QString("layer_kernel_%1").arg(i);
        request.evaluation.profile.kernels.append(kernel);
    }
    ScriptedTransport *transport =
        m_stage.script({says(fenced(code))}, {{"context_tokens", "32768"}, {"max_output_tokens", "12000"}});
    const auto change = m_stage.wait(m_stage.agent->optimizer()->optimise(request, m_stage.context()));
    QVERIFY2(change, qPrintable(change ? QString() : change.error().message));
    QVERIFY(estimatedTokens(transport->text(0, 0)) + estimatedTokens(transport->text(0)) + 12000 <= 32768);
    QVERIFY(transport->text(0).contains("layer299")); // the code is whole
    QVERIFY2(m_stage.notes().contains("task: cut to its share"), qPrintable(m_stage.notes()));
    QVERIFY2(m_stage.notes().contains("skill: "), qPrintable(m_stage.notes()));
}

void TestLlmWriters::shrinksWhenTheModelSaysSo()
{
    OptimizeRequest request = m_stage.optimizeRequest();
    request.skill.body = QString("Another paragraph of advice that is good to know.\n").repeated(20'000);
    ScriptedTransport *transport =
        m_stage.script({refuses(400, "This model's maximum context length is 65536 tokens", "context_length_exceeded"),
                        says(fenced(baseCode))});
    const auto change = m_stage.wait(m_stage.agent->optimizer()->optimise(request, m_stage.context()));
    QVERIFY2(change, qPrintable(change ? QString() : change.error().message));
    QVERIFY(transport->requests[1].body.size() < transport->requests[0].body.size() * 7 / 10);
}

void TestLlmWriters::steeringCommentsAreMadePlain()
{
    const ReadCode read =
        readCode(fenced("// @has_reuse: true\n" + baseCode + "// mail me @home: never\n"), baseCode, "solve");
    QVERIFY(read.code.startsWith("// has_reuse: true\n"));
    QVERIFY(read.code.contains("// mail me @home: never"));
    QVERIFY(read.notes.join(' ').contains("made plain"));
    // A person's own stay.
    const QString own = "// @has_reuse: true\n" + baseCode;
    QVERIFY(readCode(fenced(own), own, "solve").code.startsWith("// @has_reuse: true\n"));
}

QTEST_GUILESS_MAIN(TestLlmWriters)
#include "tst_llm_writers.moc"
