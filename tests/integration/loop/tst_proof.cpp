// SPDX-License-Identifier: Apache-2.0
// From the command line: a person's own policy decides a run, and a counterfactual run decides about a skill.
#include "memory/longterm/skill_store.h"
#include "program.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace kernelskill::test;

class tst_proof : public QObject
{
    Q_OBJECT
    TestFolders m_folders;
    QString m_session, m_memory;

    void write(const QString &path, const QByteArray &text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    QString stateOf(const QString &skill)
    {
        return m_folders.kernelskill({"skills", "show", skill, "--memory", m_memory, "--json"}).json().value("state").toString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_session = m_folders.path("run.kss");
        m_memory = m_folders.path("memory.db");
        const ProgramEnd end = m_folders.kernelskill({"optimize", taskFolder("row_softmax"), "--rounds", "1", "--session", m_session,
                                                      "--memory", m_memory, "--json"});
        QVERIFY2(end.exitCode == 0, end.err.constData());
        QCOMPARE(end.json().value("best").toObject().value("skills").toArray(), QJsonArray{"memory-coalescing"});
    }

    void aProofTellsTheGain()
    {
        const ProgramEnd proof = m_folders.kernelskill({"skills", "prove", "memory-coalescing", "--on", m_session + ":1", "--memory", m_memory, "--json"});
        QVERIFY2(proof.exitCode == 0, proof.err.constData());
        const QJsonObject json = proof.json();
        QCOMPARE(json.value("proved").toBool(), true);
        QCOMPARE(json.value("state").toString(), QString("active"));
        QCOMPARE(json.value("node_without").toInt(), 0);
        QCOMPARE(json.value("node_with").toInt(), 1);
        QCOMPARE(json.value("kind").toString(), QString("modelled"));
        QVERIFY(json.value("interval").toArray().at(0).toDouble() > 10);
        for (const QJsonValue &promise : json.value("promises").toArray())
            QVERIFY(promise.toObject().value("kept").toBool());
        // What a person rejected stays rejected, whatever it gains.
        QCOMPARE(m_folders.kernelskill({"skills", "reject", "memory-coalescing", "--reason", "test", "--memory", m_memory}).exitCode, 0);
        const ProgramEnd again = m_folders.kernelskill({"skills", "prove", "memory-coalescing", "--on", m_session + ":1", "--memory", m_memory, "--json"});
        QCOMPARE(again.exitCode, 0);
        QCOMPARE(stateOf("memory-coalescing"), QString("rejected"));
    }

    void aDraftThatGainsIsPromoted()
    {
        const auto set = [this](kernelskill::SkillState state) {
            auto store = kernelskill::SkillStore::open(m_memory, QStringLiteral(SOURCE_DIR "/skills"));
            QVERIFY(store);
            QVERIFY(store->setState("memory-coalescing", state, "test", "test"));
        };
        const QStringList prove{"skills", "prove", "memory-coalescing", "--on", m_session + ":1", "--memory", m_memory, "--json"};
        for (const auto state : {kernelskill::SkillState::Draft, kernelskill::SkillState::Quarantined}) {
            set(state);
            const ProgramEnd end = m_folders.kernelskill(prove);
            QCOMPARE(end.exitCode, 0);
            QCOMPARE(end.json().value("state").toString(), QString("active"));
            QCOMPARE(stateOf("memory-coalescing"), QString("active"));
        }
        const QString reason = m_folders.kernelskill({"skills", "show", "memory-coalescing", "--memory", m_memory, "--json"})
                                   .json().value("state_reason").toString();
        QVERIFY2(reason.startsWith("proved on run.kss:1: "), qPrintable(reason));
    }

    void oddInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto prove = [&](const QString &skill, const QString &on) {
            return QStringList{"skills", "prove", skill, "--on", on, "--memory", m_memory};
        };
        QTest::newRow("no node") << prove("memory-coalescing", m_session) << "--on takes SESSION:NODE";
        QTest::newRow("no such node") << prove("memory-coalescing", m_session + ":7") << "has no node 7; it has 0 to 1";
        QTest::newRow("no such session") << prove("memory-coalescing", "nowhere.kss:1") << "nowhere.kss: there is no such file";
        QTest::newRow("no such skill") << prove("nope", m_session + ":1") << "there is no skill";
        QTest::newRow("cannot apply") << prove("library-gemm", m_session + ":0") << "the agent 'expert' cannot apply library-gemm to this node";
        QTest::newRow("policy action") << QStringList{"policy", "frob"} << "policy takes show, diff or check";
        QTest::newRow("policy missing") << QStringList{"policy", "diff", "--policy", "/nowhere.yaml"} << "/nowhere.yaml: cannot be read";
    }

    void oddInput()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const ProgramEnd end = m_folders.kernelskill(arguments);
        QCOMPARE(end.exitCode, 2);
        QVERIFY2(QString::fromUtf8(end.err).contains(says), end.err.constData());
    }

    void aPersonsPolicyDecides()
    {
        const QString overlay = m_folders.path("policy.yaml");
        write(overlay, "overlay: 1\n"
                       "bottlenecks:\n"
                       "  - id: uncoalesced_access\n"
                       "    cases:\n"
                       "      - {id: reduction, allowed: [M13]}\n"
                       "remove: [insufficient_parallelism, memory_latency, memory_bandwidth, code_structure_fallback.reduction]\n");
        const QJsonObject diff = m_folders.kernelskill({"policy", "diff", "--policy", overlay, "--json"}).json();
        bool told = false;
        for (const QJsonValue &one : diff.value("differences").toArray()) {
            const QJsonObject difference = one.toObject();
            told = told || (difference.value("place") == "uncoalesced_access.reduction" && difference.value("what") == "allowed" &&
                            difference.value("after") == "M13");
        }
        QVERIFY(told);
        const QString session = m_folders.path("own.kss");
        const ProgramEnd end = m_folders.kernelskill({"optimize", taskFolder("row_softmax"), "--rounds", "1", "--session", session, "--memory",
                                                      "none", "--policy", overlay, "--json"});
        QVERIFY2(end.exitCode == 0, end.err.constData());
        const QJsonObject why = m_folders.kernelskill({"explain", session, "1", "--json"}).json();
        const QJsonArray allowed = why.value("retrieval").toObject().value("allowed").toArray();
        QCOMPARE(allowed.first().toObject().value("skill").toString(), QString("launch-tuning"));
        for (const QJsonValue &method : allowed)
            QVERIFY(method.toObject().value("skill").toString() != "online-softmax");
    }
};

QTEST_GUILESS_MAIN(tst_proof)
#include "tst_proof.moc"
