// SPDX-License-Identifier: Apache-2.0
#include "timing/hot_spots.h"

#include <QTest>

using namespace kernelskill::simulator;

namespace {

LineCounters line(int number, std::uint64_t stalls, StallReason reason)
{
    LineCounters counters;
    counters.file = "a.cu";
    counters.line = number;
    counters.stallCycles = stalls;
    counters.mainStall = reason;
    return counters;
}

} // namespace

class TestHotSpots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void mostExpensiveFirst()
    {
        LaunchReport report;
        report.lines = {line(3, 380, StallReason::LongScoreboard), line(4, 20, StallReason::Wait),
                        line(5, 600, StallReason::Barrier)};
        const auto spots = hotSpots(report);
        QCOMPARE(spots.size(), std::size_t(2)); // line 4 has but 2 %
        QCOMPARE(spots[0].line, 5);
        QCOMPARE(spots[0].text, std::string("60 % of stalls, barrier"));
        QCOMPARE(spots[0].mainStall, std::string("barrier"));
        QCOMPARE(spots[1].line, 3);
        QCOMPARE(spots[1].stallShare, 0.38);
        QCOMPARE(spots[1].text, std::string("38 % of stalls, long scoreboard"));
        QCOMPARE(hotSpots(report, 1).size(), std::size_t(1));
    }

    void wastedSectorsAreToldPerRequest()
    {
        LaunchReport report;
        LineCounters load = line(7, 100, StallReason::LongScoreboard);
        load.globalRequests = 10;
        load.globalSectors = 80;
        load.idealSectors = 40;
        report.lines = {load};
        QCOMPARE(hotSpots(report)[0].text,
                 std::string("100 % of stalls, long scoreboard; 8 sectors a request, 4 would do"));
        report.lines[0].globalRequests = 0; // an engine that does not count requests of a line
        QCOMPARE(hotSpots(report)[0].text,
                 std::string("100 % of stalls, long scoreboard; 2 times the sectors that contiguous lanes would need"));
        report.lines[0].globalSectors = 42; // an edge, no waste
        QCOMPARE(hotSpots(report)[0].text, std::string("100 % of stalls, long scoreboard"));
    }

    void bankConflictsAreToldByTheirWays()
    {
        LaunchReport report;
        LineCounters load = line(9, 0, StallReason::ShortScoreboard);
        load.sharedRequests = 4;
        load.sharedConflicts = 4 * 31;
        report.lines = {line(8, 100, StallReason::Wait), load};
        const auto spots = hotSpots(report);
        QCOMPARE(spots.size(), std::size_t(2));
        QCOMPARE(spots[1].text, std::string("32-way bank conflict"));
        report.lines[1].sharedRequests = 0;
        QCOMPARE(hotSpots(report)[1].text, std::string("100 % of the bank conflicts"));
    }

    void nothingRanNothingIsHot() { QVERIFY(hotSpots(LaunchReport{}).empty()); }
};

QTEST_GUILESS_MAIN(TestHotSpots)
#include "tst_hot_spots.moc"
