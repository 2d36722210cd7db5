// SPDX-License-Identifier: Apache-2.0
// Models of recordings and transcripts: the player, the transcript's tree, and how predictions and replays are told.
#include "example_session.h"
#include "models/compare_model.h"
#include "models/log_model.h"
#include "models/node_text.h"
#include "models/panel_rows.h"
#include "models/recording_player.h"
#include "models/task_model.h"
#include "models/trajectory_model.h"
#include "models/transcript_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestRecordings : public QObject
{
    Q_OBJECT

    static SessionContents contents(const ExampleSession &session)
    {
        SessionContents result;
        result.events = session.events;
        result.blobs = session.blobs;
        result.trajectory = Trajectory::fold(session.events);
        return result;
    }
    static QList<TranscriptEntry> entriesOf(const ExampleSession &session, int node)
    {
        return transcriptOf(session.events, Trajectory::fold(session.events), node,
                            [&](const QString &digest) { return session.blobs.value(digest); });
    }
    static TrajectoryNode predicted()
    {
        TrajectoryNode node;
        node.id = 1;
        node.parent = 0;
        node.state = NodeState::Verified;
        node.kind = u"optimise"_s;
        node.speedup = node.stepSpeedup = Speedup{1.5, {1.4, 1.6}, TimeKind::Modelled};
        node.plan.promises = {{u"dram_bytes"_s, u"lower"_s}};
        node.prediction = Prediction{SpeedupGuess::Some, {{u"dram_bytes"_s, Movement::Lower}, {u"instructions"_s, Movement::Higher}}};
        node.predicted = {{u"dram_bytes"_s, u"lower"_s, 10, 5, true}, {u"instructions"_s, u"higher"_s, 10, 10, false}};
        return node;
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }

    void theTranscriptUnderTheTester()
    {
        TranscriptModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const ExampleSession session = exampleSession(false);
        for (int node = 0; node < 11; ++node) {
            const QList<TranscriptEntry> entries = entriesOf(session, node);
            model.setEntries(entries);
            QCOMPARE(model.rowCount(), int(entries.size()));
            QVERIFY(model.rowCount() > 0);
        }
        model.setEntries({});
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.markdown().isEmpty());
    }

    void headsAndCosts()
    {
        TranscriptEntry entry;
        entry.role = u"planner"_s;
        entry.agent = u"llm"_s;
        entry.wall_ms = 1234;
        entry.calls = 2;
        entry.tokensIn = 900;
        entry.tokensOut = 100;
        entry.cost_usd = 0.02;
        QCOMPARE(headOf(entry), u"Planner · llm"_s);
        QCOMPARE(costOf(entry), u"1.2\u202Fs · 1\u202F000 tokens · $0.02"_s);
        entry.calls = 0; // a rule-based agent: nothing of tokens or money
        entry.recorded = true;
        QCOMPARE(headOf(entry), u"Planner · llm, recorded"_s);
        QCOMPARE(costOf(entry), u"1.2\u202Fs"_s);
        entry.wall_ms = -1;
        QCOMPARE(costOf(entry), QString());
        entry.role = entry.agent = u"person"_s;
        entry.recorded = false;
        QCOMPARE(headOf(entry), u"You"_s);
    }

    void theTranscriptIsSearched()
    {
        TranscriptEntry entry;
        entry.role = u"repairer"_s;
        entry.agent = u"expert"_s;
        QString code;
        for (int line = 0; line < 1000; ++line)
            code += u"int line%1;\n"_s.arg(line);
        entry.asked = {{u"Compiler and program output"_s, u"error: Expected ';'"_s, true}};
        entry.answered = {{u"Code"_s, code, true}};
        TranscriptModel model;
        model.setEntries({entry});
        QCOMPARE(model.matches(u"expected ';'"_s).size(), 1); // whatever its case, once
        QCOMPARE(model.matches(u"COMPILER"_s).size(), 1);
        QCOMPARE(model.matches(u"line999"_s).size(), 1);      // also beyond what is shown
        QCOMPARE(model.matches(u"nowhere"_s).size(), 0);
        QCOMPARE(model.matches(QString()).size(), 0);
        const QModelIndex found = model.matches(u"line999"_s).first();
        QCOMPARE(model.textOf(found), code);
        QVERIFY(found.data().toString().endsWith(u"… 701 more lines; copy to see them"_s));
        QVERIFY(model.markdown().contains(u"```\nerror: Expected ';'\n```"_s));
    }

    void thePlayerShowsEventByEvent()
    {
        const ExampleSession session = exampleSession(false);
        SessionDocument document;
        NodeSelection selection(&document);
        RepairFolds folds(&document, &selection);
        TrajectoryModel nodes(&document, &folds);
        QAbstractItemModelTester tester(&nodes, QAbstractItemModelTester::FailureReportingMode::QtTest);
        RecordingPlayer player(&document);
        QVERIFY(!player.isActive());
        player.begin(contents(session));
        QVERIFY(player.isActive() && !player.isPlaying());
        QCOMPARE(document.trajectory().nodes.size(), 1); // there is something to look at
        QVERIFY(document.trajectory().node(0)->evaluationBlob.isEmpty());
        int steps = 0;
        for (; player.position() < player.count() && steps < 1000; ++steps) {
            const int before = player.position();
            player.step();
            QVERIFY(player.position() > before);
        }
        QVERIFY(steps < session.events.size()); // what shows nothing is passed over
        QCOMPARE(document.trajectory().nodes.size(), 11);
        QCOMPARE(nodes.rowCount(), 11);
        player.seek(5);
        QTRY_COMPARE(player.position(), 5);
        QCOMPARE(document.events().size(), 5);
        player.end();
        QVERIFY(!player.isActive());
        QCOMPARE(document.events().size(), session.events.size());
    }

    void thePaceIsTheRecords()
    {
        ExampleSession session = exampleSession(false);
        for (qsizetype i = 0; i < session.events.size(); ++i)
            session.events[i].time_ms = 1000 + i * 400;
        session.events[5].time_ms = 1000 + 4 * 400 + 60'000'000; // a night
        SessionDocument document;
        RecordingPlayer player(&document);
        player.begin(contents(session));
        QCOMPARE(player.delay_ms(3), 400);
        QCOMPARE(player.delay_ms(5), 3000);
        QCOMPARE(player.delay_ms(6), 15); // time that went back
        player.setSpeed(4);
        QCOMPARE(player.delay_ms(3), 100);
        player.setSpeed(0);
        QCOMPARE(player.delay_ms(3), 15);
        QSignalSpy changed(&player, &RecordingPlayer::changed);
        player.play();
        QVERIFY(player.isPlaying());
        QTRY_COMPARE(player.position(), player.count());
        QTRY_VERIFY(!player.isPlaying());
        player.play(); // from the beginning again
        QTRY_VERIFY(player.position() < player.count() && player.position() > 0);
        player.pause();
        QVERIFY(!player.isPlaying());
    }

    void aJumpInALongSessionDoesNotHoldTheWindowUp()
    {
        const ExampleSession session = longSession(3000);
        SessionDocument document;
        RecordingPlayer player(&document);
        player.begin(contents(session));
        QElapsedTimer timer;
        timer.start();
        player.seek(player.count());
        player.seek(player.count() / 2); // while the first is under way
        QVERIFY2(timer.elapsed() < 50, qPrintable(QString::number(timer.elapsed())));
        QTRY_COMPARE_WITH_TIMEOUT(player.position(), player.count() / 2, 20'000);
    }

    void severalNodesInATable()
    {
        SessionDocument document;
        const ExampleSession session = exampleSession(false);
        for (const Event &event : session.events)
            document.apply(event, session.blobs);
        CompareModel model(&document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setNodes({0, 4, 4, 4711, 6, 1, 2});
        QCOMPARE(model.nodes(), (QList<int>{0, 4, 6, 1})); // four that exist, each once
        QCOMPARE(model.columnCount(), 5);
        QVERIFY(model.rowCount() > 6);
        QCOMPARE(model.index(0, 0).data().toString(), u"Verdict"_s);
        QCOMPARE(model.index(0, 3).data().toString(), u"verified"_s);
        QCOMPARE(model.index(2, 3).data().toString(), u"12.6× [11.2, 14.2] modelled, verified"_s);
        QVERIFY(model.headerData(3, Qt::Horizontal).toString().startsWith(u"C  6 "_s));
        // The shortest time stands out, by weight and in words.
        QVERIFY(model.index(1, 3).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(model.index(1, 3).data(Qt::AccessibleTextRole).toString().endsWith(u"the best of them"_s));
        QVERIFY(!model.index(1, 1).data(Qt::FontRole).isValid());
        model.setNodes({2}); // wrong: the word, no number
        QCOMPARE(model.index(2, 1).data().toString(), QString());
        QVERIFY(model.index(0, 1).data().toString().startsWith(u"wrong"_s));
        model.setNodes({});
        QCOMPARE(model.rowCount(), 0);
    }

    void aTranscriptOfALongSessionIsReadAtOnce()
    {
        const ExampleSession session = longSession(5000);
        const Trajectory trajectory = Trajectory::fold(session.events);
        QElapsedTimer timer;
        timer.start();
        const auto entries = transcriptOf(session.events, trajectory, trajectory.nodes[2500].id,
                                          [&](const QString &digest) { return session.blobs.value(digest); });
        QVERIFY2(timer.elapsed() < 50, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(!entries.isEmpty());
    }

    void aPredictionStandsBesidePromiseAndObservation()
    {
        const TrajectoryNode node = predicted();
        const auto root = panel_rows::why({&node, nullptr, nullptr, {}});
        const TreeRow &section = *root->children.front();
        QCOMPARE(section.cells[0], u"Your prediction, and what came"_s);
        QCOMPARE(section.cells[2], u"2 of 3 right"_s);
        QCOMPARE(section.children.size(), 3U);
        QCOMPARE(section.children[0]->cells[1], u"1.1–2×"_s);
        QCOMPARE(section.children[0]->data.value(panel_rows::SubtextRole).toString(), u"observed: 1.50× [1.40, 1.60] modelled, verified"_s);
        QCOMPARE(section.children[1]->cells[1], u"lower"_s);
        QVERIFY(section.children[1]->data.value(panel_rows::SubtextRole).toString().startsWith(u"promised: "_s));
        QCOMPARE(section.children[2]->data.value(panel_rows::SubtextRole).toString(), u"nothing was promised of it"_s);
        QCOMPARE(section.children[2]->data.value(panel_rows::TruthRole).toInt(), int(Truth::False));
    }

    void aPredictionOfWhatFailedIsNotJudged()
    {
        TrajectoryNode node = predicted();
        node.state = NodeState::Wrong;
        node.speedup = node.stepSpeedup = std::nullopt;
        node.predicted = {{u"dram_bytes"_s, u"lower"_s, 10, {}, {}}};
        const auto root = panel_rows::why({&node, nullptr, nullptr, {}});
        QCOMPARE(root->children.front()->cells[2], u"not known yet"_s);
        QCOMPARE(root->children.front()->children[0]->data.value(panel_rows::TruthRole).toInt(), int(Truth::Unknown));
    }

    void aReplayIsToldApart()
    {
        TrajectoryNode node = predicted();
        node.recorded = RecordedStep{4, u"verified"_s, {}};
        node.divergence = u"the record says verified; here it is wrong"_s;
        const QString summary = node_text::summary(node, {});
        QVERIFY(summary.contains(u"recorded: played again from node 4 of the record"_s));
        QVERIFY(summary.contains(node.divergence));
        QCOMPARE(node_text::observation(node), u"not as recorded"_s); // on its card
        Evaluation evaluation;
        const auto root = panel_rows::evidence(&evaluation, &node);
        QStringList texts;
        for (const auto &row : root->children.front()->children)
            texts.append(row->cells[0]);
        QVERIFY(texts.contains(u"Otherwise than recorded: the record says verified; here it is wrong"_s));
        Event start{1, u"session.start"_s, 1, {{u"task"_s, u"t"_s}, {u"agents"_s, QJsonObject{{u"replay"_s, QJsonObject{{u"recording"_s, QJsonObject{{u"path"_s, u"/s/a.kss"_s}, {u"task_changed"_s, true}}}}}}}}};
        QCOMPARE(eventSentence(start), u"session of t starts: a replay of /s/a.kss, whose task has changed since"_s);
        QCOMPARE(Trajectory::fold({start}).recording[u"path"_s].toString(), u"/s/a.kss"_s);
        TaskModel tasks;
        SessionEntry session;
        session.path = u"/s/b.kss"_s;
        session.task = u"t"_s;
        session.replay = true;
        tasks.setContents({{u"t"_s, {}, u"/t"_s, true}}, {session});
        QCOMPARE(tasks.find(TaskModel::SessionRole, session.path).data(TaskModel::SecondLineRole).toString(), u"replay · no speedup"_s);
    }
};

QTEST_MAIN(TestRecordings)
#include "tst_recordings.moc"
