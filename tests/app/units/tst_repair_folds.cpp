// SPDX-License-Identifier: Apache-2.0
// Runs of failed repairs fold to a count: in the model, in the graph and in its twin, the list.
#include "example_session.h"
#include "models/repair_folds.h"
#include "models/trajectory_model.h"
#include "trajectory/trajectory_panel.h"

#include <QAbstractItemModelTester>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <functional>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestRepairFolds : public QObject
{
    Q_OBJECT

    struct Shown
    {
        SessionDocument document;
        NodeSelection selection{&document};
        TrajectoryPanel panel{&document, &selection};

        explicit Shown(const ExampleSession &session)
        {
            panel.resize(1400, 320);
            panel.show();
            SessionContents contents;
            contents.trajectory = Trajectory::fold(session.events);
            contents.events = session.events;
            contents.blobs = session.blobs;
            document.setContents(contents);
            selection.setFollow(false);
        }
        [[nodiscard]] TrajectoryView *view() const { return panel.view(); }
        [[nodiscard]] bool isHidden(int node) const { return panel.folds()->shownAs()[node] != node; }
        [[nodiscard]] QList<int> hidden() const
        {
            QList<int> result;
            for (const TrajectoryNode &node : document.trajectory().nodes)
                if (isHidden(node.id)) result.append(node.id);
            return result;
        }
        [[nodiscard]] QPoint handle(int head) const
        {
            const QRectF card = view()->nodeRect(head);
            return view()->zoom() >= 0.6 ? QPoint(int(card.center().x()), int(card.bottom()) - 6)
                                         : QPoint(int(card.right()) - 6, int(card.center().y()));
        }
    };

    // One node, changed.
    static QList<FailedRepairs> runsWith(const std::function<void(Trajectory &)> &change)
    {
        Trajectory trajectory = Trajectory::fold(sessionWithFailedRepairs().events);
        change(trajectory);
        return failedRepairs(trajectory);
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }

    void runsOfFailedRepairsAreFound()
    {
        const QList<FailedRepairs> expected{{1, {2, 3}}, {5, {6, 7, 8, 9}}};
        QCOMPARE(failedRepairs(Trajectory::fold(sessionWithFailedRepairs().events)), expected);
        QVERIFY(failedRepairs(Trajectory::fold(exampleSession(false).events)).isEmpty()); // the only repair passes
        QVERIFY(failedRepairs({}).isEmpty());
    }
    void whatNeedsToBeSeenStaysOutside_data()
    {
        QTest::addColumn<int>("what");
        QTest::addColumn<QList<int>>("left");
        QTest::newRow("pinned") << 0 << QList<int>{6, 7};
        QTest::newRow("named") << 1 << QList<int>{6, 7};
        QTest::newRow("suspect") << 2 << QList<int>{6, 7};
        QTest::newRow("verified") << 3 << QList<int>{6, 7};
        QTest::newRow("built on") << 4 << QList<int>{6, 7};
        QTest::newRow("not as recorded") << 5 << QList<int>{6, 7};
        QTest::newRow("two made from it") << 6 << QList<int>{6, 7};
    }
    void whatNeedsToBeSeenStaysOutside()
    {
        QFETCH(int, what);
        QFETCH(QList<int>, left);
        const QList<FailedRepairs> runs = runsWith([what](Trajectory &trajectory) {
            TrajectoryNode &node = trajectory.nodes[8];
            switch (what) {
            case 0:
                node.pinned = true;
                break;
            case 1:
                node.note = u"why?"_s;
                break;
            case 2:
                node.state = NodeState::Suspect;
                break;
            case 3:
                node.state = NodeState::Verified;
                break;
            case 4:
                node.wasBase = true;
                break;
            case 5:
                node.divergence = u"differs"_s;
                break;
            default:
                trajectory.nodes[10].parent = 8;
            }
        });
        QCOMPARE(runs.size(), 2);
        QCOMPARE(runs[1], (FailedRepairs{5, left}));
    }
    void oneFailedRepairIsNoRun()
    {
        const QList<FailedRepairs> runs = runsWith([](Trajectory &trajectory) { trajectory.nodes[3].state = NodeState::Verified; });
        QCOMPARE(runs, (QList<FailedRepairs>{{5, {6, 7, 8, 9}}}));
    }
    void whatGoesOnIsNotFolded()
    {
        // Event by event: a run folds when the first node that is no repair of it starts, and not before.
        const ExampleSession session = sessionWithFailedRepairs();
        SessionDocument document;
        int largestOpen = 0;
        for (const Event &event : session.events) {
            document.apply(event, session.blobs);
            const Trajectory &trajectory = document.trajectory();
            const QList<FailedRepairs> runs = failedRepairs(trajectory);
            const int newest = trajectory.nodes.isEmpty() ? -1 : trajectory.nodes.last().id;
            QCOMPARE(runs.size(), newest < 5 ? 0 : newest < 10 ? 1 : 2); // 4 is a repair of 3: that run goes on until 5
            if (runs.size() < 2) largestOpen = std::max(largestOpen, newest);
        }
        QCOMPARE(largestOpen, 9);
    }
    void theGraphLeavesThemOut()
    {
        const Shown shown(sessionWithFailedRepairs());
        QCOMPARE(shown.hidden(), (QList<int>{2, 3, 6, 7, 8, 9}));
        QCOMPARE(shown.view()->columnCount(), 5); // rounds 0, 1, 4, 5 and 10
        for (const int repair : {6, 7, 8, 9})
            QCOMPARE(shown.view()->nodeRect(repair), shown.view()->nodeRect(5));
        QCOMPARE(shown.view()->nodeAt(shown.view()->nodeRect(5).center().toPoint()), 5);
        // The repair that passed stands one column right of where its failed predecessors are folded, on the same path.
        QCOMPARE(shown.view()->nodeRect(4).top(), shown.view()->nodeRect(1).top());
        QVERIFY(shown.view()->nodeRect(4).left() > shown.view()->nodeRect(1).right());
    }
    void aClickOnTheCountOpensAndCloses()
    {
        Shown shown(sessionWithFailedRepairs());
        for (const double zoom : {0.65, 0.45}) {
            shown.view()->setZoom(zoom, shown.view()->viewport()->rect().center());
            shown.view()->ensureVisible(5);
            const int before = shown.selection.selected();
            QCOMPARE(shown.view()->foldAt(shown.handle(5)), 5);
            QTest::mouseClick(shown.view()->viewport(), Qt::LeftButton, {}, shown.handle(5));
            QCOMPARE(shown.hidden(), (QList<int>{2, 3}));
            QCOMPARE(shown.view()->columnCount(), 9);
            QCOMPARE(shown.selection.selected(), before); // it only opens
            QVERIFY(shown.view()->nodeRect(6).left() > shown.view()->nodeRect(5).right());
            shown.view()->ensureVisible(5);
            QTest::mouseClick(shown.view()->viewport(), Qt::LeftButton, {}, shown.handle(5));
            QCOMPARE(shown.hidden(), (QList<int>{2, 3, 6, 7, 8, 9}));
        }
        // Elsewhere on the card it selects; a double click opens.
        shown.view()->ensureVisible(5);
        QTest::mouseClick(shown.view()->viewport(), Qt::LeftButton, {}, shown.view()->nodeRect(5).topLeft().toPoint() + QPoint(10, 8));
        QCOMPARE(shown.selection.selected(), 5);
        QVERIFY(shown.isHidden(6));
        QTest::mouseDClick(shown.view()->viewport(), Qt::LeftButton, {}, shown.view()->nodeRect(5).topLeft().toPoint() + QPoint(10, 8));
        QVERIFY(!shown.isHidden(6));
    }
    void theKeyboardOpensAndCloses()
    {
        Shown shown(sessionWithFailedRepairs());
        shown.selection.select(4);
        QTest::keyClick(shown.view(), Qt::Key_Left); // over the folded ones to what they are folded behind
        QCOMPARE(shown.selection.selected(), 1);
        QTest::keyClick(shown.view(), Qt::Key_Right);
        QCOMPARE(shown.selection.selected(), 4);
        QTest::keyClick(shown.view(), Qt::Key_Left);
        QTest::keyClick(shown.view(), Qt::Key_Return);
        QVERIFY(!shown.isHidden(2));
        QTest::keyClick(shown.view(), Qt::Key_Right);
        QCOMPARE(shown.selection.selected(), 2);
        QTest::keyClick(shown.view(), Qt::Key_Return); // from within: back to its head
        QVERIFY(shown.isHidden(2));
        QCOMPARE(shown.selection.selected(), 1);
    }
    void aSelectionWithinOpensItsFold()
    {
        Shown shown(sessionWithFailedRepairs());
        QSignalSpy changed(shown.panel.folds(), &RepairFolds::changed);
        shown.selection.select(8);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(shown.hidden(), (QList<int>{2, 3}));
        const QRectF rect = shown.view()->nodeRect(8);
        QVERIFY(rect.left() > shown.view()->nodeRect(5).right());
        QVERIFY(QRectF(shown.view()->viewport()->rect()).contains(rect));
        shown.selection.select(0); // it was opened: it stays so
        QCOMPARE(shown.hidden(), (QList<int>{2, 3}));
        // The parent of what is selected is compared with it; that alone opens nothing.
        shown.selection.select(4);
        QCOMPARE(shown.selection.compared(), 3);
        QCOMPARE(shown.hidden(), (QList<int>{2, 3}));
    }
    void whatIsFoldedAwayKeepsTheRestInPlace()
    {
        Shown shown(sessionWithFailedRepairs());
        shown.panel.folds()->setAllOpen(true);
        shown.panel.resize(700, 320);
        shown.view()->setZoom(0.7, {});
        shown.selection.select(9);
        shown.view()->ensureVisible(9);
        shown.selection.select(5);
        const QPointF before = shown.view()->nodeRect(5).center();
        shown.panel.folds()->setOpen(1, false); // left of what is looked at
        QCOMPARE(shown.view()->nodeRect(5).center(), before);
    }
    void theMenuSaysHowMany()
    {
        Shown shown(sessionWithFailedRepairs());
        QMenu menu;
        Q_EMIT shown.panel.menuWanted(&menu, 5);
        QCOMPARE(menu.actions().first()->text().remove(u'&'), u"Show 4 failed repairs"_s);
        menu.actions().first()->trigger();
        QVERIFY(!shown.isHidden(7));
        QMenu within;
        Q_EMIT shown.panel.menuWanted(&within, 7);
        QCOMPARE(within.actions().first()->text().remove(u'&'), u"Fold 4 failed repairs"_s);
        QMenu none;
        Q_EMIT shown.panel.menuWanted(&none, 4);
        QVERIFY(none.isEmpty());
    }
    void theListIsATree()
    {
        Shown shown(sessionWithFailedRepairs());
        const TrajectoryModel *model = shown.panel.model();
        QCOMPARE(model->rowCount(), 5);
        const QModelIndex head = model->indexOfNode(5);
        QCOMPARE(head.data().toString(), u"5 Asynchronous copy, 4 repairs failed"_s);
        QCOMPARE(model->rowCount(head), 4);
        QCOMPARE(model->nodeAt(model->index(2, 0, head)), 8);
        // Open and closed as in the graph, by either.
        shown.panel.showAsList(true);
        QTreeView *list = shown.panel.list();
        QVERIFY(!list->isExpanded(head));
        list->setCurrentIndex(head);
        QTest::keyClick(list, Qt::Key_Right);
        QVERIFY(list->isExpanded(head) && shown.panel.folds()->isOpen(5));
        QTest::keyClick(list, Qt::Key_Left);
        QVERIFY(!shown.panel.folds()->isOpen(5));
        shown.selection.select(9);
        QVERIFY(list->isExpanded(head));
        QCOMPARE(model->nodeAt(list->currentIndex()), 9);
    }
    void theListMovesThemWhenTheyFold()
    {
        const ExampleSession session = sessionWithFailedRepairs();
        SessionDocument document;
        NodeSelection selection(&document);
        RepairFolds folds(&document, &selection);
        TrajectoryModel model(&document, &folds);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset), moves(&model, &QAbstractItemModel::rowsMoved);
        for (const Event &event : session.events) {
            document.apply(event, session.blobs);
            Q_EMIT document.nodesChanged();
        }
        QCOMPARE(resets.size(), 0);
        QCOMPARE(moves.size(), 6);
        QCOMPARE(model.rowCount(), 5);
        for (const TrajectoryNode &node : document.trajectory().nodes)
            QCOMPARE(model.nodeAt(model.indexOfNode(node.id)), node.id);
        QCOMPARE(model.indexOfNode(7).parent(), model.indexOfNode(5));
        // A repair that passes after all is a node like any other.
        const Event again{session.events.last().sequence + 1, u"node.evaluated"_s, 0,
                          {{u"node"_s, 8}, {u"status"_s, u"ok"_s}, {u"verdict"_s, u"verified"_s}}};
        document.apply(again, {});
        Q_EMIT document.nodesChanged();
        QCOMPARE(model.rowCount(model.indexOfNode(5)), 2);
        QVERIFY(!model.indexOfNode(8).parent().isValid());
    }
    // While a run is followed, the repairs that fail are seen; they fold when it goes on elsewhere.
    void followingShowsThemAsLongAsTheyGoOn()
    {
        const ExampleSession session = sessionWithFailedRepairs();
        SessionDocument document;
        NodeSelection selection(&document);
        TrajectoryPanel panel(&document, &selection);
        panel.resize(1400, 320);
        panel.show();
        bool sawNine = false;
        for (const Event &event : session.events) {
            document.apply(event, session.blobs);
            Q_EMIT document.nodesChanged();
            const int selected = selection.selected();
            if (selected >= 0) QCOMPARE(panel.folds()->shownAs()[selected], selected);
            sawNine = sawNine || selected == 9;
        }
        QVERIFY(sawNine);
        QCOMPARE(selection.selected(), 10);
        QCOMPARE(panel.folds()->shownAs(), (QList<int>{0, 1, 1, 1, 4, 5, 5, 5, 5, 5, 10}));
    }
    void aLongSessionFoldsInTheBackground()
    {
        Shown shown(longSession(700, sessionWithFailedRepairs()));
        QTRY_VERIFY(shown.view()->columnCount() < 300);
        const QList<FailedRepairs> runs = shown.panel.folds()->runs();
        QVERIFY(runs.size() > 130);
        const int repair = runs[40].repairs.last();
        shown.selection.select(repair);
        QTRY_VERIFY(shown.view()->nodeRect(repair).left() > shown.view()->nodeRect(runs[40].head).right());
        QVERIFY(QRectF(shown.view()->viewport()->rect()).intersects(shown.view()->nodeRect(repair)));
    }
};

QTEST_MAIN(TestRepairFolds)
#include "tst_repair_folds.moc"
