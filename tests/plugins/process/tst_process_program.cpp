// SPDX-License-Identifier: Apache-2.0
// The program's life: how it starts, dies, hangs and floods, what of it is kept, and that nothing of it is left.
#include "scripts.h"

#include "../../support/result_text.h"

#include <QCoroTimer>
#include <QElapsedTimer>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::process;
using namespace kernelskill::test;

namespace {

bool isAlive(qint64 pid)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    return file.open(QIODevice::ReadOnly) && !file.readAll().contains(") Z");
}

} // namespace

class TestProcessProgram : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_scripts = std::make_unique<Scripts>(); }
    void wrongHello_data();
    void wrongHello();
    void roleItDoesNotPlay();
    void diesOnce();
    void diesAlways();
    void diesBetweenCalls();
    void hangs();
    void floods();
    void closesItsOutput();
    void stopped();
    void nothingIsLeft();
    void whatItPrintsIsKept();
    void keysAreNotHandedOn();

private:
    [[nodiscard]] QJsonObject script(const QString &body, const QJsonObject &settings = {}) const { return m_scripts->settings(body, settings); }
    [[nodiscard]] QStringList noted(const QString &name) const { return m_scripts->noted(name); }
    std::unique_ptr<Scripts> m_scripts;
};

void TestProcessProgram::wrongHello_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("part");
    QTest::newRow("ends") << "print('no module named torch', file=sys.stderr)\nsys.exit(4)" << "ended with exit status 4 before it had said hello; it last printed: no module named torch";
    QTest::newRow("version") << "say({'kernelskill': 2, 'roles': ROLES})\ntime.sleep(60)" << "“kernelskill”: 2, expected 1";
    QTest::newRow("no version") << "say({'roles': ROLES})\ntime.sleep(60)" << "“kernelskill”: nothing, expected 1";
    QTest::newRow("no role") << "hello(['poet'])\ntime.sleep(60)" << "no role of ours";
    QTest::newRow("text") << "print('Loading model…', flush=True)\ntime.sleep(60)" << "wrote “Loading model…” before its hello";
    QTest::newRow("nothing") << "time.sleep(60)" << "said no hello within 10 s";
}

void TestProcessProgram::wrongHello()
{
    QFETCH(QString, body);
    QFETCH(QString, part);
    ProcessAgent agent(script(QStringLiteral("note('pid', os.getpid())\n") + body));
    QVERIFY(agent.prepare({}));
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("process.hello")); // it ends the run: the command is wrong
    QVERIFY2(answer.error().message.contains(part), qPrintable(answer.error().message));
    QTRY_VERIFY(!isAlive(noted("pid").first().toLongLong()));
}

void TestProcessProgram::roleItDoesNotPlay()
{
    ProcessAgent agent(script("hello(['repairer', 'poet'])\nfor message in requests(): result(message, {})"));
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("agent.role"));
    QVERIFY2(answer.error().message.contains("does not play the role 'planner', only repairer"), qPrintable(answer.error().message));
}

void TestProcessProgram::diesOnce()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    note("calls", message["id"])
    if len(open("calls").readlines()) == 1: os.kill(os.getpid(), 11)
    result(message, {"method": "M8"}))"));
    const auto answer = plan(agent);
    QVERIFY2(answer, errorIn(answer).constData());
    QCOMPARE(answer->method, QString("M8"));
    QCOMPARE(noted("calls").size(), 2);
}

void TestProcessProgram::diesAlways()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    note("calls", message["id"])
    print("first words\nlast words", file=sys.stderr)
    sys.exit(3))"));
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("agent.died"));
    QCOMPARE(answer.error().message,
             QString("the program “python3 script.py” ended with exit status 3 before it had answered; it last printed: first words / last words"));
    QCOMPARE(answer.error().detail, QString("first words\nlast words"));
    QCOMPARE(noted("calls").size(), 2); // started again once, not more
}

void TestProcessProgram::diesBetweenCalls()
{
    ProcessAgent agent(script(R"(hello()
note("pid", os.getpid())
for message in requests():
    result(message, {"method": "M8"})
    sys.exit(0))"));
    QVERIFY(plan(agent));
    QTRY_VERIFY(!isAlive(noted("pid").first().toLongLong()));
    QVERIFY(plan(agent));
    QCOMPARE(noted("pid").size(), 2);
}

void TestProcessProgram::hangs()
{
    ProcessAgent agent(script(R"(hello()
note("pid", os.getpid())
for message in requests():
    if len(open("pid").readlines()) == 1:
        note("child", subprocess.Popen(["sleep", "60"], start_new_session=True).pid)
        print("thinking", file=sys.stderr, flush=True)
        time.sleep(60)
    result(message, {"method": "M8"}))", {{"timeout_s", "1.5"}}));
    QElapsedTimer timer;
    timer.start();
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("agent.timeout"));
    QVERIFY2(answer.error().message.contains("did not answer within 1.5 s and was ended; it last printed: thinking"), qPrintable(answer.error().message));
    QVERIFY(timer.elapsed() < 10'000); // not asked again
    QCOMPARE(noted("pid").size(), 1);
    QTRY_VERIFY(!isAlive(noted("pid").first().toLongLong()));
    QTRY_VERIFY(!isAlive(noted("child").first().toLongLong()));
    QVERIFY(plan(agent)); // a new one
    QCOMPARE(noted("pid").size(), 2);
}

void TestProcessProgram::floods()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    while True: os.write(1, b"x" * 65536))"));
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("agent.broken"));
    QVERIFY2(answer.error().message.contains("wrote a line of more than 16 MB"), qPrintable(answer.error().message));
    ProcessAgent notes(script(R"(hello()
for message in requests():
    while True: os.write(1, json.dumps({"id": message["id"], "tell": "x" * 60000}).encode() + b"\n"))"));
    const auto second = plan(notes);
    QVERIFY(!second);
    QVERIFY2(second.error().message.contains("wrote more than 64 MB for one answer"), qPrintable(second.error().message));
    ProcessAgent lines(script(R"(hello()
for message in requests():
    while True: os.write(1, b"{}\n" * 20000))"));
    QVERIFY(!plan(lines)); // the first of them is no answer; nobody takes the others
    QTest::qWait(1000);
    const auto third = plan(lines);
    QVERIFY(!third);
    QCOMPARE(third.error().code, QString("plan.reply")); // of a new one
}

void TestProcessProgram::closesItsOutput()
{
    ProcessAgent agent(script("hello()\nnote('pid', os.getpid())\nos.close(1)\ntime.sleep(60)"));
    QElapsedTimer timer;
    timer.start();
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("agent.broken"));
    QVERIFY2(answer.error().message.contains("closed its standard output"), qPrintable(answer.error().message));
    QVERIFY(timer.elapsed() < 20'000);
    QTRY_VERIFY(!isAlive(noted("pid").first().toLongLong()));
}

void TestProcessProgram::stopped()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    note("child", subprocess.Popen(["sleep", "60"]).pid)
    note("pid", os.getpid())
    time.sleep(60))"));
    std::stop_source source;
    RoleContext context;
    context.stop = source.get_token();
    const auto stopper = [](const TestProcessProgram *test, std::stop_source stop) -> QCoro::Task<void> {
        while (test->noted("pid").isEmpty())
            co_await QCoro::sleepFor(std::chrono::milliseconds(10));
        stop.request_stop();
    };
    auto stopping = stopper(this, source);
    QElapsedTimer timer;
    timer.start();
    const auto answer = plan(agent, context);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("run.stopped"));
    QVERIFY(timer.elapsed() < 20'000);
    QTRY_VERIFY(!isAlive(noted("pid").first().toLongLong()));
    QTRY_VERIFY(!isAlive(noted("child").first().toLongLong()));
}

void TestProcessProgram::nothingIsLeft()
{
    {
        ProcessAgent agent(script(R"(hello()
note("pid", os.getpid())
for message in requests():
    note("child", subprocess.Popen(["sleep", "60"], start_new_session=True).pid)
    result(message, {"method": "M8"}))"));
        QVERIFY(plan(agent));
        QVERIFY(isAlive(noted("pid").first().toLongLong())); // kept for the next call
    }
    QTRY_VERIFY(!isAlive(noted("pid").first().toLongLong()));
    QTRY_VERIFY(!isAlive(noted("child").first().toLongLong()));
}

void TestProcessProgram::whatItPrintsIsKept()
{
    ProcessAgent agent(script(R"(hello()
for i, message in enumerate(requests()):
    if i == 1: print("y" * 99 + "\n" + ("z" * 99 + "\n") * 5000, file=sys.stderr)
    print("Use ```code``` and sk-abcdefghijklmnopqrstuvwxyz0123456789", file=sys.stderr, flush=True)
    time.sleep(0.3)
    result(message, {"method": "M8"}))"));
    QList<RoleUsage> usages;
    RoleContext context;
    context.report = [&usages](const RoleUsage &usage) { usages.append(usage); };
    QVERIFY(plan(agent, context));
    QCOMPARE(usages.size(), 1);
    QCOMPARE(usages[0].transcript, QString("What “python3 script.py” printed:\n\n    Use ```code``` and [redacted]\n\n"));
    QVERIFY(plan(agent, context));
    QCOMPARE(usages.size(), 2);
    QVERIFY(usages[1].transcript.size() < 90'000);
    QVERIFY(usages[1].transcript.contains("    …\n    zzz"));
    QVERIFY(!usages[1].transcript.contains("yyy"));
    QVERIFY(usages[1].transcript.endsWith("    Use ```code``` and [redacted]\n\n"));
}

void TestProcessProgram::keysAreNotHandedOn()
{
    const auto restore = qScopeGuard([] {
        for (const char *name : {"EXAMPLE_API_KEY", "HUB_TOKEN", "WANTED_API_KEY", "MONKEY"})
            qunsetenv(name);
    });
    for (const char *name : {"EXAMPLE_API_KEY", "HUB_TOKEN", "WANTED_API_KEY", "MONKEY"})
        qputenv(name, "value");
    ProcessAgent agent(script(R"(hello()
for message in requests():
    names = ["EXAMPLE_API_KEY", "HUB_TOKEN", "WANTED_API_KEY", "MONKEY", "PATH"]
    result(message, {"method": "M8", "rationale": " ".join(name for name in names if name in os.environ)}))", {{"environment", "WANTED_API_KEY, NOT_THERE"}}));
    const auto answer = plan(agent);
    QVERIFY2(answer, errorIn(answer).constData());
    QCOMPARE(answer->rationale, QString("WANTED_API_KEY MONKEY PATH"));
}

QTEST_GUILESS_MAIN(TestProcessProgram)
#include "tst_process_program.moc"
