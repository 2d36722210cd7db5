// SPDX-License-Identifier: Apache-2.0
// Prices: which entry holds for a model, what a call costs, what a person gives, and the table that ships.
#include "money/spending.h"
#include "result_text.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;
using kernelskill::test::errorIn;

class TestLlmPrices : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    const QString m_shipped = QStringLiteral(SOURCE_DIR "/plugins/agents/llm/prices.json");

    QString write(const QString &name, const QByteArray &content) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("no test folder");
        return file.fileName();
    }
    static QByteArray read(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void costs_data()
    {
        QTest::addColumn<Usage>("usage");
        QTest::addColumn<double>("cost_usd");
        const auto usage = [](qint64 in, qint64 cached, qint64 written, qint64 out) {
            Usage result;
            result.tokensIn = in;
            result.tokensCached = cached;
            result.tokensCacheWrite = written;
            result.tokensOut = out;
            return result;
        };
        QTest::newRow("nothing") << usage(0, 0, 0, 0) << 0.0;
        QTest::newRow("in and out") << usage(1'000'000, 0, 0, 1'000'000) << 18.0;
        QTest::newRow("most of it cached") << usage(100'000, 90'000, 0, 1000) << 0.03 + 0.027 + 0.015;
        QTest::newRow("written to the cache") << usage(100'000, 0, 80'000, 1000) << 0.06 + 0.3 + 0.015;
        QTest::newRow("all kinds") << usage(100'000, 50'000, 20'000, 2000) << 0.09 + 0.015 + 0.075 + 0.03;
        QTest::newRow("parts larger than the whole") << usage(10, 1'000'000, 0, 0) << 0.3;
        QTest::newRow("reasoning is in out") << usage(0, 0, 0, 200'000) << 3.0;
    }

    void costs()
    {
        QFETCH(Usage, usage);
        QFETCH(double, cost_usd);
        const Price price{3, 0.3, 3.75, 15, {}, {}, {}};
        QVERIFY2(std::abs(price.costOf(usage) - cost_usd) < 1e-12, qPrintable(QString::number(price.costOf(usage), 'g', 17)));
    }

    void longPromptsCostMore()
    {
        const QString path = write("long.json", R"({"date": "2026-01-02", "models": [{"provider": "gemini", "match": "pro",
            "in": 1, "cached": 0.1, "out": 10, "long": {"above": 200000, "in": 2, "cached": 0.2, "out": 15}}]})");
        const auto table = PriceTable::read(path, {});
        QVERIFY2(table, errorIn(table));
        const auto price = table->find("gemini", "pro", false);
        QVERIFY(price);
        Usage usage;
        usage.tokensIn = 200'000;
        usage.tokensOut = 1000;
        QVERIFY(std::abs(price->costOf(usage) - 0.21) < 1e-12);
        usage.tokensIn = 200'001; // all of it at the higher price
        usage.tokensCached = 100'000;
        QVERIFY(std::abs(price->costOf(usage) - (0.200002 + 0.02 + 0.015)) < 1e-12);
        QCOMPARE(price->toJson().value("long").toObject().value("cache_write").toDouble(), 2.5);
    }

    void findsTheLongestMatch_data()
    {
        QTest::addColumn<QString>("provider");
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("in"); // negative: unknown
        QTest::newRow("pattern") << "anthropic" << "claude-sonnet-4-20250514" << 3.0;
        QTest::newRow("longer pattern") << "anthropic" << "claude-sonnet-4-5-20250929" << 4.0;
        QTest::newRow("whole name") << "anthropic" << "claude-sonnet-4-5" << 5.0;
        QTest::newRow("a family for both protocols") << "openai-chat" << "gpt-5" << 6.0;
        QTest::newRow("the other protocol") << "openai-responses" << "gpt-5" << 6.0;
        QTest::newRow("not another provider's") << "gemini" << "gpt-5" << -1.0;
        QTest::newRow("no part of a word") << "openairouter" << "gpt-5" << -1.0;
        QTest::newRow("whole names only") << "openai-chat" << "gpt-5-nano" << -1.0;
        QTest::newRow("dots are dots") << "openai-chat" << "gpt-4x1" << -1.0;
        QTest::newRow("dots") << "openai-chat" << "gpt-4.1" << 7.0;
        QTest::newRow("star in the middle") << "gemini" << "gemini-9-pro" << 8.0;
        QTest::newRow("capitals") << "gemini" << "Gemini-9-Pro" << 8.0;
        QTest::newRow("any provider") << "ollama" << "shared-model" << 9.0;
    }

    void findsTheLongestMatch()
    {
        const QString path = write("table.json", R"({"date": "2026-01-02", "models": [
            {"provider": "anthropic", "match": "claude-sonnet-4-5", "in": 5, "out": 1},
            {"provider": "anthropic", "match": "claude-sonnet-4*", "in": 3, "out": 1},
            {"provider": "anthropic", "match": "claude-sonnet-4-5*", "in": 4, "out": 1},
            {"provider": "openai", "match": "gpt-5", "in": 6, "out": 1},
            {"provider": "openai", "match": "gpt-4.1", "in": 7, "out": 1},
            {"provider": "gemini", "match": "gemini-*-pro", "in": 8, "out": 1},
            {"provider": "*", "match": "shared-model", "in": 9, "out": 1}]})");
        const auto table = PriceTable::read(path, {});
        QVERIFY2(table, errorIn(table));
        QFETCH(QString, provider);
        QFETCH(QString, model);
        QFETCH(double, in);
        const auto price = table->find(provider, model, false);
        QCOMPARE(price.has_value(), in >= 0);
        if (!price) return;
        QCOMPARE(price->in, in);
        QCOMPARE(price->cached, in);            // nothing is said to be cheaper
        QCOMPARE(price->cacheWrite, 1.25 * in);
        QCOMPARE(price->date, "2026-01-02");
    }

    void thisMachineCostsNothing()
    {
        const auto table = PriceTable::read(m_shipped, {});
        QVERIFY2(table, errorIn(table));
        const auto price = table->find("openai-chat", "whatever", true);
        QVERIFY(price);
        Usage usage;
        usage.tokensIn = usage.tokensOut = 1'000'000;
        QCOMPARE(price->costOf(usage), 0.0);
        QCOMPARE(price->source, "runs on this machine");
        QVERIFY(!table->find("openai-chat", "whatever", false));
    }

    void readsPrices_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<double>>("prices"); // in, cached, cache write, out; empty: refused
        QTest::newRow("two") << "3/15" << QList<double>{3, 3, 3.75, 15};
        QTest::newRow("three") << "3/0.3/15" << QList<double>{3, 0.3, 3.75, 15};
        QTest::newRow("spaces and signs") << " $0.25 / $2 " << QList<double>{0.25, 0.25, 0.3125, 2};
        QTest::newRow("free") << "0/0" << QList<double>{0, 0, 0, 0};
        for (const char *text : {"", "3", "3/", "/3", "a/b", "3/15/1/2", "-3/15", "nan/15", "inf/1", "3/1e300", "3,5/15", "x/3", "$/3"})
            QTest::newRow(text) << text << QList<double>();
    }

    void readsPrices()
    {
        QFETCH(QString, text);
        QFETCH(QList<double>, prices);
        const auto price = PriceTable::fromText(text);
        QCOMPARE(price.has_value(), !prices.isEmpty());
        if (price) {
            QCOMPARE(QList<double>({price->in, price->cached, price->cacheWrite, price->out}), prices);
            QCOMPARE(price->source, "the person");
            QVERIFY(QDate::fromString(price->date, Qt::ISODate).isValid());
            return;
        }
        QCOMPARE(price.error().code, "prices.syntax");
        QVERIFY(price.error().message.startsWith(QStringLiteral("“%1” is no price; give US dollars").arg(text)));
    }

    void brokenTables_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        const auto entry = [](const char *text) { return QByteArray(R"({"models": [{"provider": "a", "match": "b", "in": 1, "out": 1}, )") + text + "]}"; };
        QTest::newRow("no JSON") << QByteArray("{\n  oh") << ":2:";
        QTest::newRow("no models") << QByteArray("{}") << "models";
        QTest::newRow("models is no list") << QByteArray(R"({"models": {}})") << "/models";
        QTest::newRow("no provider") << entry(R"({"match": "b", "in": 1, "out": 1})") << "/models/1";
        QTest::newRow("empty match") << entry(R"({"provider": "a", "match": "", "in": 1, "out": 1})") << "/models/1/match";
        QTest::newRow("no out") << entry(R"({"provider": "a", "match": "b", "in": 1})") << "/models/1";
        QTest::newRow("price as text") << entry(R"({"provider": "a", "match": "b", "in": "1", "out": 1})") << "/models/1/in";
        QTest::newRow("negative") << entry(R"({"provider": "a", "match": "b", "in": 1, "out": -1})") << "/models/1/out";
        QTest::newRow("long from nowhere") << entry(R"({"provider": "a", "match": "b", "in": 1, "out": 1, "long": {"above": 0, "in": 1, "out": 1}})") << "/models/1/long/above";
        QTest::newRow("long without prices") << entry(R"({"provider": "a", "match": "b", "in": 1, "out": 1, "long": {"above": 9}})") << "/models/1/long";
        QTest::newRow("cached is a word") << entry(R"({"provider": "a", "match": "b", "in": 1, "cached": true, "out": 1})") << "/models/1/cached";
    }

    void brokenTables()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        const QString path = write("broken.json", content);
        for (const auto &table : {PriceTable::read(path, {}), PriceTable::read(m_shipped, path)}) {
            QVERIFY(!table);
            QCOMPARE(table.error().code, "prices.syntax");
            QVERIFY2(table.error().message.contains(path), errorIn(table));
            QVERIFY2(table.error().message.contains(says), errorIn(table));
        }
        const auto remembered = PriceTable::remember(path, "openai-chat", "gpt-5", {1, 1, 1, 1, {}, {}, {}});
        QVERIFY(!remembered);
        QCOMPARE(remembered.error().code, "prices.syntax");
        QCOMPARE(read(path), content); // as it was
    }

    void missingTable()
    {
        const auto table = PriceTable::read(m_folder.filePath("gone.json"), {});
        QVERIFY(!table);
        QCOMPARE(table.error().code, "prices.syntax");
        QVERIFY2(table.error().message.contains("gone.json"), errorIn(table));
    }

    void remembers()
    {
        const QString own = m_folder.filePath("new/prices.json");
        const auto price = PriceTable::fromText("1/0.5/2");
        auto done = PriceTable::remember(own, "openai-chat", "vendor/model-*", *price); // an odd name, no pattern
        QVERIFY2(done, errorIn(done));
        QVERIFY(PriceTable::remember(own, "openai-chat", "gpt-5", {9, 9, 9, 9, "2026-01-01", "the person", {}}));
        QVERIFY(PriceTable::remember(own, "openai-chat", "gpt-5", {8, 4, 10, 7, "2026-01-02", "the person", {}}));
        const QJsonObject top = QJsonDocument::fromJson(read(own)).object();
        QCOMPARE(top.value("models").toArray().size(), 2);
        auto table = PriceTable::read(m_shipped, own);
        QVERIFY2(table, errorIn(table));
        const auto found = table->find("openai-chat", "gpt-5", false); // before the one that ships
        QVERIFY(found);
        QCOMPARE(found->toJson(), QJsonObject({{"in", 8}, {"cached", 4}, {"cache_write", 10}, {"out", 7}, {"date", "2026-01-02"}, {"source", "the person"}}));
        const auto other = table->find("openai-responses", "gpt-5", false); // of another protocol: as it ships
        QVERIFY(other);
        QVERIFY(other->in != 8);
        QVERIFY(table->find("openai-chat", "vendor/model-*", false));
    }

    void rememberingKeepsTheRest()
    {
        const QString own = write("own.json", R"({"date": "2026-01-01", "mine": [1, 2], "models": [
            {"provider": "gemini", "match": "gemini-*", "in": 1, "out": 2, "remark": "kept"}]})");
        QVERIFY(PriceTable::remember(own, "ollama", "far-away", {1, 1, 1, 1, {}, {}, {}}));
        const QJsonObject top = QJsonDocument::fromJson(read(own)).object();
        QCOMPARE(top.value("mine").toArray(), QJsonArray({1, 2}));
        QCOMPARE(top.value("models").toArray().size(), 2);
        QCOMPARE(top.value("models").toArray().at(0)["remark"].toString(), "kept");
    }

    void remembersNowhere()
    {
        const QString file = write("file", "");
        const auto done = PriceTable::remember(file + "/prices.json", "ollama", "m", {});
        QVERIFY(!done);
        QCOMPARE(done.error().code, "prices.write");
        QVERIFY(done.error().message.contains(file));
    }

    // What ships is in order: dated, with a source, no entry twice, out not cheaper than in, cached not dearer.
    void shipped()
    {
        const auto table = PriceTable::read(m_shipped, {});
        QVERIFY2(table, errorIn(table));
        const QJsonObject top = QJsonDocument::fromJson(read(m_shipped)).object();
        QVERIFY(top.value("note").toString().contains("out of date"));
        QSet<QString> seen;
        for (const QJsonValue &one : top.value("models").toArray()) {
            const QString name = one["provider"].toString() + ' ' + one["match"].toString();
            QVERIFY2(!seen.contains(name), qPrintable(name));
            seen.insert(name);
            QVERIFY2(QDate::fromString(one["date"].toString(), Qt::ISODate).isValid(), qPrintable(name));
            QVERIFY2(!one["source"].toString().isEmpty(), qPrintable(name));
            QVERIFY2(one["out"].toDouble() >= one["in"].toDouble() && one["in"].toDouble() > 0, qPrintable(name));
            if (one["cached"].isDouble()) QVERIFY2(one["cached"].toDouble() <= one["in"].toDouble(), qPrintable(name));
        }
        QVERIFY(seen.size() > 20);
    }

    void estimates()
    {
        QCOMPARE(estimatedTokens(QString()), 0);
        QCOMPARE(estimatedTokens(QStringLiteral("a")), 1);
        QCOMPARE(estimatedTokens(QStringLiteral("abcdef")), 2);
        QCOMPARE(estimatedTokens(QStringLiteral("äöü")), 2); // bytes, not characters
        Request request;
        const qint64 empty = estimatedTokens(request);
        request.system = QString(300, u'x');
        QCOMPARE(estimatedTokens(request), empty + 100);
        Message message;
        message.text = QString(600, u'x');
        request.messages.append(message);
        const qint64 withMessage = estimatedTokens(request);
        QVERIFY(withMessage >= empty + 300);
        request.tools.append({"compile", QString(300, u'd'), {{"type", "object"}}});
        QVERIFY(estimatedTokens(request) >= withMessage + 100);
        request.schema = {{"type", QString(300, u's')}};
        QVERIFY(estimatedTokens(request) >= withMessage + 200);
    }
};

QTEST_GUILESS_MAIN(TestLlmPrices)
#include "tst_llm_prices.moc"
