// SPDX-License-Identifier: Apache-2.0
#include "trajectory/tree_layout.h"

#include <QRandomGenerator>
#include <QSet>
#include <QTest>

using namespace kernelskill;

class TestTreeLayout : public QObject
{
    Q_OBJECT

    // A tree as runs make them: rounds never fall, parents come earlier.
    static QList<LayoutNode> randomTree(quint32 seed, int count)
    {
        QRandomGenerator random(seed);
        QList<LayoutNode> nodes{{-1, 0}};
        int round = 0;
        for (int i = 1; i < count; ++i) {
            round += random.bounded(3) > 0 ? 1 : 0;
            const int back = random.bounded(std::min(i, 6));
            nodes.append({i - 1 - back, round});
        }
        return nodes;
    }
    static QList<int> pathTo(const QList<LayoutNode> &nodes, int node)
    {
        QList<int> path;
        for (; node >= 0; node = nodes[node].parent)
            path.prepend(node);
        return path;
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void chainIsStraight()
    {
        const auto layout = layoutTree({{-1, 0}, {0, 1}, {1, 2}}, {0, 1, 2});
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(layout.nodes[i].column, i);
            QCOMPARE(layout.nodes[i].lane, 0);
        }
    }
    void branchesAlternate()
    {
        // Node 1 stays on the path; 2 goes below, 3 above.
        const auto layout = layoutTree({{-1, 0}, {0, 1}, {0, 2}, {0, 3}}, {0, 1});
        QCOMPARE(layout.nodes[1].lane, 0);
        QCOMPARE(layout.nodes[2].lane, 1);
        QCOMPARE(layout.nodes[3].lane, -1);
    }
    void chainWithinOneRoundGetsColumns()
    {
        const auto layout = layoutTree({{-1, 0}, {0, 1}, {1, 1}, {2, 2}}, {0, 1, 2, 3});
        QCOMPARE(layout.columnRounds, (QList<int>{0, 1, 1, 2}));
        QCOMPARE(layout.nodes[2].column, 2);
        QCOMPARE(layout.roundColumns(1), 2);
    }
    void placesForNowAreFree()
    {
        for (quint32 seed = 1; seed <= 20; ++seed) {
            const auto nodes = randomTree(seed, 200);
            auto layout = layoutTree(nodes.first(150), pathTo(nodes, 149));
            const qsizetype columnsBefore = layout.columnRounds.size();
            for (const LayoutNode &node : nodes.sliced(150))
                placeProvisionally(layout, node);
            QCOMPARE(layout.nodes.size(), nodes.size());
            QVERIFY(layout.columnRounds.size() >= columnsBefore);
            QVERIFY(std::ranges::is_sorted(layout.columnRounds));
            QSet<std::pair<int, int>> taken;
            for (int i = 0; i < nodes.size(); ++i) {
                const PlacedNode &place = layout.nodes[i];
                QVERIFY(place.column < layout.columnRounds.size());
                if (nodes[i].parent >= 0) QVERIFY(place.column > layout.nodes[nodes[i].parent].column);
                QVERIFY(!taken.contains({place.column, place.lane}));
                taken.insert({place.column, place.lane});
                QVERIFY(place.lane >= layout.firstLane && place.lane <= layout.lastLane);
            }
        }
    }
    void linkBlocksItsLane()
    {
        // The link from 0 to 1 runs over columns 1 and 2: node 2 may not stand on it.
        const auto layout = layoutTree({{-1, 0}, {0, 3}, {0, 1}}, {0, 1});
        QCOMPARE(layout.nodes[1].lane, 0);
        QVERIFY(layout.nodes[2].lane != 0);
    }
    void empty() { QCOMPARE(layoutTree({}, {}).nodes.size(), 0); }
    void properties_data()
    {
        QTest::addColumn<quint32>("seed");
        QTest::addColumn<int>("count");
        for (quint32 seed = 1; seed <= 60; ++seed)
            QTest::addRow("seed %u", seed) << seed << int(3 + seed * 5);
    }
    void properties()
    {
        QFETCH(quint32, seed);
        QFETCH(int, count);
        const auto nodes = randomTree(seed, count);
        const auto main = pathTo(nodes, count - 1);
        const auto layout = layoutTree(nodes, main);
        QSet<std::pair<int, int>> taken;
        for (int i = 0; i < count; ++i) {
            const PlacedNode &place = layout.nodes[i];
            QVERIFY2(!taken.contains({place.column, place.lane}), "two nodes in one place");
            taken.insert({place.column, place.lane});
            QVERIFY(place.lane >= layout.firstLane && place.lane <= layout.lastLane);
            QVERIFY(layout.columnRounds[place.column] >= nodes[i].round);
            if (nodes[i].parent >= 0)
                QVERIFY2(place.column > layout.nodes[nodes[i].parent].column, "a child left of its parent");
        }
        for (const int node : main)
            QCOMPARE(layout.nodes[node].lane, 0);
        // No node on a link: a link runs along its child's lane from the column after its parent's.
        for (int i = 1; i < count; ++i) {
            for (int column = layout.nodes[nodes[i].parent].column + 1; column < layout.nodes[i].column; ++column)
                QVERIFY2(!taken.contains({column, layout.nodes[i].lane}), "a node on a link");
        }
    }
    void tenThousandNodes()
    {
        const auto nodes = randomTree(7, 10'000);
        const auto main = pathTo(nodes, 9'999);
        TreeLayout layout;
        QBENCHMARK_ONCE
        {
            layout = layoutTree(nodes, main);
        }
        QCOMPARE(layout.nodes.size(), 10'000);
    }
};

QTEST_GUILESS_MAIN(TestTreeLayout)
#include "tst_tree_layout.moc"
