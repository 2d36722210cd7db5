// SPDX-License-Identifier: Apache-2.0
// What passed between roles and models: taken apart for reading, as rows of the transcript, counted by role.
#include "example_session.h"
#include "models/message_parts.h"
#include "models/panel_rows.h"
#include "models/transcript_model.h"
#include "models/usage_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;
using PartKind = MessagePart::Kind;

class TestConversations : public QObject
{
    Q_OBJECT

    static QList<TranscriptEntry> aCall()
    {
        TranscriptEntry entry;
        entry.role = u"planner"_s;
        entry.agent = u"llm"_s;
        entry.calls = 2;
        entry.facts = {{u"provider"_s, u"openai-chat"_s},
                       {u"model"_s, u"m-1"_s},
                       {u"prompt"_s, QJsonObject{{u"name"_s, u"planner"_s}, {u"version"_s, 3}, {u"digest"_s, u"0123456789abcdef"_s}}}};
        entry.messages = {{u"system"_s, u"You plan."_s, {}},
                          {u"user"_s, u"<<<data code id=1f\nint x;\ndata id=1f>>>\n\nDecide."_s, u"history: cut to fit"_s},
                          {u"reasoning"_s, u"Hm."_s, {}},
                          {u"assistant"_s, u"Here:\n```json\n{}\n```"_s, u"prose around the JSON was dropped"_s},
                          {u"tool"_s, u"compiles"_s, {}}};
        entry.outcome = u"tiling"_s;
        return {entry};
    }
    static QModelIndex rowNamed(const TranscriptModel &model, const QString &name)
    {
        const QModelIndex call = model.index(0, 0);
        for (int row = 0; row < model.rowCount(call); ++row) {
            if (model.index(row, 0, call).data().toString() == name) return model.index(row, 0, call);
        }
        return {};
    }
    static Event call(qint64 sequence, const QString &role, int calls, int in, int cached, int out, double cost_usd)
    {
        return {sequence, u"role.call"_s, sequence,
                {{u"role"_s, role}, {u"calls"_s, calls}, {u"tokens_in"_s, in}, {u"tokens_cached"_s, cached}, {u"tokens_out"_s, out}, {u"cost_usd"_s, cost_usd}}};
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void messagesAreTakenApart()
    {
        QCOMPARE(messageParts(u"Only words."_s), (QList<MessagePart>{{PartKind::Prose, {}, u"Only words."_s}}));
        QCOMPARE(messageParts(u"Look:\n<<<data code id=1f\nint x;\n\nint y;\ndata id=1f>>>\n\nand decide."_s),
                 (QList<MessagePart>{{PartKind::Prose, {}, u"Look:"_s}, {PartKind::Data, u"code"_s, u"int x;\n\nint y;"_s}, {PartKind::Prose, {}, u"and decide."_s}}));
        QCOMPARE(messageParts(u"```cuda\n  f();\n```\nthat is all"_s),
                 (QList<MessagePart>{{PartKind::Code, u"cuda"_s, u"  f();"_s}, {PartKind::Prose, {}, u"that is all"_s}}));
        // What only looks like an end is material: another id, a fence.
        QCOMPARE(messageParts(u"<<<data log id=a1\ndata id=b2>>>\n```\nx\n```\ndata id=a1>>>"_s),
                 (QList<MessagePart>{{PartKind::Data, u"log"_s, u"data id=b2>>>\n```\nx\n```"_s}}));
        // An answer that is one object needs no fence.
        QCOMPARE(messageParts(u"{\"skill\":\n \"x\"}\n"_s), (QList<MessagePart>{{PartKind::Code, u"json"_s, u"{\"skill\":\n \"x\"}"_s}}));
        // An end that never comes.
        QCOMPARE(messageParts(u"```\nx"_s), (QList<MessagePart>{{PartKind::Code, {}, u"x"_s}}));
        QVERIFY(messageParts({}).isEmpty());
        QVERIFY(messageParts(u" \n\n"_s).isEmpty());
    }
    // Whatever comes in, no line of it is lost but marks, fences and blanks.
    void noLineIsLost()
    {
        const QStringList lines{u"words"_s, u"<<<data a id=1"_s, u"data id=1>>>"_s, u"<<<data b id=2"_s, u"data id=2>>>"_s, u"```"_s, u"```cuda"_s, u"````"_s, u""_s};
        QRandomGenerator random(7);
        for (int turn = 0; turn < 500; ++turn) {
            QStringList text;
            int words = 0;
            for (int i = 0; i < 12; ++i) {
                text.append(lines[random.bounded(int(lines.size()))]);
                words += text.last() == "words"_L1;
            }
            int found = 0;
            for (const MessagePart &part : messageParts(text.join(u'\n')))
                found += int(part.text.split(u'\n').count(u"words"_s));
            QCOMPARE(found, words);
        }
    }
    void speakersAreToldApart()
    {
        TranscriptModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEntries(aCall());
        QSet<QString> stripes;
        for (const QString &name : {u"System"_s, u"User"_s, u"Reasoning"_s, u"Assistant"_s, u"Tool"_s}) {
            const QModelIndex row = rowNamed(model, name);
            QVERIFY2(row.isValid(), qPrintable(name));
            stripes.insert(row.data(panel_rows::StripeRole).toString());
            QCOMPARE(row.data(panel_rows::ClosedRole).toBool(), name == "System"_L1);
        }
        QCOMPARE(stripes.size(), 5);
        // Material stands under its name, without its marks.
        const QModelIndex user = rowNamed(model, u"User"_s);
        QCOMPARE(model.rowCount(user), 2);
        QCOMPARE(model.index(0, 0, user).data().toString(), u"Data  code"_s);
        QCOMPARE(model.index(0, 0, model.index(0, 0, user)).data().toString(), u"int x;"_s);
        QVERIFY(model.index(0, 0, model.index(0, 0, user)).data(panel_rows::MonospaceRole).toBool());
        QCOMPARE(model.index(1, 0, user).data().toString(), u"Decide."_s);
        // Copied, it is as it was said.
        QVERIFY(model.textOf(user).startsWith(u"<<<data code id=1f"_s));
    }
    void notesStandOutside()
    {
        TranscriptModel model;
        model.setEntries(aCall());
        for (const QString &note : {u"history: cut to fit"_s, u"prose around the JSON was dropped"_s}) {
            const QModelIndex row = rowNamed(model, note);
            QVERIFY2(row.isValid(), qPrintable(note));
            QCOMPARE(row.data(panel_rows::KindRole).toInt(), int(panel_rows::Kind::Note));
        }
        QCOMPARE(rowNamed(model, u"history: cut to fit"_s).row(), rowNamed(model, u"User"_s).row() + 1);
        QCOMPARE(model.matches(u"CUT TO FIT"_s).size(), 1);
    }
    void factsAreSaid()
    {
        TranscriptModel model;
        model.setEntries(aCall());
        QVERIFY(rowNamed(model, u"openai-chat · m-1 · prompt planner version 3 (01234567)"_s).isValid());
        const QString markdown = model.markdown();
        QVERIFY(markdown.contains(u"openai-chat · m-1 · prompt planner version 3 (01234567)"_s));
        QVERIFY(markdown.contains(u"**Assistant**\n\nHere:"_s));
        QVERIFY(markdown.contains(u"> prose around the JSON was dropped"_s));
    }
    void longOnesAreFolded()
    {
        QList<TranscriptEntry> entries = aCall();
        entries[0].messages = {{u"user"_s, u"line\n"_s.repeated(40), {}}, {u"assistant"_s, u"line\n"_s.repeated(40), {}}, {u"assistant"_s, u"line\n"_s.repeated(100), {}}};
        TranscriptModel model;
        model.setEntries(entries);
        const QModelIndex call = model.index(0, 0);
        QList<bool> closed;
        for (int row = 0; row < model.rowCount(call); ++row) {
            const QModelIndex index = model.index(row, 0, call);
            if (index.data(panel_rows::KindRole).toInt() == int(panel_rows::Kind::Group)) closed.append(index.data(panel_rows::ClosedRole).toBool());
        }
        QCOMPARE(closed, (QList<bool>{true, false, true}));
    }
    void usageIsCountedByRole()
    {
        SessionDocument document;
        UsageModel model(&document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(model.isEmpty());
        QCOMPARE(model.summary(), QString());
        document.apply(call(1, u"optimizer"_s, 2, 1000, 0, 500, 0.25), {});
        document.apply({2, u"role.call"_s, 2, {{u"role"_s, u"features"_s}, {u"wall_ms"_s, 3}}}, {}); // by no model
        document.apply(call(3, u"planner"_s, 1, 2000, 1500, 100, 0.125), {});
        document.apply(call(4, u"optimizer"_s, 1, 1000, 500, 300, 0.125), {});
        const auto row = [&](int number) {
            QStringList cells;
            for (int column = 0; column < model.columnCount(); ++column)
                cells.append(model.index(number, column).data().toString().remove(QChar(0x202F)));
            return cells.join(u' ');
        };
        QCOMPARE(model.rowCount(), 3); // in the cast's order, the total last
        QCOMPARE(row(0), u"planner 1 2000 1500 100 $0.1250"_s);
        QCOMPARE(row(1), u"optimizer 3 2000 500 800 $0.3750"_s);
        QCOMPARE(row(2), u"all 4 4000 2000 900 $0.5000"_s);
        QCOMPARE(model.summary(), u"4 calls · 4.9k tokens · $0.50"_s);
        QCOMPARE(model.toCsv(), u"role,calls,tokens_in,tokens_cached,tokens_out,cost_usd\n"
                                "planner,1,2000,1500,100,0.125000\noptimizer,3,2000,500,800,0.375000\n"_s);
        // Read as a whole it is the same.
        SessionContents contents;
        contents.events = document.events();
        contents.trajectory = Trajectory::fold(contents.events);
        document.setContents(contents);
        QCOMPARE(row(2), u"all 4 4000 2000 900 $0.5000"_s);
        document.clear();
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_GUILESS_MAIN(TestConversations)
#include "tst_conversations.moc"
