// SPDX-License-Identifier: Apache-2.0
// SKILL.md: reading, writing, refusing. The skills that ship.
#include "memory/longterm/skill_reader.h"
#include "retrieval/policy.h"
#include "retrieval/policy_evaluator.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;

namespace {

const QString whole = QStringLiteral("---\n"
                                     "name: shared-memory-tiling\n"
                                     "description: Stage tiles in shared memory. Use when values are loaded again.\n"
                                     "license: Apache-2.0\n"
                                     "metadata:\n"
                                     "  title: Shared-memory tiling\n"
                                     "  method: M8\n"
                                     "  structures: [S1, S2]\n"
                                     "  gate: [\"reuse_possible\", \"spilled_bytes = 0\"]\n"
                                     "  prohibits: [\"Tiles that do not fit\"]\n"
                                     "  promises:\n"
                                     "    - {metric: dram_bytes, change: lower, why: Each value is read once}\n"
                                     "    - \"l1_throughput_pct: at most 60 \u2014 fewer loads\"\n"
                                     "---\n"
                                     "\n"
                                     "# How\n"
                                     "\n"
                                     "Load, synchronise, use.\n");

} // namespace

class TestSkills : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void isRead();
    void listsMayBeTexts();
    void isWrittenAsItWasRead();
    void errors_data();
    void errors();
    void theFolderNamesTheSkill();
    void jsonKeepsEverything();
    void shippedSkillsAreSound();
};

void TestSkills::isRead()
{
    const auto skill = parseSkillText(whole, "SKILL.md");
    QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
    QCOMPARE(skill->name, QString("shared-memory-tiling"));
    QCOMPARE(skill->title, QString("Shared-memory tiling"));
    QCOMPARE(skill->method, QString("M8"));
    QCOMPARE(skill->languages, QStringList({"cuda"}));
    QCOMPARE(skill->structures, QStringList({"S1", "S2"}));
    QCOMPARE(skill->requires_, QStringList({"reuse_possible", "spilled_bytes = 0"}));
    QCOMPARE(skill->prohibits, QStringList({"Tiles that do not fit"}));
    QCOMPARE(skill->promises.size(), 2);
    QCOMPARE(skill->promises[0].change, QString("lower"));
    QCOMPARE(skill->promises[1].metric, QString("l1_throughput_pct"));
    QCOMPARE(skill->promises[1].change, QString("at most 60"));
    QCOMPARE(skill->promises[1].why, QString("fewer loads"));
    QCOMPARE(skill->body, QString("# How\n\nLoad, synchronise, use."));
}

void TestSkills::listsMayBeTexts()
{
    const auto skill = parseSkillText("---\nname: a-b\ndescription: x\nmetadata:\n  gate: has_reuse; NOT "
                                      "is_pointwise\n  promises: \"dram_bytes: lower; l2_bytes: lower\"\n---\ntext",
                                      "s");
    QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
    QCOMPARE(skill->requires_, QStringList({"has_reuse", "NOT is_pointwise"}));
    QCOMPARE(skill->promises.size(), 2);
    QCOMPARE(skill->title, QString("A b"));
}

void TestSkills::isWrittenAsItWasRead()
{
    const auto skill = parseSkillText(whole, "SKILL.md");
    QVERIFY(skill);
    const auto again = parseSkillText(writeSkillText(*skill), "SKILL.md");
    QVERIFY2(again, qPrintable(again ? QString() : again.error().message));
    QCOMPARE(again->toJson(), skill->toJson());
    QCOMPARE(again->digest(), skill->digest());
}

void TestSkills::errors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("no front matter")
        << "# Title\n"
        << "SKILL.md:1: a skill starts with front matter between two lines '---' (name, description, metadata)";
    QTest::newRow("name")
        << QString(whole).replace("shared-memory-tiling", "Shared Memory")
        << "SKILL.md:2: 'name' must be lower-case words joined by '-', at most 64 characters, not 'Shared Memory'";
    QTest::newRow("method") << QString(whole).replace("M8", "tiling")
                            << "SKILL.md:7: 'method' must be M1, M2, …, not 'tiling'";
    QTest::newRow("structure") << QString(whole).replace("[S1, S2]", "[S1, S9]")
                               << "SKILL.md:8: 'structures' holds S0 to S4, not 'S9'";
    QTest::newRow("promise")
        << QString(whole).replace("change: lower", "change: smaller")
        << "SKILL.md:12: a promise needs a metric and a change ('lower', 'higher', 'at most N', 'at least N')";
    QTest::newRow("yaml") << "---\nname: [a\n---\n" << "SKILL.md:3: end of sequence flow not found";
}

void TestSkills::errors()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto skill = parseSkillText(text, "SKILL.md");
    QVERIFY(!skill);
    QCOMPARE(skill.error().message, message);
    QCOMPARE(skill.error().code, QString("skill.syntax"));
}

void TestSkills::theFolderNamesTheSkill()
{
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath("other"));
    QFile file(folder.filePath("other/SKILL.md"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(whole.toUtf8());
    file.close();
    QCOMPARE(readSkill(folder.filePath("other")).error().code, QString("skill.syntax"));
    QCOMPARE(readSkill(folder.filePath("none")).error().code, QString("skill.missing"));
}

void TestSkills::jsonKeepsEverything()
{
    auto skill = parseSkillText(whole, "SKILL.md");
    QVERIFY(skill);
    skill->state = SkillState::Quarantined;
    skill->stateReason = "not proved";
    skill->revision = 4;
    QCOMPARE(Skill::fromJson(skill->toJson()).toJson(), skill->toJson());
    QVERIFY(skillStateFromString("nonsense") == SkillState::Draft);
}

// Every folder under skills/ can be read, its method is one of the policy's and its gate uses the policy's names.
void TestSkills::shippedSkillsAreSound()
{
    const auto policy = Policy::read(QStringLiteral(SOURCE_DIR "/skills/policy.yaml"));
    QVERIFY2(policy, qPrintable(policy ? QString() : policy.error().message));
    auto evaluator = PolicyEvaluator::make(policy->fields, policy->kinds);
    QVERIFY(evaluator);
    for (const DerivedField &derived : policy->derived) {
        QVERIFY((*evaluator)->addDerived(derived.name, derived.expression, policy->kinds.value(derived.name)));
    }
    const QDir folder(QStringLiteral(SOURCE_DIR "/skills"));
    for (const QString &name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const auto skill = readSkill(folder.filePath(name));
        QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
        const bool known = std::ranges::any_of(policy->methods, [&](const PolicyMethod &method) {
            return method.id == skill->method || method.id == skill->name;
        });
        QVERIFY2(known, qPrintable(name + " is no method of the policy"));
        for (const QString &gate : skill->requires_) {
            const auto predicate = (*evaluator)->addPredicate(gate);
            QVERIFY2(predicate, qPrintable(name + ": " + (predicate ? QString() : predicate.error().message)));
        }
    }
}

QTEST_APPLESS_MAIN(TestSkills)
#include "tst_skills.moc"
