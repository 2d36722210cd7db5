// SPDX-License-Identifier: Apache-2.0
// Charts of one node, on profiles an H200 gave of two bundled tasks' baselines (h200_profiles.json, every fifth sample).
#include "charts/occupancy_chart.h"
#include "charts/roofline_chart.h"
#include "charts/speedup_chart.h"
#include "charts/timeline_chart.h"
#include "example_session.h"
#include "settings/theme.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestCharts : public QObject
{
    Q_OBJECT

    QJsonObject m_profiles;

    // The example session in which nodes 0 and 1 have these evaluations.
    void feed(SessionDocument &document, const QJsonObject &first, const QJsonObject &second) const
    {
        ExampleSession session = exampleSession(false);
        for (Event &event : session.events) {
            const int node = event.data["node"_L1].toInt(-1);
            if (event.kind != "node.evaluated"_L1 || node < 0 || node > 1) continue;
            const QByteArray content = QJsonDocument(node == 0 ? first : second).toJson(QJsonDocument::Compact);
            const QString digest = digestOf(content);
            session.blobs.insert(digest, content);
            event.data["evaluation_blob"_L1] = digest;
        }
        SessionContents contents;
        contents.trajectory = Trajectory::fold(session.events);
        contents.events = session.events;
        contents.blobs = session.blobs;
        document.setContents(contents);
    }
    QJsonObject profiled(const QString &task) const { return m_profiles.value(task).toObject(); }
    static QStringList csv(Chart &chart)
    {
        chart.resize(700, 260);
        chart.show();
        chart.setWanted(true);
        QTest::qWait(120);
        // What the chart looks like, for whoever wants to see it.
        if (const QByteArray folder = qgetenv("CHARTS_FOLDER"); !folder.isEmpty())
            chart.savePng(QDir(QString::fromLocal8Bit(folder)).filePath(chart.title() + u' ' + chart.note() + u".png"_s), 0, 0, 1);
        return chart.toCsv().split(u'\n', Qt::SkipEmptyParts);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning();
        QFile file(QStringLiteral(TEST_DIR "/h200_profiles.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_profiles = QJsonDocument::fromJson(file.readAll()).object();
        QVERIFY(!profiled(u"matmul"_s).isEmpty());
    }

    // A step that is played again has another shape, and the chart says which.
    void recordedStepsAreToldApart()
    {
        const auto chartOf = [](bool recorded, QStringList &rows, QString &note) {
            SessionDocument document;
            NodeSelection selection(&document);
            SpeedupChart chart(&document, &selection);
            SessionContents contents;
            contents.trajectory = Trajectory::fold(exampleSession(false).events);
            if (recorded) {
                for (const int node : {4, 5}) { // one with a time and one without
                    contents.trajectory.nodes[node].recorded = RecordedStep{};
                    contents.trajectory.nodes[node].recorded->node = node + 10;
                }
            }
            document.setContents(contents);
            rows = csv(chart);
            note = chart.note();
            return chart.grab().toImage();
        };
        QStringList rows, plainRows;
        QString note, plainNote;
        const QImage picture = chartOf(true, rows, note), plain = chartOf(false, plainRows, plainNote);
        QCOMPARE(plainNote, u"best so far, modelled"_s);
        QCOMPARE(note, plainNote + u" · diamonds: recorded"_s);
        QCOMPARE(rows.first().section(u',', -1), u"recorded_node"_s);
        QCOMPARE(rows[5].section(u',', -1), u"14"_s);
        QCOMPARE(rows[6].section(u',', -1), u"15"_s);
        QCOMPARE(rows[7].section(u',', -1), QString());
        QCOMPARE(plainRows[5].section(u',', -1), QString());
        // Two places of the picture differ: the marker of round 4, and the glyph below the axis at round 5.
        int left = 0, right = 0;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x) {
                if (picture.pixel(x, y) != plain.pixel(x, y)) ++(x < picture.width() / 2 + 40 && y < picture.height() - 60 ? left : right);
            }
        }
        QVERIFY2(left > 4 && right > 4, qPrintable(u"%1 %2"_s.arg(left).arg(right)));
    }
    // The path of a long session goes over the same spots again and again; it is drawn once, and all of it.
    void aLongPathIsDrawnOnce()
    {
        const auto curve = [](const ExampleSession &session) {
            SessionDocument document;
            NodeSelection selection(&document);
            RooflineChart chart(&document, &selection);
            SessionContents contents;
            contents.trajectory = Trajectory::fold(session.events);
            contents.blobs = session.blobs;
            document.setContents(contents);
            (void)csv(chart);
            QSet<QPair<int, int>> ways; // between spots, to a tenth
            const auto spot = [](const QCPCurveData &data) { return qRound(std::log(data.key) * 10) * 1000 + qRound(std::log(data.value) * 10); };
            int drawn = -1;
            for (int i = 0; i < chart.plottableCount(); ++i) {
                const auto *path = qobject_cast<QCPCurve *>(chart.plottable(i));
                if (!path || path->pen().color() != themeColor("state.best")) continue;
                drawn = path->dataCount();
                for (auto data = path->data()->constBegin(); data + 1 < path->data()->constEnd(); ++data) {
                    if (!qIsNaN(data->value) && !qIsNaN((data + 1)->value)) ways.insert({spot(*data), spot(*(data + 1))});
                }
            }
            return std::pair(drawn, ways);
        };
        const auto [once, ways] = curve(exampleSession(false));
        QVERIFY(once >= 4);
        const auto [many, manyWays] = curve(longSession(1500));
        QVERIFY2(many < 4 * once, qPrintable(QString::number(many)));
        QVERIFY(manyWays.contains(ways)); // and those from one turn to the next
    }
    // 32 blocks of 4 warps on 132 SMs with room for 64 warps: 32 SMs have 4/64 of them, as was counted there.
    void occupancyNamesItsLimiter()
    {
        SessionDocument document;
        NodeSelection selection(&document);
        OccupancyChart chart(&document, &selection);
        feed(document, profiled(u"matmul"_s), profiled(u"row_softmax"_s));
        selection.select(1);
        const QStringList rows = csv(chart);
        QVERIFY2(chart.emptySentence().isEmpty(), qPrintable(chart.emptySentence()));
        QCOMPARE(rows.first(), u"name,a,b"_s);
        const auto cell = [&](const QString &name, int column) {
            for (const QString &row : rows)
                if (row.section(u',', 0, 0) == name) return row.section(u',', column, column);
            return u"no row"_s;
        };
        QCOMPARE(cell(u"Allowed"_s, 1), u"100"_s);
        QCOMPARE(cell(u"Achieved"_s, 1), u"97.7545"_s);
        const QString grid = u"Grid on 32 of 132 SMs limits"_s;
        QCOMPARE(cell(grid, 1), u"100"_s);
        QCOMPARE(cell(grid, 2), QString::number(100 * 4.0 / 64));
        QVERIFY(std::abs(cell(u"Achieved"_s, 2).toDouble() - 100 * 4.0 / 64) < 0.1);
        QCOMPARE(cell(u"Block size"_s, 2), u"100"_s);
        selection.select(0);
        const QStringList alone = csv(chart);
        QVERIFY(alone.contains(u"Blocks of the grid,no counter,100"_s));
        QVERIFY(!alone.join(u'\n').contains(u"limits"_s)); // all of the room can be filled
    }

    void countersOverTime()
    {
        SessionDocument document;
        NodeSelection selection(&document);
        TimelineChart chart(&document, &selection);
        feed(document, profiled(u"matmul"_s), profiled(u"row_softmax"_s));
        selection.select(0);
        const QStringList rows = csv(chart);
        QVERIFY2(chart.emptySentence().isEmpty(), qPrintable(chart.emptySentence()));
        const QStringList names = rows.first().split(u',');
        QCOMPARE(names.first(), u"time_us"_s);
        QVERIFY(names.contains(u"lts__t_sectors.avg.pct_of_peak_sustained_elapsed"_s));
        QVERIFY(!names.join(u' ').contains(u"tensor"_s)); // it never worked
        QCOMPARE(rows.size(), 1 + 40);
        QCOMPARE(rows[1].split(u',').first().toDouble(), 0.5 * 5 * 44.582);
        QVERIFY(chart.note().startsWith(u"node 0, every "_s));
    }

    void nothingToShowIsSaid()
    {
        SessionDocument document;
        NodeSelection selection(&document);
        TimelineChart chart(&document, &selection);
        csv(chart);
        QVERIFY(chart.emptySentence().startsWith(u"Select a profiled node"_s));
        QJsonObject modelled = profiled(u"matmul"_s), profile = modelled["profile"_L1].toObject();
        QJsonArray kernels = profile["kernels"_L1].toArray();
        QJsonObject kernel = kernels[0].toObject();
        kernel.remove(u"timeline"_s);
        kernels[0] = kernel;
        profile["kernels"_L1] = kernels;
        modelled["profile"_L1] = profile;
        modelled["kind"_L1] = u"modelled"_s;
        feed(document, modelled, modelled);
        selection.select(0);
        csv(chart);
        QVERIFY(chart.emptySentence().startsWith(u"A modelled node has no counters over time"_s));
    }
};

QTEST_MAIN(TestCharts)
#include "tst_charts.moc"
