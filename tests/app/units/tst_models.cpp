// SPDX-License-Identifier: Apache-2.0
#include "example_session.h"
#include "models/log_model.h"
#include "models/metric_help.h"
#include "models/node_text.h"
#include "models/palette_model.h"
#include "models/panel_rows.h"
#include "models/round_progress.h"
#include "models/session_document.h"
#include "models/session_follower.h"
#include "models/skill_model.h"
#include "models/task_model.h"
#include "models/trajectory_model.h"
#include "session/session_file.h"
#include "trajectory/trajectory_view.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestModels : public QObject
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
    void trajectoryGrowsUnderTheTester()
    {
        SessionDocument document;
        NodeSelection selection(&document);
        RepairFolds folds(&document, &selection);
        TrajectoryModel model(&document, &folds);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        feed(document, true);
        QCOMPARE(model.rowCount(), 11);
        const QModelIndex best = model.indexOfNode(6);
        QCOMPARE(model.nodeAt(best), 6);
        QCOMPARE(best.siblingAtColumn(TrajectoryModel::SpeedupColumn).data().toString(),
                 u"12.6× [11.2, 14.2] modelled, verified"_s);
        QCOMPARE(best.siblingAtColumn(TrajectoryModel::FromColumn).data().toString(), u"4"_s);
        // Wrong and running nodes give a word, never a number.
        QCOMPARE(model.indexOfNode(2).siblingAtColumn(TrajectoryModel::SpeedupColumn).data().toString(), u"wrong"_s);
        QCOMPARE(model.indexOfNode(10).siblingAtColumn(TrajectoryModel::SpeedupColumn).data().toString(), u"running"_s);
    }
    void thePaletteRanks()
    {
        QVERIFY(paletteScore(u"fit"_s, u"Fit trajectory"_s) > paletteScore(u"fit"_s, u"Show the outfit"_s));
        QVERIFY(paletteScore(u"trajectory fit"_s, u"Fit trajectory"_s) > 0); // words in any order
        QVERIFY(paletteScore(u"fitr"_s, u"Fit trajectory"_s) > 0);           // letters in their order
        QCOMPARE(paletteScore(u"zzz"_s, u"Fit trajectory"_s), 0);
        QCOMPARE(paletteScore(u"fit nothing"_s, u"Fit trajectory"_s), 0); // every word must be there
        PaletteModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        int done = 0;
        model.setEntries({{u"Show the outfit"_s, {}, u"Action"_s, true, {}},
                          {u"Fit trajectory"_s, u"Ctrl+0"_s, u"Action"_s, true, [&done] { ++done; }},
                          {u"Fit nothing"_s, {}, u"Action"_s, false, {}}});
        QCOMPARE(model.rowCount(), 3);
        model.setFilter(u"fit tr"_s);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0).data(PaletteModel::DetailRole).toString(), u"Ctrl+0"_s);
        model.entry(model.index(0))->run();
        QCOMPARE(done, 1);
        model.setFilter(u"fit"_s);
        QCOMPARE(model.rowCount(), 3);
        QVERIFY(!(model.index(0).flags() & Qt::ItemIsEnabled)); // "Fit nothing" is shown, and cannot be done
    }
    void theLogMakesWordsWhenAsked()
    {
        SessionDocument document;
        LogModel model(&document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        feed(document, false);
        QCOMPARE(model.rowCount(), document.events().size());
        QVERIFY(model.index(0).data().toString().endsWith(u"session of row_softmax starts"_s));
        model.note(u"the disk is full"_s);
        QVERIFY(model.index(model.rowCount() - 1).data().toString().endsWith(u"the disk is full"_s));
        document.clear();
        QCOMPARE(model.rowCount(), 0);
    }
    void aBurstOfEventsIsToldOnce()
    {
        SessionDocument document;
        QSignalSpy changed(&document, &SessionDocument::nodesChanged), touched(&document, &SessionDocument::nodeTouched);
        feed(document, false);
        QVERIFY(touched.size() >= 11 * 3); // start, candidate and evaluation of each node, at once
        QCOMPARE(changed.size(), 0);
        QTRY_COMPARE(changed.size(), 1);
    }
    // What comes before the damage is shown, and nothing is written.
    void aDamagedSessionShowsWhatCanBeRead()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"damaged.kss"_s);
        QVERIFY(writeExampleSession(path, false));
        {
            QSqlDatabase db = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"damage"_s);
            db.setDatabaseName(path);
            QVERIFY(db.open());
            QVERIFY(QSqlQuery(db).exec(u"UPDATE events SET data = 'torn' WHERE sequence = 40"_s));
        }
        QSqlDatabase::removeDatabase(u"damage"_s);
        const auto contents = readSession(path);
        QVERIFY2(contents.has_value(), contents ? "" : qPrintable(contents.error().message));
        QVERIFY(contents->damage.has_value());
        QCOMPARE(contents->damage->code, u"session.damaged"_s);
        QVERIFY2(contents->damage->message.contains(u"event 40 cannot be read; the 39 before it can"_s), qPrintable(contents->damage->message));
        QVERIFY(contents->readOnly);
        QCOMPARE(contents->events.size(), 39);
        QVERIFY(contents->trajectory.nodes.size() > 2 && contents->trajectory.nodes.size() < 11);
        // All of it damaged is an error.
        {
            QSqlDatabase db = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"damage"_s);
            db.setDatabaseName(path);
            QVERIFY(db.open());
            QVERIFY(QSqlQuery(db).exec(u"UPDATE events SET data = '' WHERE sequence = 1"_s));
        }
        QSqlDatabase::removeDatabase(u"damage"_s);
        QCOMPARE(readSession(path).error().code, u"session.damaged"_s);
        QVERIFY(readSession(folder.path()).error().message.contains(u"a folder, not a session file"_s));
    }
    void aLongSessionStaysSmall()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"long.kss"_s);
        const ExampleSession session = longSession(300);
        QVERIFY(writeSession(path, session));
        const auto contents = readSession(path);
        QVERIFY(contents.has_value());
        QVERIFY(contents->blobs.isEmpty()); // read when they are asked for
        SessionDocument document;
        document.setContents(*contents);
        const auto &nodes = document.trajectory().nodes;
        QVERIFY(nodes.size() > 300);
        for (const TrajectoryNode &node : nodes) {
            QVERIFY(node.parent < node.id);
            QVERIFY(document.candidate(node.id) != nullptr);
        }
        QCOMPARE(std::ranges::count_if(nodes, &TrajectoryNode::isBest), 1);
        QCOMPARE(std::ranges::count_if(nodes, &TrajectoryNode::isBase), 1);
        QVERIFY(document.node(document.trajectory().best)->work.has_value());
    }
    void applyingTwiceChangesNothing()
    {
        SessionDocument document;
        feed(document, false);
        const qsizetype events = document.events().size();
        feed(document, false);
        QCOMPARE(document.events().size(), events);
        QCOMPARE(document.trajectory().nodes.size(), 11);
    }
    void fileGivesTheSameAsEvents()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"x.kss"_s);
        QVERIFY(writeExampleSession(path, false));
        const auto contents = readSession(path);
        QVERIFY2(contents.has_value(), contents ? "" : qPrintable(contents.error().message));
        SessionDocument document;
        document.setContents(*contents);
        QCOMPARE(document.trajectory().best, 6);
        QVERIFY(document.evaluation(6) != nullptr);
        QCOMPARE(document.evaluation(6)->profile.device, u"h200"_s);
        QVERIFY(document.candidate(6)->mainText().contains("float4"_L1));
        QCOMPARE(document.retrieval(6)->tier, u"M"_s);
        QVERIFY(document.evaluation(10)->verdict == Verdict::Verified);
        const auto entry = sessionEntry(path);
        QVERIFY(entry.has_value());
        QCOMPARE(entry->task, u"row_softmax"_s);
        QVERIFY(entry->best && entry->best->value > 12);
    }
    void whyRowsSayTrueFalseUnknown()
    {
        SessionDocument document;
        feed(document, false);
        TreeRowsModel model({u"a"_s, u"b"_s, u"c"_s});
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(panel_rows::why({document.node(6), document.round(6), document.retrieval(6), {}}));
        const QModelIndex held = model.find(panel_rows::TruthRole, int(Truth::True));
        QVERIFY(held.data().toString().contains("Memory latency"_L1));
        const QModelIndex first = model.index(0, 0, held);
        QCOMPARE(first.data().toString(), u"dram_throughput_pct"_s);
        QCOMPARE(first.siblingAtColumn(1).data().toString(), u"58.8\u202F%"_s);
        QCOMPARE(first.siblingAtColumn(2).data().toString(), u"≥ 40\u202F%"_s);
        const QModelIndex unknown = model.find(panel_rows::TruthRole, int(Truth::Unknown));
        QVERIFY(unknown.isValid());
        // Sections: predicates, methods, ranking, plan, promised and observed.
        QCOMPARE(model.rowCount(), 5);
        model.setRows(panel_rows::why({document.node(0), nullptr, nullptr, {}}));
        QCOMPARE(model.rowCount(), 0);
    }
    void conditionsOfThePolicyFillTheColumns_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("needs");
        QTest::newRow("bound") << u"sm_throughput_pct < 40"_s << u"sm_throughput_pct"_s << u"< 40\u202F%"_s;
        QTest::newRow("range") << u"dram_throughput_pct BETWEEN 40 AND 80"_s << u"dram_throughput_pct"_s
                               << u"40 … 80\u202F%"_s;
        QTest::newRow("list") << u"kernel_structure_id IN ('S0', 'S1')"_s << u"kernel_structure_id"_s << u"S0, S1"_s;
        QTest::newRow("flag") << u"has_reuse"_s << u"has_reuse"_s << u"yes"_s;
        QTest::newRow("not") << u"NOT uncoalesced"_s << u"uncoalesced"_s << u"no"_s;
        QTest::newRow("rich") << u"a + b >= 3"_s << u"a + b >= 3"_s << QString();
    }
    void conditionsOfThePolicyFillTheColumns()
    {
        QFETCH(QString, text);
        QFETCH(QString, field);
        QFETCH(QString, needs);
        TrajectoryNode node;
        Retrieval retrieval;
        retrieval.bottlenecks = {{u"b"_s, u"B"_s, Truth::True, {{text, Truth::True, {}}}}};
        const auto root = panel_rows::why({&node, nullptr, &retrieval, {}});
        const TreeRow &row = *root->children[0]->children[1]->children[0];
        QCOMPARE(row.cells[0], field);
        QCOMPARE(row.cells[2], needs);
        if (!needs.isEmpty()) QCOMPARE(row.cells[1], u"no counter"_s); // unknown is said, never 0
    }
    void evidenceListsEveryCheck()
    {
        SessionDocument document;
        feed(document, false);
        TreeRowsModel model({u"a"_s, u"b"_s, u"c"_s});
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(panel_rows::evidence(document.evaluation(2), document.node(2)));
        const QModelIndex checks = model.index(1, 0);
        QCOMPARE(checks.data().toString(), u"Checks"_s);
        QCOMPARE(model.rowCount(checks), document.evaluation(2)->checks.size());
        QCOMPARE(checks.siblingAtColumn(2).data().toString(), u"6 of 8 passed"_s);
    }
    void metricsAreExplained()
    {
        const QStringList lines = metricHelp(u"dram_throughput_pct"_s).split(u'\n');
        QCOMPARE(lines.first(), u"DRAM throughput"_s);
        QVERIFY(lines.contains(u"In %. Higher is better."_s) || lines.contains(u"In %. Neither high nor low is good by itself."_s));
        QCOMPARE(lines.last(), u"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"_s);
        QCOMPARE(metricHelp(u"no_such_metric"_s), u"no_such_metric"_s);
    }
    void skillsGroupByState()
    {
        SkillModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Skill pinned, active, rejected;
        pinned.name = u"coalesced-access"_s;
        pinned.title = u"Coalesced access"_s;
        pinned.state = SkillState::Pinned;
        active.name = u"vectorised-loads"_s;
        active.title = u"Vectorised loads"_s;
        rejected.name = u"fast-math"_s;
        rejected.title = u"Fast math"_s;
        rejected.state = SkillState::Rejected;
        SkillStatistics wins{u"vectorised-loads"_s, u"sm_90"_s, u"memory_latency"_s, u"S3"_s, 4, 3, 1, 1.2, 0.5};
        model.setContents({active, rejected, pinned}, {wins});
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 0).data().toString(), u"Pinned"_s);
        const QModelIndex row = model.find(SkillModel::NameRole, u"vectorised-loads"_s);
        QCOMPARE(row.siblingAtColumn(SkillModel::WonColumn).data().toString(), u"3"_s);
        QCOMPARE(row.siblingAtColumn(SkillModel::LostColumn).data().toString(), u"1"_s);
        QVERIFY(qFuzzyCompare(row.data(SkillModel::GainRole).toDouble(), std::exp(0.3)));
        QVERIFY(row.data(SkillModel::LowRole).toDouble() < row.data(SkillModel::GainRole).toDouble());
        // Same shape: the row stays the same row.
        const QPersistentModelIndex kept = row;
        wins.wins = 4;
        model.setContents({active, rejected, pinned}, {wins});
        QVERIFY(kept.isValid());
        QCOMPARE(kept.sibling(kept.row(), SkillModel::WonColumn).data().toString(), u"4"_s);
    }
    void sessionsStandBelowTheirTask()
    {
        TaskModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        SessionEntry session;
        session.path = u"/s/a.kss"_s;
        session.name = u"a"_s;
        session.task = u"row_softmax"_s;
        model.setContents(
            {{u"row_softmax"_s, {}, u"/t/row_softmax"_s, true}, {u"layer_norm"_s, {}, u"/t/layer_norm"_s, true}},
            {session});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.rowCount(model.index(0, 0)), 1);
        QCOMPARE(model.index(0, 1).data().toString(), u"1"_s);
        model.setOpenSession(u"/s/live.kss"_s, u"live"_s, {}, u"layer_norm"_s, u"starting"_s, true);
        QCOMPARE(model.rowCount(model.index(1, 0)), 1);
        QVERIFY(model.find(TaskModel::SessionRole, u"/s/live.kss"_s).data(TaskModel::RunningRole).toBool());
    }
    void selectionFollowsUntilAPersonSelects()
    {
        SessionDocument document;
        NodeSelection selection(&document);
        const ExampleSession session = exampleSession(true);
        for (const Event &event : session.events) {
            document.apply(event, session.blobs);
            if (document.trajectory().nodes.size() == 6 && selection.follows() && selection.selected() == 5)
                selection.select(1);
        }
        QVERIFY(!selection.follows());
        QCOMPARE(selection.selected(), 1);
        QCOMPARE(selection.compared(), 0);
        QCOMPARE(selection.unseen(), 5);
        selection.compareWith(3);
        QCOMPARE(selection.compared(), 3);
        selection.setFollow(true);
        QCOMPARE(selection.selected(), 10);
        QCOMPARE(selection.unseen(), 0);
    }
    // A run at the command line writes to the session that is open here.
    void followsWhatAnotherProgramWrites()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"a.kss"_s);
        const ExampleSession session = exampleSession(false);
        ExampleSession first{session.events.first(20), session.blobs};
        QVERIFY(writeSession(path, first));
        SessionDocument document;
        SessionFollower follower(&document);
        QSignalSpy followed(&follower, &SessionFollower::followed);
        const auto contents = readSession(path);
        QVERIFY(contents);
        document.setContents(*contents);
        QVERIFY(!follower.isWorkedOnElsewhere());
        const qsizetype before = document.trajectory().nodes.size();
        auto writer = SessionFile::open(path);
        QVERIFY(writer);
        QVERIFY(writer->append(session.events.sliced(20, 30)));
        QTRY_COMPARE(document.events().size(), 50);
        QVERIFY(document.trajectory().nodes.size() > before);
        QVERIFY(follower.isWorkedOnElsewhere());
        follower.setPaused(true); // the window runs it itself
        QVERIFY(writer->append(session.events.sliced(50)));
        QTest::qWait(1500);
        QCOMPARE(document.events().size(), 50);
        follower.setPaused(false);
        QTRY_COMPARE(document.events().size(), session.events.size());
        QCOMPARE(document.trajectory().endedBy, u"rounds"_s);
        QVERIFY(followed.count() >= 2);
    }
    // A long session is arranged by a worker: in the end all stands as if it had been opened as it is.
    void longSessionsAreArrangedInTheBackground()
    {
        const ExampleSession session = longSession(700);
        const qsizetype known = session.events.size() - 400;
        SessionContents contents;
        contents.trajectory = Trajectory::fold(session.events.first(known));
        contents.events = session.events.first(known);
        contents.blobs = session.blobs;
        SessionDocument document;
        NodeSelection selection(&document);
        RepairFolds folds(&document, &selection);
        TrajectoryView view(&document, &selection, &folds);
        view.resize(1200, 300);
        view.show();
        document.setContents(contents);
        selection.setFollow(false);
        for (qsizetype i = known; i < session.events.size(); ++i) {
            document.apply(session.events[i], {});
            const auto &nodes = document.trajectory().nodes;
            QVERIFY(!view.nodeRect(nodes.last().id).isNull()); // at once
            if (i % 40 == 0) QCoreApplication::processEvents();
        }
        SessionDocument whole;
        NodeSelection none(&whole);
        RepairFolds noFolds(&whole, &none);
        TrajectoryView expected(&whole, &none, &noFolds);
        expected.resize(1200, 300);
        expected.show();
        contents.trajectory = document.trajectory();
        contents.events = session.events;
        whole.setContents(contents);
        view.fit();
        expected.fit();
        const auto offset = [](const TrajectoryView &one, int node) {
            return one.nodeRect(node).topLeft() - one.nodeRect(0).topLeft();
        };
        for (const TrajectoryNode &node : whole.trajectory().nodes)
            QTRY_COMPARE(offset(view, node.id), offset(expected, node.id));
    }
    void progressOfARunningRound()
    {
        SessionDocument document;
        feed(document, true);
        document.setStage(10, u"checking"_s, 14, 24);
        const RoundProgress progress = roundProgress(document, true);
        QCOMPARE(progress.round, 8);
        QCOMPARE(progress.title, u"Fused exp2"_s);
        QCOMPARE(progress.steps.size(), 7);
        QVERIFY(progress.steps[3].state == RoundStep::State::Done);
        QVERIFY(progress.steps[5].state == RoundStep::State::Active);
        QCOMPARE(progress.steps[5].detail, u"14 of 24"_s);
        QVERIFY(progress.steps[6].state == RoundStep::State::Waiting);
    }
};

QTEST_MAIN(TestModels)
#include "tst_models.moc"
