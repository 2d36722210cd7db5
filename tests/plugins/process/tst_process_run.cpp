// SPDX-License-Identifier: Apache-2.0
// A whole run at the terminal with a Python program as its planner.
#include "program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace kernelskill::test;

class TestProcessRun : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aPythonPlanner();
    void aWrongCommandIsRefusedBefore();
    void aPlannerThatTalksNonsense();

private:
    [[nodiscard]] ProgramEnd optimize(const QString &session, const QString &command) const
    {
        return m_folders.kernelskill({"optimize", taskFolder("row_softmax"), "--cast", "planner=process", "--agent-option",
                                      "process.command=" + command, "--rounds", "2", "--memory", "none", "--session",
                                      m_folders.path(session), "--json"});
    }
    TestFolders m_folders;
};

void TestProcessRun::aPythonPlanner()
{
    const ProgramEnd end = optimize("planned.kss", "python3 '" TEST_DIR "/planner.py'");
    QVERIFY2(end.exitCode == 0, end.err.constData());
    const QJsonObject result = end.json();
    const QJsonObject best = result.value("best").toObject();
    QCOMPARE(best.value("verdict").toString(), QString("verified"));
    QVERIFY(result.value("baseline_us").toDouble() > best.value("time_us").toDouble());
    const QJsonObject why = m_folders.kernelskill({"explain", m_folders.path("planned.kss"), best.value("node").toVariant().toString(), "--json"}).json();
    const QString rationale = why.value("plan").toObject().value("rationale").toString();
    QVERIFY2(rationale.contains(" allowed, "), qPrintable(rationale)); // planner.py's words, not the engine's
}

void TestProcessRun::aWrongCommandIsRefusedBefore()
{
    const ProgramEnd end = optimize("refused.kss", "no-such-planner");
    QVERIFY(end.exitCode != 0);
    QVERIFY2(end.err.contains("no-such-planner"), end.err.constData());
    QVERIFY(!QFile::exists(m_folders.path("refused.kss")));
}

// The engine takes what is allowed, as for any planner without a usable answer.
void TestProcessRun::aPlannerThatTalksNonsense()
{
    const QString nonsense = "import sys; print('{\"kernelskill\": 1, \"roles\": [\"planner\"]}', flush=True); [print('nonsense', flush=True) for line in sys.stdin]";
    const ProgramEnd end = optimize("nonsense.kss", "python3 -c \"" + QString(nonsense).replace("\"", "\\\"") + "\"");
    QVERIFY2(end.exitCode == 0, end.err.constData());
    const QJsonObject best = end.json().value("best").toObject();
    QCOMPARE(best.value("verdict").toString(), QString("verified"));
    QVERIFY(end.json().value("baseline_us").toDouble() > best.value("time_us").toDouble());
}

QTEST_GUILESS_MAIN(TestProcessRun)
#include "tst_process_run.moc"
