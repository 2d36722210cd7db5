// SPDX-License-Identifier: Apache-2.0
// The day's ledger: limits that hold over threads and programs, reservations that outlive a killed program. With
// --reserve FILE MONEY LIMIT COUNT this program is one of those programs: it says each number it got on a line.
#include "money/spending.h"
#include "result_text.h"

#include <QFile>
#include <QProcess>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QTimeZone>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace kernelskill;
using namespace kernelskill::llm;
using kernelskill::test::errorIn;

namespace {

constexpr qint64 day_ms = 86'400'000;

int reserveAsProgram(const QStringList &arguments)
{
    auto spending = Spending::open(arguments.at(2));
    if (!spending) return 3;
    const Spent worst{arguments.at(3).toDouble(), 10, 1};
    for (int left = arguments.at(5).toInt(); left > 0; --left) {
        const auto reserved = (*spending)->reserve("other", worst, {}, {arguments.at(4).toDouble(), {}, {}});
        if (!reserved && reserved.error().code != QLatin1String(budgetMoney)) return 4;
        if (!reserved) break;
        std::printf("%lld\n", *reserved);
        std::fflush(stdout);
    }
    std::puts("done");
    std::fflush(stdout);
    std::getchar(); // until it is killed, or its input ends
    return 0;
}

} // namespace

class TestLlmSpending : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    qint64 m_now_ms = QDateTime(QDate(2026, 3, 1), QTime(23, 59, 59), QTimeZone::UTC).toMSecsSinceEpoch();

    QString fresh() const
    {
        static int count = 0;
        return m_folder.filePath(QStringLiteral("%1/spending.db").arg(++count));
    }
    std::unique_ptr<Spending> open(const QString &path)
    {
        auto opened = Spending::open(path, [this] { return m_now_ms; });
        if (!opened) qFatal("%s", qPrintable(opened.error().message));
        return std::move(*opened);
    }
    static std::unique_ptr<QProcess> program(const QStringList &arguments)
    {
        auto process = std::make_unique<QProcess>();
        process->start(QCoreApplication::applicationFilePath(), QStringList{"--reserve"} + arguments);
        return process;
    }
    static QByteArray untilDone(QProcess &process)
    {
        QByteArray out;
        while (!out.endsWith("done\n") && process.waitForReadyRead(60'000)) out += process.readAllStandardOutput();
        return out;
    }

private Q_SLOTS:
    void settlingLowers()
    {
        const auto spending = open(fresh());
        const auto reserved = spending->reserve("s", {2.5, 1000, 1}, {}, {});
        QVERIFY2(reserved, errorIn(reserved));
        auto today = spending->today();
        QVERIFY2(today, errorIn(today));
        QCOMPARE(today->money_usd, 2.5);
        QCOMPARE(today->tokens, 1000);
        QCOMPARE(today->calls, 1);
        const auto settled = spending->settle(*reserved, {0.00000045, 17, 1});
        QVERIFY2(settled, errorIn(settled));
        today = spending->today();
        QCOMPARE(today->money_usd, 0.00000045);
        QCOMPARE(today->tokens, 17);
        const auto again = spending->settle(*reserved, {0, 0, 0});
        QVERIFY(!again);
        QCOMPARE(again.error().code, "spending.settled");
        QVERIFY(!spending->settle(4711, {0, 0, 0}));
        QCOMPARE(spending->today()->tokens, 17);
    }

    void actualMayBeMoreThanReserved()
    {
        const auto spending = open(fresh());
        const auto reserved = spending->reserve("s", {1, 10, 1}, {}, {2.0, {}, {}});
        QVERIFY(spending->settle(*reserved, {3, 40, 2}));
        QCOMPARE(spending->today()->money_usd, 3.0);
        const auto next = spending->reserve("s", {0.5, 1, 1}, {}, {2.0, {}, {}});
        QVERIFY(!next);
        QVERIFY2(next.error().message.contains("today's money limit of $2.00 leaves $0.00"), qPrintable(next.error().message));
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("which"); // 0, 1, 2: the session's money, tokens, calls; 3, 4, 5: the day's
        QTest::addColumn<QString>("message");
        QTest::newRow("session, money") << budgetMoney << 0
            << "this session's money limit leaves $0.25, and the next call might take up to $0.50; go on with a larger one: --budget money=USD";
        QTest::newRow("session, tokens") << budgetTokens << 1
            << "this session's token limit leaves 999 tokens, and the next call might take up to 1000 tokens; go on with a larger one: --budget tokens=N";
        QTest::newRow("session, calls") << budgetCalls << 2
            << "this session's limit of calls leaves 0 calls, and the next call might take up to 1 call; go on with a larger one: --budget calls=N";
        QTest::newRow("day, money") << budgetMoney << 3
            << "today's money limit of $0.99 leaves $0.49, and the next call might take up to $0.50; raise or clear the setting day_money_usd, or go on tomorrow (days are in UTC)";
        QTest::newRow("day, tokens") << budgetTokens << 4
            << "today's token limit of 1999 tokens leaves 999 tokens, and the next call might take up to 1000 tokens; raise or clear the setting day_tokens, or go on tomorrow (days are in UTC)";
        QTest::newRow("day, calls") << budgetCalls << 5
            << "today's limit of calls of 1 call leaves 0 calls, and the next call might take up to 1 call; raise or clear the setting day_calls, or go on tomorrow (days are in UTC)";
    }

    void refuses()
    {
        QFETCH(int, which);
        const auto spending = open(fresh());
        const Spent worst{0.5, 1000, 1};
        const auto before = spending->reserve("another session", worst, {0.5, 1000, 1}, {0.5, 1000, 1}); // just enough
        QVERIFY2(before, errorIn(before));
        Allowance left;
        DayLimits limits;
        if (which == 0) left.money_usd = 0.25;
        if (which == 1) left.tokens = 999;
        if (which == 2) left.calls = 0;
        if (which == 3) limits.money_usd = 0.99;
        if (which == 4) limits.tokens = 1999;
        if (which == 5) limits.calls = 1;
        const auto refused = spending->reserve("s", worst, left, limits);
        QVERIFY(!refused);
        QTEST(refused.error().code, "code");
        QTEST(refused.error().message, "message");
        QCOMPARE(spending->today()->money_usd, 0.5); // nothing of the refused one
        QCOMPARE(spending->today()->calls, 1);
    }

    void limitIsReachedToTheLastCent()
    {
        const auto spending = open(fresh());
        for (int i = 0; i < 10; ++i) {
            const auto reserved = spending->reserve("s", {0.1, 1, 1}, {}, {1.0, 10, 10});
            QVERIFY2(reserved, errorIn(reserved));
        }
        QVERIFY(!spending->reserve("s", {0.000000001, 0, 0}, {}, {1.0, {}, {}}));
        QVERIFY(spending->reserve("s", {0, 0, 0}, {}, {1.0, 10, 10}));
        QCOMPARE(spending->today()->money_usd, 1.0);
    }

    void openReservationsCountForTheirSession()
    {
        const auto spending = open(fresh());
        const Allowance left{1.0, {}, {}};
        const auto first = spending->reserve("s", {0.75, 1, 1}, left, {});
        QVERIFY(first);
        QVERIFY(!spending->reserve("s", {0.75, 1, 1}, left, {}));
        QVERIFY(spending->reserve("t", {0.75, 1, 1}, left, {}));
        QVERIFY(spending->settle(*first, {0.1, 1, 1})); // from here on the session's own account holds it
        QVERIFY(spending->reserve("s", {0.75, 1, 1}, left, {}));
    }

    void nonsenseIsRefused()
    {
        const auto spending = open(fresh());
        for (const double money : {-1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e9}) {
            const auto reserved = spending->reserve("s", {money, 1, 1}, {}, {});
            QVERIFY(!reserved);
            QCOMPARE(reserved.error().code, "spending.value");
        }
        QVERIFY(!spending->reserve("s", {0, -1, 1}, {}, {}));
        QCOMPARE(spending->today()->calls, 0);
    }

    void daysAreUtc()
    {
        const QString path = fresh();
        const auto spending = open(path);
        const DayLimits limits{1.0, {}, {}};
        const auto evening = spending->reserve("s", {0.75, 100, 1}, {}, limits);
        QVERIFY(evening);
        QVERIFY(!spending->reserve("s", {0.75, 100, 1}, {}, limits));
        m_now_ms += 1000; // midnight, 2 March
        QCOMPARE(spending->today()->money_usd, 0.0);
        QVERIFY(spending->reserve("s", {0.75, 100, 1}, {}, limits));
        QVERIFY(spending->settle(*evening, {0.5, 50, 1})); // in the day of its reservation
        QCOMPARE(spending->today()->money_usd, 0.75);
        m_now_ms -= 1000;
        QCOMPARE(spending->today()->money_usd, 0.5);
    }

    void oldDaysAreSummed()
    {
        const QString path = fresh();
        const qint64 now_ms = m_now_ms;
        for (int i = 0; i < 3; ++i) QVERIFY(open(path)->reserve("s", {0.5, 10, 1}, {}, {}));
        m_now_ms += 101 * day_ms;
        QVERIFY(open(path)->reserve("s", {0.25, 10, 1}, {}, {}));
        QCOMPARE(open(path)->today()->money_usd, 0.25);
        m_now_ms = now_ms;
        {
            QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "look");
            database.setDatabaseName(path);
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec("SELECT day, nanos, tokens, calls, (SELECT count(*) FROM reservations) FROM days"));
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toString(), "2026-03-01");
            QCOMPARE(query.value(1).toLongLong(), 1'500'000'000);
            QCOMPARE(query.value(2).toLongLong(), 30);
            QCOMPARE(query.value(3).toLongLong(), 3);
            QCOMPARE(query.value(4).toInt(), 1);
            QVERIFY(!query.next());
        }
        QSqlDatabase::removeDatabase("look");
    }

    void threadsTogetherKeepALimit()
    {
        const auto spending = open(fresh());
        std::atomic<int> got = 0, wrong = 0, ready = 0;
        std::atomic<bool> over = false;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) {
                    const auto reserved = spending->reserve("s", {0.07, 10, 1}, {}, {2.0, {}, {}});
                    if (reserved) ++got;
                    else if (reserved.error().code != QLatin1String(budgetMoney)) ++wrong;
                }
                ++ready;
                while (!over) std::this_thread::yield(); // a thread's number must not come twice
            });
        }
        while (ready < 4) std::this_thread::yield();
        over = true;
        for (std::thread &thread : threads) thread.join();
        QCOMPARE(wrong, 0);
        QCOMPARE(got, 28); // 28 × 0.07 = 1.96
        QCOMPARE(spending->today()->money_usd, 1.96);
    }

    void programsTogetherKeepALimit()
    {
        const QString path = fresh(); // made by whichever is first
        QVERIFY(QDir().mkpath(QFileInfo(path).absolutePath()));
        std::vector<std::unique_ptr<QProcess>> programs;
        for (int i = 0; i < 3; ++i) programs.push_back(program({path, "0.07", "2.0", "100"}));
        QSet<QByteArray> numbers;
        qsizetype lines = 0;
        for (const auto &one : programs) {
            const QList<QByteArray> got = untilDone(*one).trimmed().split('\n');
            QCOMPARE(got.last(), "done");
            lines += got.size() - 1;
            for (const QByteArray &number : got) numbers.insert(number);
            one->closeWriteChannel();
            QVERIFY(one->waitForFinished());
            QCOMPARE(one->exitCode(), 0);
        }
        QCOMPARE(lines, 28);
        QCOMPARE(numbers.size(), 29); // each its own, and "done"
        const auto ledger = Spending::open(path);
        QVERIFY2(ledger, errorIn(ledger));
        QCOMPARE((*ledger)->today()->money_usd, 1.96);
    }

    void killedProgramsStayCharged()
    {
        const QString path = fresh();
        const auto one = program({path, "0.5", "100", "1"});
        QCOMPARE(untilDone(*one), "1\ndone\n");
        one->kill();
        QVERIFY(one->waitForFinished());
        QCOMPARE(one->exitStatus(), QProcess::CrashExit);
        const auto ledger = Spending::open(path);
        QVERIFY2(ledger, errorIn(ledger));
        QCOMPARE((*ledger)->today()->money_usd, 0.5);
        const auto next = (*ledger)->reserve("s", {0.6, 1, 1}, {}, {1.0, {}, {}});
        QVERIFY(!next);
        QCOMPARE(next.error().code, QLatin1String(budgetMoney));
    }

    // Killed at any moment: all that was promised is there, and at most one more.
    void killedWhileItWrites()
    {
        const QString path = fresh();
        qint64 promised = 0;
        constexpr int times = 8;
        for (int i = 0; i < times; ++i) {
            const auto one = program({path, "0.01", "1000", "100000"});
            QByteArray out;
            while (out.count('\n') < 3 + 5 * i && one->waitForReadyRead(60'000)) out += one->readAllStandardOutput();
            one->kill();
            QVERIFY(one->waitForFinished());
            out += one->readAllStandardOutput();
            promised += out.count('\n');
        }
        const auto ledger = Spending::open(path);
        QVERIFY2(ledger, errorIn(ledger));
        const qint64 calls = (*ledger)->today()->calls;
        QVERIFY2(calls >= promised && calls <= promised + times, qPrintable(QStringLiteral("%1 of %2").arg(calls).arg(promised)));
    }

    void damagedFile_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QByteArray("this is no database, it is a text of some length\n").repeated(100);
        QTest::newRow("a header and rubbish") << QByteArray("SQLite format 3\0", 16) + QByteArray(4096, '\xa5');
    }

    void damagedFile()
    {
        QFETCH(QByteArray, content);
        const QString path = m_folder.filePath("damaged.db");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const auto opened = Spending::open(path);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, "spending.open");
        QVERIFY2(opened.error().message.startsWith(path + ": "), errorIn(opened));
        QVERIFY2(opened.error().message.contains("move it away"), errorIn(opened));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), content); // as it was
    }

    void somethingElsesDatabase()
    {
        const QString path = m_folder.filePath("other.db");
        {
            QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "other");
            database.setDatabaseName(path);
            QVERIFY(database.open());
            QVERIFY(QSqlQuery(database).exec("CREATE TABLE skills(name TEXT)"));
        }
        QSqlDatabase::removeDatabase("other");
        const auto opened = Spending::open(path);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, "spending.open");
        QCOMPARE(opened.error().message, path + ": this is a database of something else, not the ledger of spending; move it away");
    }

    void noPlaceForIt()
    {
        QFile file(m_folder.filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const QString &path : {file.fileName() + "/spending.db", m_folder.path()}) {
            const auto opened = Spending::open(path);
            QVERIFY(!opened);
            QCOMPARE(opened.error().code, "spending.open");
            QVERIFY(opened.error().message.startsWith(path + ": "));
        }
    }
};

int main(int argc, char *argv[])
{
    QCoreApplication app(argc, argv);
    if (argc == 6 && QByteArrayView(argv[1]) == "--reserve") return reserveAsProgram(QCoreApplication::arguments());
    TestLlmSpending test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_llm_spending.moc"
