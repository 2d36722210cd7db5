// SPDX-License-Identifier: Apache-2.0
#include "base/paths.h"
#include "memory/longterm/skill.h"
#include "retrieval/gate_check.h"

#include <QDir>
#include <QTest>

using namespace kernelskill;

class TestGateCheck : public QObject
{
    Q_OBJECT
    std::unique_ptr<GateCheck> m_check;

private Q_SLOTS:
    void initTestCase()
    {
        const auto policy = Policy::read(paths::skills() + "/policy.yaml");
        QVERIFY(policy);
        auto made = GateCheck::make(*policy);
        QVERIFY(made);
        m_check = std::move(*made);
        QVERIFY(m_check->names().contains("dram_throughput_pct"));
    }
    void theShippedGatesAreSound()
    {
        int gates = 0;
        const QDir folder(paths::skills());
        for (const QString &name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const auto skill = readSkill(folder.filePath(name));
            QVERIFY(skill);
            for (const QString &gate : skill->requires_) {
                QVERIFY2(!m_check->trouble(gate), qPrintable(name + ": " + gate));
                ++gates;
            }
        }
        QVERIFY(gates > 40);
    }
    void placesTrouble_data()
    {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<QString>("at"); // the text at the place; empty: behind the end
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("allowed");
        QTest::newRow("name") << "dram_throughput_pct >= 40 AND has_reus" << "has_reus" << "did you mean 'has_reuse'?"
                              << "has_reuse";
        QTest::newRow("no value") << "dram_throughput_pct >=" << "" << "a value is missing" << "a number";
        QTest::newRow("no operator") << "dram_throughput_pct 40" << "40" << "'40' cannot stand here" << "<=";
        QTest::newRow("two operators") << "dram_throughput_pct > = 40" << "=" << "a value must stand here" << "a number";
        QTest::newRow("open") << "NOT (has_reuse OR is_pointwise" << "" << "')' is missing" << ")";
        QTest::newRow("closed") << "has_reuse)" << ")" << "')' cannot stand here" << "or the end";
        QTest::newRow("stray") << "has_reuse ! is_pointwise" << "!" << "'!' cannot stand here" << "AND";
        QTest::newRow("function") << "sqrt(dram_throughput_pct) > 3" << "sqrt" << "no function 'sqrt'" << "max";
        QTest::newRow("list") << "kernel_structure_id IN 'S1'" << "IN" << "list in parentheses" << "('S1', 'S3')";
        QTest::newRow("first word") << "AND has_reuse" << "AND" << "needs a value before it" << "NOT";
        QTest::newRow("type of text") << "dram_throughput_pct = 'high'" << "dram_throughput_pct"
                                      << "cannot be compared with the text" << "a number";
        QTest::newRow("order of structures") << "has_reuse AND kernel_structure_id > 'S1'" << "kernel_structure_id"
                                             << "has no order" << "IN ('S1', 'S3')";
        QTest::newRow("boolean") << "has_reuse > 1" << "has_reuse" << "is true or false" << "NOT before it";
    }
    void placesTrouble()
    {
        QFETCH(QString, gate);
        QFETCH(QString, at);
        QFETCH(QString, message);
        QFETCH(QString, allowed);
        const auto trouble = m_check->trouble(gate);
        QVERIFY(trouble);
        QCOMPARE(gate.mid(trouble->at, trouble->length), at);
        if (at.isEmpty()) QCOMPARE(trouble->at, gate.size());
        QVERIFY2(trouble->message.contains(message), qPrintable(trouble->message));
        QVERIFY2(trouble->allowed.contains(allowed), qPrintable(trouble->allowed));
    }
    // Whatever the walk thinks, what the evaluator takes is sound.
    void takesWhatTheEvaluatorTakes_data()
    {
        QTest::addColumn<QString>("gate");
        for (const char *gate :
             {"has_reuse", "NOT has_reuse", "dram_throughput_pct BETWEEN 20 AND 60", "has_reuse IS NOT NULL",
              "kernel_structure_id NOT IN ('S1', 'S2')", "max(l1_throughput_pct, l2_throughput_pct) > 1e1",
              "(dram_throughput_pct + 1) * 2 / 3 >= -4", "CASE WHEN has_reuse THEN 1 ELSE 0 END", "spilled_bytes ISNULL"})
            QTest::newRow(gate) << gate;
    }
    void takesWhatTheEvaluatorTakes()
    {
        QFETCH(QString, gate);
        QVERIFY(!m_check->trouble(gate));
    }
    void tellsTheTruthOverARow()
    {
        const QVariantMap row{{"dram_throughput_pct", 58.8}, {"has_reuse", false}};
        QVERIFY(m_check->truth("dram_throughput_pct >= 40", row) == Truth::True);
        QVERIFY(m_check->truth("has_reuse", row) == Truth::False);
        QVERIFY(m_check->truth("spilled_bytes > 0", row) == Truth::Unknown);
        QVERIFY(m_check->truth("spilled_bytes >", row) == Truth::Unknown);
    }
    // Every key that is typed leaves a statement; they go again.
    void manyTextsOneAfterTheOther()
    {
        for (int i = 0; i < 1000; ++i)
            QVERIFY(!m_check->trouble(QStringLiteral("dram_throughput_pct >= %1").arg(i)));
    }
};

QTEST_GUILESS_MAIN(TestGateCheck)
#include "tst_gate_check.moc"
