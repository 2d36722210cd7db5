// SPDX-License-Identifier: Apache-2.0
// What the window knows of skills, as models: the list, its filter, ledger, nodes and revisions, and texts as typed.
#include "base/paths.h"
#include "example_session.h"
#include "models/session_document.h"
#include "models/skill_check.h"
#include "models/skill_model.h"
#include "models/skill_rows.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestSkillModels : public QObject
{
    Q_OBJECT

    static void feed(SessionDocument &document, bool running)
    {
        const ExampleSession session = exampleSession(running);
        for (const Event &event : session.events)
            document.apply(event, session.blobs);
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void gainsOfOneKindOnly()
    {
        // Measured and modelled uses are never averaged: what was measured counts.
        SkillStatistics both{u"a"_s, u"sm_90"_s, {}, {}, 3, 2, 1, std::log(4.0) + std::log(2.0), 3};
        both.measured = {1, 1, 0, std::log(2.0), std::pow(std::log(2.0), 2)};
        both.modelled = {2, 1, 1, std::log(4.0), 2};
        const SkillRecord record = recordOf(u"a"_s, {both});
        QVERIFY(qFuzzyCompare(*record.gain, 2.0));
        QVERIFY(record.kind == TimeKind::Measured);
        QVERIFY(!record.interval); // of one use
        QCOMPARE(record.uses, 3);
    }
    void whatWaitsIsListedInOrder()
    {
        SkillModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QList<Skill> skills(4);
        const QList<std::pair<QString, SkillState>> all{{u"a"_s, SkillState::Quarantined},
                                                        {u"b"_s, SkillState::Draft},
                                                        {u"c"_s, SkillState::Active},
                                                        {u"d"_s, SkillState::Draft}};
        for (int i = 0; i < 4; ++i) {
            skills[i].name = skills[i].title = all[i].first;
            skills[i].state = all[i].second;
        }
        model.setContents(skills, {});
        QCOMPARE(model.waiting(), QStringList({u"b"_s, u"d"_s, u"a"_s}));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setUnsaved({u"c"_s});
        QCOMPARE(changed.size(), 1);
        const QModelIndex row = model.find(SkillModel::NameRole, u"c"_s);
        QVERIFY(row.data(SkillModel::UnsavedRole).toBool());
        QVERIFY(row.data(Qt::AccessibleTextRole).toString().endsWith(u"unsaved changes"_s));
        model.setUnsaved({});
        QVERIFY(!row.data(SkillModel::UnsavedRole).toBool());
    }
    void skillsAreNarrowed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("accepted");
        for (const auto &[text, accepted] : std::initializer_list<std::pair<const char *, bool>>{
                 {"", true},
                 {"Warp reduct", true},
                 {"warp tile", false},
                 {"state:active", true},
                 {"state:draft,active", true},
                 {"state:draft", false},
                 {"structure:s3", true},
                 {"structure:S1", false},
                 {"bottleneck:memory_latency", true},
                 {"bottleneck:compute", false},
                 {"gpu:sm_90", true},
                 {"gpu:sm_89", false},
                 {"won>=3", true},
                 {"won>3", false},
                 {"won:3", true},
                 {"lost<1", false},
                 {"lost<=1", true},
                 {"used:7d", true},
                 {"used:2d", false},
                 {"used:never", false},
                 {"used:", true},          // still being typed
                 {"won>=many", true},      // not understood: narrows nothing
                 {"note:this reduct", false}, // no such key: a word
                 {"state:active won>=3 used:30d warp", true}})
            QTest::newRow(text) << QString::fromLatin1(text) << accepted;
    }
    void skillsAreNarrowed()
    {
        QFETCH(QString, text);
        QFETCH(bool, accepted);
        const QDateTime now = QDateTime::fromString(u"2026-11-30T12:00:00Z"_s, Qt::ISODate);
        SkillFacts facts;
        facts.structures = {u"S3"_s};
        facts.bottlenecks = {u"memory_latency"_s};
        facts.architectures = {u"sm_90"_s};
        facts.won = 3;
        facts.lost = 1;
        facts.lastUsed = now.addDays(-5);
        facts.search = u"warp-shuffle reduction"_s;
        const SkillQuery query = SkillQuery::parse(text, now);
        QCOMPARE(query.accepts(facts), accepted);
        QCOMPARE(query.trouble().isEmpty(), !text.contains(u"many"_s));
    }
    void termsAreToggled()
    {
        QString text = SkillQuery::toggled(u"tile"_s, u"structure"_s, u"S1"_s);
        QCOMPARE(text, u"structure:S1 tile"_s);
        text = SkillQuery::toggled(text, u"structure"_s, u"S3"_s);
        QCOMPARE(text, u"structure:S1,S3 tile"_s);
        text = SkillQuery::toggled(text, u"structure"_s, u"s1"_s);
        QCOMPARE(text, u"structure:S3 tile"_s);
        text = SkillQuery::toggled(text, u"won"_s, u">=1"_s, true);
        text = SkillQuery::toggled(text, u"won"_s, u">=3"_s, true);
        QCOMPARE(text, u"won>=3 structure:S3 tile"_s);
        QCOMPARE(SkillQuery::valuesOf(text, u"won"_s), QStringList{u">=3"_s});
        QCOMPARE(SkillQuery::toggled(text, u"won"_s, u">=3"_s, true), u"structure:S3 tile"_s);
    }
    static LedgerEntry use(const QString &task, int node, const QString &gpu, const QString &verdict, double speedup,
                           const QString &kind)
    {
        LedgerEntry entry;
        entry.session = u"s-"_s + task;
        entry.sessionPath = u"/s/"_s + task + u".kss"_s;
        entry.node = node;
        entry.task = task;
        entry.skill = u"a"_s;
        entry.architecture = gpu;
        entry.structure = u"S3"_s;
        entry.verdict = verdict;
        if (verdict == "verified"_L1) {
            entry.logSpeedup = std::log(speedup);
            entry.interval = {speedup * 0.9, speedup * 1.1};
        }
        entry.kind = kind;
        entry.when = QDateTime::fromMSecsSinceEpoch(1'000'000 + node);
        entry.observed = {{u"changes"_s, QJsonArray{QJsonObject{{u"metric"_s, u"x"_s}, {u"kept"_s, true}},
                                                    QJsonObject{{u"metric"_s, u"y"_s}, {u"kept"_s, false}},
                                                    QJsonObject{{u"metric"_s, u"z"_s}}}}};
        return entry;
    }
    void ledgerByGpuStructureAndKind()
    {
        TreeRowsModel model(skill_rows::ledgerHeaders());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(skill_rows::ledger({use(u"p"_s, 1, u"sm_90"_s, u"verified"_s, 2, u"modelled"_s),
                                          use(u"p"_s, 2, u"sm_90"_s, u"verified"_s, 8, u"modelled"_s),
                                          use(u"q"_s, 3, u"sm_90"_s, u"wrong"_s, 0, u"measured"_s),
                                          use(u"q"_s, 4, u"sm_89"_s, u"verified"_s, 0.5, u"measured"_s)}));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 0).data().toString(), u"sm_89 · S3 · measured"_s); // used last
        QCOMPARE(model.index(0, skill_rows::OutcomeColumn).data().toString(), u"0 won, 1 lost"_s);
        QCOMPARE(model.index(2, 0).data().toString(), u"sm_90 · S3 · modelled"_s);
        QVERIFY(model.index(2, skill_rows::GainColumn).data().toString().startsWith(u"4.0×"_s)); // √(2·8)
        QVERIFY(model.index(2, skill_rows::GainColumn).data().toString().endsWith(u"mod."_s));
        const QModelIndex newest = model.index(0, 0, model.index(2, 0));
        QCOMPARE(newest.data(skill_rows::NodeRole).toInt(), 2);
        QCOMPARE(newest.data(skill_rows::SessionPathRole).toString(), u"/s/p.kss"_s);
        QCOMPARE(newest.siblingAtColumn(skill_rows::PromisesColumn).data().toString(), u"1 of 2"_s);
        QCOMPARE(newest.siblingAtColumn(skill_rows::OutcomeColumn).data().toString(), u"won"_s);
        const QModelIndex wrong = model.index(0, 0, model.index(1, 0));
        QCOMPARE(wrong.siblingAtColumn(skill_rows::GainColumn).data().toString(), QString()); // no number
        QCOMPARE(wrong.siblingAtColumn(skill_rows::OutcomeColumn).data().toString(), u"lost"_s);
    }
    void nodesItShapedByTask()
    {
        SessionDocument document;
        feed(document, false);
        TreeRowsModel model(skill_rows::provenanceHeaders());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QList<LedgerEntry> uses{use(u"p"_s, 1, u"sm_90"_s, u"verified"_s, 2, u"modelled"_s),
                                      use(u"q"_s, 3, u"sm_90"_s, u"wrong"_s, 0, u"modelled"_s),
                                      use(u"p"_s, 5, u"sm_90"_s, u"verified"_s, 2, u"modelled"_s)};
        const QString skill = document.node(2)->skill;
        model.setRows(skill_rows::provenance(skill, uses, {u"/s/open.kss"_s, u"open"_s, &document.trajectory()}));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 0).data().toString(), u"p"_s);
        QCOMPARE(model.index(0, 1).data().toString(), u"2 nodes"_s);
        QCOMPARE(model.index(0, 0, model.index(0, 0)).data(skill_rows::NodeRole).toInt(), 5);
        // What a frozen run did is in no ledger; the session in the window has it.
        const QModelIndex here = model.index(0, 0, model.index(2, 0));
        QCOMPARE(here.data(skill_rows::SessionPathRole).toString(), u"/s/open.kss"_s);
        QCOMPARE(here.data(skill_rows::NodeRole).toInt(), 2);
        // Of many nodes the newest are listed, and all are counted.
        SessionDocument longOne;
        const ExampleSession session = longSession(100);
        SessionContents contents;
        contents.trajectory = Trajectory::fold(session.events);
        longOne.setContents(contents);
        int shaped = 0, newest = 0;
        for (const TrajectoryNode &node : longOne.trajectory().nodes) {
            if (node.skill != skill) continue;
            ++shaped;
            newest = node.id;
        }
        QVERIFY(shaped > 5);
        model.setRows(skill_rows::provenance(skill, {}, {u"/s/long.kss"_s, u"long"_s, &longOne.trajectory()}, 3));
        QCOMPARE(model.rowCount(model.index(0, 0)), 3);
        QCOMPARE(model.index(0, 0, model.index(0, 0)).data(skill_rows::NodeRole).toInt(), newest);
        QCOMPARE(model.index(0, 0).data(skill_rows::NodesRole).toInt(), shaped);
        QCOMPARE(model.index(0, 1).data().toString(), u"%1 nodes, the newest 3 shown"_s.arg(shaped));
    }
    void revisionsAndStatesByTime()
    {
        const auto at = [](int second) { return QDateTime::fromSecsSinceEpoch(1'800'000'000 + second); };
        TreeRowsModel model(skill_rows::revisionHeaders());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(skill_rows::revisions({{1, u"built in"_s, u"shipped"_s, {}, at(0), {}},
                                             {2, u"me"_s, u"clearer"_s, {}, at(20), {}}},
                                            {{SkillState::Active, {}, u"built in"_s, at(0)},
                                             {SkillState::Pinned, u"good"_s, u"ana"_s, at(10)}},
                                            2, u"me"_s));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, skill_rows::NumberColumn).data().toString(), u"2"_s);
        QCOMPARE(model.index(0, skill_rows::WhoColumn).data().toString(), u"you"_s);
        QVERIFY(model.index(0, 0).data(skill_rows::CurrentRole).toBool());
        QCOMPARE(model.index(1, skill_rows::WhyColumn).data().toString(), u"pinned: good"_s);
        QVERIFY(!model.index(1, 0).data(skill_rows::RevisionRole).isValid());
        QVERIFY(!model.index(2, 0).data(skill_rows::CurrentRole).toBool());
    }
    void textsAreCheckedAsTyped()
    {
        const auto policy = Policy::read(paths::skills() + u"/policy.yaml"_s);
        QVERIFY(policy);
        auto gates = GateCheck::make(*policy);
        QVERIFY(gates);
        const QString good = u"---\nname: a\ndescription: Does it. Use when narrow.\nmetadata:\n  gate: |\n    has_reuse\n"
                             "    has_reuse AND dram_throughput_pct >= 40\n  promises: |\n    dram_throughput_pct: higher — It moves more.\n---\nText.\n"_s;
        QVERIFY(checkSkillText(good, u"a"_s, gates->get()).findings.isEmpty());
        QCOMPARE(gateLine(good), 4);
        QString bad = good;
        bad.replace(u"AND dram_throughput_pct >= 40"_s, u"AND dram_throughput_pct >="_s);
        SkillCheck check = checkSkillText(bad, u"a"_s, gates->get());
        QCOMPARE(check.findings.size(), 1);
        QCOMPARE(check.findings.first().line, 6);
        QCOMPARE(check.findings.first().column, bad.split(u'\n')[6].size());
        QVERIFY(check.firstError());
        bad = good;
        bad.replace(u"    has_reuse\n"_s, u"    has_reuze\n"_s);
        check = checkSkillText(bad, u"a"_s, gates->get());
        QCOMPARE(check.findings.size(), 1);
        QCOMPARE(check.findings.first().line, 5); // and not the line below, which has the right one
        QCOMPARE(check.findings.first().column, 4);
        QCOMPARE(check.findings.first().length, 9);
        check = checkSkillText(good, u"b"_s, gates->get());
        QVERIFY(check.firstError()->message.contains(u"names the skill"_s));
        bad = good;
        bad.replace(u"dram_throughput_pct: higher"_s, u"dram_throughput: higher"_s);
        check = checkSkillText(bad, u"a"_s, gates->get());
        QVERIFY(!check.firstError()); // can be saved, and is told
        QCOMPARE(check.findings.size(), 1);
        QCOMPARE(check.findings.first().line, 8);
        check = checkSkillText(u"---\nname: a\n  - broken: [\n---\n"_s, u"a"_s, gates->get());
        QVERIFY(check.firstError());
    }
};

QTEST_MAIN(TestSkillModels)
#include "tst_skill_models.moc"
