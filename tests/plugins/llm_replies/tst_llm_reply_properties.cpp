// SPDX-License-Identifier: Apache-2.0
#include "replies/extract.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <rapidcheck.h>

using namespace kernelskill::llm;

class TestLlmReplyProperties : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void wrappedObjectComesBack();
    void wrappedCodeComesBack();
    void anyTextIsRead();
    void singleEditIsMade();
    void diffIsMade();
    void joiningTwiceIsJoiningOnce();
    void overlapIsNotRepeated();
};

namespace {

QString oneOf(const QStringList &choices)
{
    return choices[*rc::gen::inRange<qsizetype>(0, choices.size())];
}

QString prose()
{
    return oneOf({"", "Here is the result:\n\n", "The loads (see {L2}) dominate; it's the \"hot\" loop.\n\n", "## Plan\n\n- one\n- two\n\n",
                  "<think>\nFirst {\"skill\": 1}, then\n```cpp\nvoid solve() {}\n```\n</think>\n", "结果如下：\n"});
}

QString wrapped(const QString &text, const QStringList &tags)
{
    const QString fence = oneOf({"", "```", "~~~", "````"});
    const QString behind = oneOf({"", "\n", "\n\nTell me if it is too slow.\n", "\n\n**Note**: none of it was run.\n"});
    if (fence.isEmpty()) return prose() + text + behind;
    return prose() + fence + oneOf(tags) + u'\n' + text + (text.endsWith(u'\n') ? "" : "\n") + fence + behind;
}

QString anyText()
{
    const QStringList pieces = {"a", "solve", " ", "\n", "\"", "'", "{", "}", "[", "]", ",", ":", "\\", "```", "//", "/*", "é", "界", "<", "#", "\t",
                                "1", "-", "...", "null", "</think>x"};
    QString text;
    for (const int i : *rc::gen::container<std::vector<int>>(rc::gen::inRange<int>(0, int(pieces.size()))))
        text.append(pieces[i]);
    return text;
}

QJsonValue anyValue(int depth)
{
    switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0: return anyText().remove(QStringLiteral("</think>"));
    case 1: return *rc::gen::arbitrary<int>();
    case 2: return *rc::gen::arbitrary<int>() / 1024.0;
    case 3: return *rc::gen::arbitrary<bool>();
    case 4: return QJsonValue::Null;
    case 5: {
        QJsonArray array;
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            array.append(anyValue(depth - 1));
        return array;
    }
    default: {
        QJsonObject object;
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            object.insert(u'k' + anyText().remove(QStringLiteral("</think>")), anyValue(depth - 1));
        return object;
    }
    }
}

// A small file whose lines are all different.
QStringList anyLines()
{
    QStringList lines = {"#include <cuda_runtime.h>", "__global__ void add(float *y)", "{"};
    const int count = *rc::gen::inRange(1, 30);
    for (int i = 0; i < count; ++i) {
        const int value = *rc::gen::inRange(0, 1000);
        lines.append(QStringLiteral("%1y[%2] += %3.0f;%4")
                         .arg(QString(4 + value % 3 * 4, u' '))
                         .arg(i)
                         .arg(value)
                         .arg(value % 5 == 0 ? QStringLiteral(" // \"it's\" {") : QString()));
        if (value % 7 == 0) lines.append(QString());
    }
    lines += {"}", "void solve(float *y)", "{", "    add<<<1, 1>>>(y);", "}"};
    return lines;
}

QString textOf(const QStringList &lines)
{
    return lines.join(u'\n') + u'\n';
}

} // namespace

void TestLlmReplyProperties::wrappedObjectComesBack()
{
    QVERIFY(rc::check("an object comes back from prose and fences as it was", [] {
        QJsonObject object;
        for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
            object.insert(u'k' + anyText().remove(QStringLiteral("</think>")), anyValue(2));
        object.insert(QStringLiteral("wanted"), anyValue(1));
        const auto format = *rc::gen::element(QJsonDocument::Compact, QJsonDocument::Indented);
        const QString text = QString::fromUtf8(QJsonDocument(object).toJson(format));
        const ExtractedObject found = extractObject(wrapped(text, {"json", "", "JSON", "js"}), {QStringLiteral("wanted")});
        RC_ASSERT(found.problem.isEmpty());
        RC_ASSERT(found.object.has_value());
        RC_ASSERT(QJsonDocument(*found.object).toJson() == QJsonDocument(object).toJson());
        RC_ASSERT(!found.truncated);
    }));
}

void TestLlmReplyProperties::wrappedCodeComesBack()
{
    QVERIFY(rc::check("code comes back from prose and fences as it was", [] {
        const QString code = textOf(anyLines());
        const ExtractedCode found = extractCode(wrapped(code, {"cpp", "cuda", "", "python", "C++"}), QStringLiteral("solve"));
        RC_ASSERT(found.problem.isEmpty());
        RC_ASSERT(found.code == code);
    }));
}

void TestLlmReplyProperties::anyTextIsRead()
{
    QVERIFY(rc::check("there is a result or a problem, whatever the text", [] {
        const auto bytes = *rc::gen::arbitrary<std::string>();
        const QString text = *rc::gen::arbitrary<bool>() ? QString::fromUtf8(bytes.data(), qsizetype(bytes.size())) : anyText() + anyText();
        const ExtractedObject object = extractObject(text, {QStringLiteral("a")});
        RC_ASSERT(object.object.has_value() == object.problem.isEmpty());
        const ExtractedCode code = extractCode(text, QStringLiteral("solve"));
        RC_ASSERT(code.code.isEmpty() != code.problem.isEmpty());
        const ExtractedChange change = extractChange(text, QStringLiteral("solve"));
        RC_ASSERT((change.code.isEmpty() && change.edits.isEmpty()) != change.problem.isEmpty());
        RC_ASSERT(change.code.isEmpty() || change.edits.isEmpty());
        (void)joinContinuation(text, text);
    }));
}

void TestLlmReplyProperties::singleEditIsMade()
{
    QVERIFY(rc::check("an edit of lines that stand once gives the right file, whatever its spacing", [] {
        const QStringList lines = anyLines();
        QStringList changed = lines;
        const qsizetype first = *rc::gen::inRange<qsizetype>(3, lines.size() - 5);
        RC_PRE(!lines[first].isEmpty());
        const QStringList before = {lines[first], lines[first + 1]};
        const QStringList after = {lines[first], QStringLiteral("    __syncthreads();"), lines[first + 1]};
        changed.insert(first + 1, after[1]);
        const QString reply = wrapped(QStringLiteral("<<<<<<< before\n%1=======\n%2>>>>>>> after\n").arg(textOf(before), textOf(after)), {"cpp", "", "diff"});
        const ExtractedChange change = extractChange(reply, QStringLiteral("solve"));
        RC_ASSERT(change.problem.isEmpty());
        RC_ASSERT(change.edits.size() == 1);
        RC_ASSERT(applyEdits(textOf(lines), change.edits).code == textOf(changed));
        const QString squeezed = textOf(before).replace(QStringLiteral(" += "), QStringLiteral("+="));
        RC_ASSERT(applyEdits(textOf(lines), {{squeezed, textOf(after)}}).code == textOf(changed));
    }));
}

void TestLlmReplyProperties::diffIsMade()
{
    QVERIFY(rc::check("a hunk with wrong line numbers gives the right file", [] {
        const QStringList lines = anyLines();
        const qsizetype at = *rc::gen::inRange<qsizetype>(3, lines.size() - 5);
        RC_PRE(!lines[at].isEmpty());
        QStringList changed = lines;
        changed[at] = QStringLiteral("    y[0] = 0;");
        const QString diff = QStringLiteral("--- a/kernel.cu\n+++ b/kernel.cu\n@@ -%1,3 +%1,3 @@\n %2\n-%3\n+%4\n %5\n")
                                 .arg(*rc::gen::inRange(0, 500)).arg(lines[at - 1], lines[at], changed[at], lines[at + 1]);
        const QString reply = QStringLiteral("```diff\n") + diff + QStringLiteral("```\n");
        const ExtractedChange change = extractChange(*rc::gen::arbitrary<bool>() ? reply : diff, QStringLiteral("solve"));
        RC_ASSERT(change.problem.isEmpty());
        RC_ASSERT(applyEdits(textOf(lines), change.edits).code == textOf(changed));
    }));
}

void TestLlmReplyProperties::joiningTwiceIsJoiningOnce()
{
    QVERIFY(rc::check("a continuation joined again changes nothing", [] {
        const QString code = QStringLiteral("```cpp\n") + textOf(anyLines());
        const qsizetype cut = *rc::gen::inRange<qsizetype>(60, code.size() - 20);
        const QString once = joinContinuation(code.first(cut), code.sliced(cut));
        RC_ASSERT(joinContinuation(once, code.sliced(cut)) == once);
    }));
}

void TestLlmReplyProperties::overlapIsNotRepeated()
{
    QVERIFY(rc::check("what is said twice stands once", [] {
        const QString code = QStringLiteral("```cpp\n") + textOf(anyLines());
        const qsizetype cut = *rc::gen::inRange<qsizetype>(60, code.size() - 20);
        const qsizetype overlap = *rc::gen::element<qsizetype>(0, 25, 40);
        RC_ASSERT(joinContinuation(code.first(cut), code.sliced(cut - overlap)) == code);
    }));
}

QTEST_APPLESS_MAIN(TestLlmReplyProperties)
#include "tst_llm_reply_properties.moc"
