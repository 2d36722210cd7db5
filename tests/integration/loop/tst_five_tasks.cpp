// SPDX-License-Identifier: Apache-2.0
// The whole loop on the five bundled tasks, with nothing replaced: the rule-based agent on the simulator.
#include "program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace kernelskill::test;

class tst_five_tasks : public QObject
{
    Q_OBJECT
    TestFolders m_folders;

    // What a trajectory is made of, without what differs between two runs by nature (paths).
    QByteArray trajectory(const QString &session)
    {
        const QJsonObject shown = m_folders.kernelskill({"session", "show", session, "--json"}).json();
        return QJsonDocument(shown.value("trajectory").toArray()).toJson(QJsonDocument::Compact);
    }

    QJsonObject optimize(const QString &task, const QString &session, const QStringList &more)
    {
        const ProgramEnd end = m_folders.kernelskill(QStringList{"optimize", taskFolder(task), "--json", "--session", m_folders.path(session)} + more);
        if (end.exitCode != 0) qWarning("%s", end.err.constData());
        return end.json();
    }

private Q_SLOTS:
    void endsFaster_data()
    {
        QTest::addColumn<double>("least");
        QTest::newRow("row_softmax") << 3.0;
        QTest::newRow("layer_norm") << 3.0;
        QTest::newRow("matmul") << 5.0;
        QTest::newRow("transpose") << 2.0;
        QTest::newRow("bias_gelu_residual") << 2.0;
    }

    void endsFaster()
    {
        QFETCH(double, least);
        const QString task = QString::fromLatin1(QTest::currentDataTag());
        const QString session = task + ".kss";
        const QJsonObject result = optimize(task, session, {"--rounds", "8", "--memory", "none"});
        QCOMPARE(result.value("task").toString(), task);
        QCOMPARE(result.value("session").toString(), m_folders.path(session));
        const QJsonObject best = result.value("best").toObject();
        QCOMPARE(best.value("verdict").toString(), QString("verified"));
        QCOMPARE(best.value("kind").toString(), QString("modelled"));
        QVERIFY2(best.value("interval").toArray().at(0).toDouble() >= least, qPrintable(QJsonDocument(result).toJson()));
        QVERIFY(!best.value("skills").toArray().isEmpty());
        QVERIFY(result.value("baseline_us").toDouble() > best.value("time_us").toDouble());
        QCOMPARE(result.value("llm").toObject().value("calls").toInt(-1), 0);

        const QJsonObject why = m_folders.kernelskill({"explain", m_folders.path(session), best.value("node").toVariant().toString(), "--json"}).json();
        QVERIFY(!why.value("retrieval").toObject().value("allowed").toArray().isEmpty());
        QVERIFY(!why.value("plan").toObject().value("skill").toString().isEmpty());
    }

    void frozenMemoryRepeatsItself()
    {
        const QString memory = m_folders.path("frozen-memory.db");
        const QStringList frozen{"--rounds", "5", "--seed", "7", "--long-term", "frozen", "--memory", memory};
        optimize("transpose", "first.kss", frozen);
        // Others learn in between.
        optimize("transpose", "learning.kss", {"--rounds", "5", "--seed", "3", "--long-term", "learning", "--memory", memory});
        optimize("transpose", "second.kss", frozen);
        const QByteArray first = trajectory(m_folders.path("first.kss"));
        QVERIFY(first.size() > 500);
        QCOMPARE(trajectory(m_folders.path("second.kss")), first);
    }

    void learningWritesTheLedger()
    {
        const QString memory = m_folders.path("learning-memory.db");
        optimize("bias_gelu_residual", "ledger.kss", {"--rounds", "3", "--memory", memory});
        int uses = 0;
        for (const QJsonValue &skill : m_folders.kernelskill({"skills", "list", "--json", "--memory", memory}).json().value("skills").toArray())
            uses += skill["uses"].toInt();
        QVERIFY(uses >= 1);
    }

    void withoutLongTermMemoryNoLedgerIsWritten()
    {
        const QString memory = m_folders.path("off-memory.db");
        optimize("bias_gelu_residual", "off.kss", {"--rounds", "3", "--memory", memory, "--long-term", "off"});
        for (const QJsonValue &skill : m_folders.kernelskill({"skills", "list", "--json", "--memory", memory}).json().value("skills").toArray())
            QCOMPARE(skill["uses"].toInt(), 0);
    }

    void forkGoesOnFromANode()
    {
        const QString source = m_folders.path("row_softmax.kss"), forked = m_folders.path("forked.kss");
        QCOMPARE(m_folders.kernelskill({"session", "fork", source, "0", "--session", forked}).exitCode, 0);
        const ProgramEnd end = m_folders.kernelskill({"session", "resume", forked, "--rounds", "1", "--json", "--memory", "none"});
        QVERIFY2(end.exitCode == 0, end.err.constData());
        QVERIFY(end.json().value("nodes").toInt() >= 2);
    }

    void exportsOnePage()
    {
        const QString out = m_folders.path("report.html");
        QCOMPARE(m_folders.kernelskill({"session", "export", m_folders.path("row_softmax.kss"), "--html", out}).exitCode, 0);
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray html = file.readAll();
        QVERIFY(html.contains("modelled, verified"));
        QVERIFY(html.contains("__global__"));
    }
};

QTEST_GUILESS_MAIN(tst_five_tasks)
#include "tst_five_tasks.moc"
