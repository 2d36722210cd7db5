// SPDX-License-Identifier: Apache-2.0
// SKILL.md: reading, writing, refusing. The skills that ship.
#include "memory/longterm/skill_reader.h"
#include "retrieval/policy.h"
#include "retrieval/policy_evaluator.h"

#include <QDir>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <random>

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
    void oddButReadable_data();
    void oddButReadable();
    void aForeignSkill();
    void aMangledForeignSkill();
    void everyErrorIsTold();
    void nothingIsLost_data();
    void nothingIsLost();
    void strictForm();
    void aChangedSkillKeepsTheRest();
    void aliasesDoNotExplode();
    void anyTextIsSafe();
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
    QTest::newRow("no front matter") << "# Title\n"
                                     << "SKILL.md:1: a skill starts with front matter between two lines '---'; begin "
                                        "with a line '---', then name: and "
                                        "description:, then a line '---'";
    QTest::newRow("open front matter") << "\n---\nname: a\n"
                                       << "SKILL.md:2: the front matter that starts here has no closing line '---'; "
                                          "begin with a line '---', then name: and "
                                          "description:, then a line '---'";
    QTest::newRow("no description")
        << QString(whole).replace("description:", "about:")
        << "SKILL.md:2: 'description' must say what the skill does and when to use it, in 1 to "
           "1024 characters";
    QTest::newRow("a map as gate")
        << QString(whole).replace("[\"reuse_possible\", \"spilled_bytes = 0\"]", "{a: b}")
        << "SKILL.md:9: 'gate' must be a list of texts; write one text with ';' between the items, or one item a line "
           "below '|'";
    QTest::newRow("promise in a block")
        << "---\nname: a\ndescription: b\nmetadata:\n  promises: |\n    dram_bytes: lower\n    l2_bytes: less\n---\n"
        << "SKILL.md:7: a promise needs a metric and a change ('lower', 'higher', 'at most N', 'at least N')";
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
    QTest::newRow("yaml") << "---\nname: [a\n---\n"
                          << "SKILL.md:3: end of sequence flow not found; the front matter must be YAML";
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
    const auto skill = readSkill(folder.filePath("other"));
    QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
    QCOMPARE(skill->name, QString("shared-memory-tiling"));
    const SkillDiagnostic &odd = skill->diagnostics.first();
    QVERIFY(odd.severity == SkillDiagnostic::Severity::Warning);
    QCOMPARE(odd.text(),
             folder.filePath("other/SKILL.md") +
                 ":2: 'name' is 'shared-memory-tiling' but the folder is 'other'; Agent Skills wants them to "
                 "agree; the name counts here");
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

namespace {

QStringList told(const QList<SkillDiagnostic> &diagnostics)
{
    QStringList result;
    for (const SkillDiagnostic &diagnostic : diagnostics)
        result.append(toString(diagnostic.severity) + u' ' + QString::number(diagnostic.line) + u' ' +
                      diagnostic.message);
    return result;
}

} // namespace

void TestSkills::oddButReadable_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("expected");
    const QString plain = "---\nname: a-b\ndescription: What it does\nmetadata:\n  languages: cuda\n---\nBody\n";
    QTest::newRow("plain") << plain << QStringList();
    QTest::newRow("byte order mark") << QChar(0xfeff) + plain << QStringList{"note 1 starts with a byte order mark"};
    QTest::newRow("CR LF") << QString(plain).replace("\n", "\r\n") << QStringList{"note 1 its lines end in CR LF"};
    QTest::newRow("blanks behind the dashes")
        << QString(plain).replace("---\n", "--- \t\n")
        << QStringList{"note 1 blanks stand behind '---'", "note 6 blanks stand behind '---'"};
    QTest::newRow("empty lines first") << "\n\n" + plain
                                       << QStringList{"warning 1 empty lines stand before the front matter"};
    QTest::newRow("unknown keys") << QString(plain).replace("metadata:", "model: big\nmetadata:\n  author: Ada")
                                  << QStringList{"note 4 'model' has no meaning here; it is kept",
                                                 "note 6 'author' has no meaning here; it is kept"};
    QTest::newRow("twice") << QString(plain).replace("metadata:", "name: c\nmetadata:")
                           << QStringList{"warning 4 'name' stands here a second time"};
    QTest::newRow("a list") << QString(plain).replace("languages: cuda", "languages: [cuda]")
                            << QStringList{"note 5 'languages' is a YAML list"};
    QTest::newRow("colon without quotes")
        << QString(plain).replace("What it does", "Use when: it is slow")
        << QStringList{"warning 3 a value with ': ' or ' #' in it stands without quotes (illegal map value)"};
    QTest::newRow("dashes in the body") << plain + "---\nmore\n" << QStringList();
}

void TestSkills::oddButReadable()
{
    QFETCH(QString, text);
    QFETCH(QStringList, expected);
    const SkillReading reading = examineSkillText(text, "SKILL.md", "a-b");
    QVERIFY(reading.skill);
    QCOMPARE(told(reading.diagnostics), expected);
    QCOMPARE(told(reading.skill->diagnostics), expected);
    QCOMPARE(reading.skill->name, QString("a-b"));
    QVERIFY(reading.skill->body.startsWith("Body"));
    QVERIFY(!reading.skill->body.contains('\r'));
    QCOMPARE(reading.skill->languages, QStringList{"cuda"});
    QCOMPARE(writeSkillText(*reading.skill), text); // exactly
}

void TestSkills::aForeignSkill()
{
    const auto skill = parseSkillText("---\n"
                                      "name: pdf-forms\n"
                                      "description: Fills forms\n"
                                      "license: Proprietary. LICENSE.txt has complete terms\n"
                                      "compatibility: Needs poppler\n"
                                      "allowed-tools: Bash(git:*) Read\n"
                                      "disable-model-invocation: true\n"
                                      "dependencies: [a, \"true\", {b: 1.0}]\n"
                                      "metadata:\n"
                                      "  version: 1.0\n"
                                      "  tags: [x, y]\n"
                                      "---\n"
                                      "# Forms\n",
                                      "SKILL.md");
    QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
    QVERIFY(skill->foreign);
    QVERIFY(skill->languages.isEmpty());
    QVERIFY(skill->requires_.isEmpty() && skill->promises.isEmpty());
    QCOMPARE(skill->license, QString("Proprietary. LICENSE.txt has complete terms"));
    QCOMPARE(skill->compatibility, QString("Needs poppler"));
    QCOMPARE(skill->allowedTools, QString("Bash(git:*) Read"));
    QCOMPARE(skill->otherFields,
             (QList<SkillField>{{"disable-model-invocation", "true"}, {"dependencies", "[a, \"true\", {b: 1.0}]"}}));
    QCOMPARE(skill->otherMetadata, (QList<SkillField>{{"version", "1.0"}, {"tags", "[x, y]"}}));
}

// What nobody of ours wrote is mended and told, not refused.
void TestSkills::aMangledForeignSkill()
{
    const SkillReading reading =
        examineSkillText("---\nname: Größe & Form\n---\n# Title\n\nDoes things.\n", "SKILL.md", "x");
    QVERIFY(reading.skill);
    QCOMPARE(reading.skill->name, QString("gro-e-form"));
    QCOMPARE(reading.skill->description, QString("Does things."));
    QCOMPARE(told(reading.diagnostics).size(), 2);
    QVERIFY(!examineSkillText("---\nname: x\n---\n", "SKILL.md").skill); // nothing to describe it by
    QCOMPARE(examineSkillText("---\ndescription: d\n---\n", "SKILL.md", "my-folder").skill->name, QString("my-folder"));
}

void TestSkills::everyErrorIsTold()
{
    const SkillReading reading =
        examineSkillText("---\nname: A B\ndescription: d\nmetadata:\n  method: X\n  structures: "
                         "S7\n  promises: |\n    a: lower\n    b\n---\n",
                         "x/SKILL.md");
    QVERIFY(!reading.skill);
    QCOMPARE(
        told(reading.diagnostics),
        QStringList({"error 2 'name' must be lower-case words joined by '-', at most 64 characters, not 'A B'",
                     "error 5 'method' must be M1, M2, …, not 'X'", "error 6 'structures' holds S0 to S4, not 'S7'",
                     "error 9 a promise needs a metric and a change ('lower', 'higher', 'at most N', 'at least N')"}));
    const auto parsed = parseSkillText("---\nname: A B\ndescription: d\nmetadata:\n  method: X\n---\n", "x/SKILL.md");
    QCOMPARE(parsed.error().detail.count('\n'), 1);
}

void TestSkills::nothingIsLost_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("ours") << whole;
    QTest::newRow("awkward texts")
        << "---\nname: a\ndescription: \"quote \\\" backslash \\\\ colon: hash # tab\\t\"\nlicense: 'yes'\n"
           "compatibility: '- 1'\nallowed-tools: [\"Bash(a, b)\", Read]\n\"odd: key\": ~\nnested:\n  deep: {a: [1, "
           "'2', null]}\n  text: |\n    two\n    lines\nmetadata:\n  title: 'true'\n  languages: any\n  gate: |\n    a "
           "> 1 "
           "AND b # not a comment\n    \"c\" = 2\n  prohibits: 'one; two'\n  verified_by: NVIDIA H200\n  promises: "
           "'a: at most 4.5; b: lower \u2014 why: because'\n  version: '2.0'\n  empty: ''\n---\n\n# A\n";
    QTest::newRow("foreign")
        << "---\nname: b\ndescription: d\nmetadata: {author: x, n: {a: [1]}}\nuser-invocable: false\n"
           "---\nbody\n---\nmore\n";
    QTest::newRow("metadata is no map") << "---\nname: b\ndescription: d\nmetadata: [1, 2]\n---\nbody\n";
    QTest::newRow("unicode") << QString::fromUtf8(
        "---\nname: c\ndescription: 说明 — \xf0\x9f\x9a\x80\nmetadata:\n  title: "
        "Größe\n  languages: cuda\n---\n体\n");
    QTest::newRow("list items over lines")
        << "---\nname: c\ndescription: >\n  folded\n  text\nmetadata:\n  prohibits:\n   "
           " - one\n      goes on\n    - two; three\n---\n";
}

// Exactly as long as it is not changed; in the strict form all that it says.
void TestSkills::nothingIsLost()
{
    QFETCH(QString, text);
    const auto skill = parseSkillText(text, "SKILL.md");
    QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
    QCOMPARE(writeSkillText(*skill), text);
    Skill bare = *skill;
    bare.text.clear();
    const QString strict = writeSkillText(bare);
    const auto again = parseSkillText(strict, "SKILL.md");
    QVERIFY2(again, qPrintable(strict + (again ? QString() : again.error().message)));
    QCOMPARE(again->toJson(), skill->toJson());
    QCOMPARE(again->digest(), skill->digest());
    Skill bareAgain = *again;
    bareAgain.text.clear();
    QCOMPARE(writeSkillText(bareAgain), strict);
    QCOMPARE(Skill::fromJson(skill->toJson()).toJson(), skill->toJson());
}

void TestSkills::strictForm()
{
    auto skill = parseSkillText(whole, "SKILL.md");
    QVERIFY(skill);
    skill->text.clear();
    skill->verifiedBy = "NVIDIA H200";
    QCOMPARE(writeSkillText(*skill),
             QString("---\n"
                     "name: shared-memory-tiling\n"
                     "description: Stage tiles in shared memory. Use when values are loaded again.\n"
                     "license: Apache-2.0\n"
                     "metadata:\n"
                     "  title: Shared-memory tiling\n"
                     "  method: M8\n"
                     "  languages: cuda\n"
                     "  structures: S1; S2\n"
                     "  gate: |\n"
                     "    reuse_possible\n"
                     "    spilled_bytes = 0\n"
                     "  promises: |\n"
                     "    dram_bytes: lower \u2014 Each value is read once\n"
                     "    l1_throughput_pct: at most 60 \u2014 fewer loads\n"
                     "  prohibits: |\n"
                     "    Tiles that do not fit\n"
                     "  verified_by: NVIDIA H200\n"
                     "---\n"
                     "\n"
                     "# How\n"
                     "\n"
                     "Load, synchronise, use.\n"));
    // The strict form is what the reader has nothing to say about.
    QVERIFY(parseSkillText(writeSkillText(*skill), "SKILL.md")->diagnostics.isEmpty());
}

void TestSkills::aChangedSkillKeepsTheRest()
{
    auto skill =
        parseSkillText(QString(whole).replace("metadata:", "x-key: [1, two]\nmetadata:\n  author: Ada"), "SKILL.md");
    QVERIFY(skill);
    skill->description = "Changed";
    const auto again = parseSkillText(writeSkillText(*skill), "SKILL.md");
    QVERIFY(again);
    QCOMPARE(again->description, QString("Changed"));
    QCOMPARE(again->otherFields, (QList<SkillField>{{"x-key", "[1, two]"}}));
    QCOMPARE(again->otherMetadata, (QList<SkillField>{{"author", "Ada"}}));
    QCOMPARE(again->license, QString("Apache-2.0"));
}

void TestSkills::aliasesDoNotExplode()
{
    QString bomb = "---\nname: a\ndescription: d\nx0: &x0 [l, l, l, l, l, l, l, l]\n";
    for (int i = 1; i < 12; ++i)
        bomb += QString("x%1: &x%1 [*x%2, *x%2, *x%2, *x%2, *x%2, *x%2, *x%2, *x%2]\n").arg(i).arg(i - 1);
    const auto skill = parseSkillText(bomb + "---\n", "SKILL.md");
    QVERIFY(!skill);
    QVERIFY2(skill.error().message.contains("deeper or larger than front matter can be"),
             qPrintable(skill.error().message));
    QVERIFY(!parseSkillText("---\nname: a\ndescription: d\nx: &x [*x]\n---\n", "SKILL.md"));
}

// Texts broken at random places: read or refused, never worse, and what is read is written so that it is read again.
void TestSkills::anyTextIsSafe()
{
    std::mt19937 random(1);
    const QString pieces =
        QStringLiteral("-:;|>[]{}&*!#'\"%@`\n\n\r\t  ,?~\\a1\u2014\ufeff\u2028") + QChar(0) + QChar(0xd800);
    int readable = 0;
    for (int round = 0; round < 3000; ++round) {
        QString text = whole;
        for (unsigned change = random() % 6 + 1; change > 0; --change) {
            const qsizetype at = qsizetype(random() % size_t(text.size()));
            switch (random() % 4) {
            case 0:
                text.insert(at, pieces[qsizetype(random() % size_t(pieces.size()))]);
                break;
            case 1:
                text.remove(at, qsizetype(random() % 12));
                break;
            case 2:
                text.insert(at, text.mid(qsizetype(random() % size_t(text.size())), qsizetype(random() % 40)));
                break;
            default:
                text[at] = pieces[qsizetype(random() % size_t(pieces.size()))];
            }
            if (text.isEmpty()) text = u'x';
        }
        const SkillReading reading = examineSkillText(text, "SKILL.md", "folder");
        QVERIFY2(reading.skill.has_value() != hasErrors(reading.diagnostics), qPrintable(text));
        for (const SkillDiagnostic &diagnostic : reading.diagnostics)
            QVERIFY(diagnostic.line >= 1 && diagnostic.line <= text.count('\n') + text.count('\r') + 1);
        if (!reading.skill) continue;
        ++readable;
        Skill bare = *reading.skill;
        bare.text.clear();
        const QString strict = writeSkillText(bare);
        const auto again = parseSkillText(strict, "SKILL.md", "folder");
        QVERIFY2(again, qPrintable(text + "\n=====\n" + strict + (again ? QString() : again.error().message)));
        QVERIFY2(again->toJson() == reading.skill->toJson(),
                 qPrintable(text + "\n=====\n" + strict + QJsonDocument(again->toJson()).toJson() +
                            QJsonDocument(reading.skill->toJson()).toJson()));
    }
    QVERIFY2(readable > 500, qPrintable(QString::number(readable)));
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
        for (const SkillDiagnostic &diagnostic : skill->diagnostics)
            QVERIFY2(diagnostic.severity == SkillDiagnostic::Severity::Note, qPrintable(diagnostic.text()));
        QVERIFY2(!skill->foreign, qPrintable(name));
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
