// SPDX-License-Identifier: Apache-2.0
// No key comes through, however it is written, and nothing else is harmed.
#include "secrets/secrets.h"

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QUrl>
#include <QUrlQuery>

using namespace kernelskill;

class TestRedaction : public QObject
{
    Q_OBJECT
    const QString m_plain = QStringLiteral("correct-horse-battery");
    const QString m_odd = QStringLiteral("q\"w/e\\r+t&z=ü%😀");

private Q_SLOTS:
    void initTestCase()
    {
        secrets::alsoRedact(m_plain);
        secrets::alsoRedact(m_odd);
        secrets::alsoRedact(m_plain + "-staple"); // one begins with the other
        secrets::alsoRedact(QStringLiteral("ollama"));
        secrets::alsoRedact(QString(3000, u'L') + "-the-end");
    }

    void known_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("clean");
        const auto row = [](const char *name, const QByteArray &text, const QByteArray &clean) { QTest::newRow(name) << text << clean; };
        row("nothing", "", "");
        row("alone", "correct-horse-battery", "[redacted]");
        row("in a line", "key=correct-horse-battery;", "key=[redacted];");
        row("twice over lines", "a correct-horse-battery\nb\n correct-horse-battery", "a [redacted]\nb\n [redacted]");
        row("the longer one", "correct-horse-battery-staple", "[redacted]");
        row("inside other letters", "xcorrect-horse-batteryx", "x[redacted]x");
        row("percent-encoded in full", "%63orrect%2Dhorse%2dbattery", "[redacted]");
        row("JSON escapes", "\"correct\\u002dhorse\\u002Dbattery\"", "\"[redacted]\"");
        row("JSON in JSON", "{\\\"k\\\": \\\"correct\\\\u002dhorse-battery\\\"}", "{\\\"k\\\": \\\"[redacted]\\\"}");
        row("odd one, percent-encoded", QUrl::toPercentEncoding(m_odd), "[redacted]");
        row("odd one, as it is", m_odd.toUtf8(), "[redacted]");
        row("odd one, only ASCII JSON", "q\\\"w\\/e\\\\r+t&z=\\u00fc%\\ud83d\\ude00", "[redacted]");
        row("long one", QByteArray(3000, 'L') + "-the-end", "[redacted]");
        row("not a part of it", "correct-horse", "correct-horse");
        row("no text at all", QByteArray("\xff\xfe correct-horse-battery \x80\0!", 28), QByteArray("\xff\xfe [redacted] \x80\0!", 17));
        row("an everyday word stays", "{\"provider\": \"ollama\"}", "{\"provider\": \"ollama\"}");
        row("an everyday word where a key stands", "Authorization: Bearer ollama\r\n", "Authorization: Bearer [redacted]\r\n");
    }

    void known()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, clean);
        QCOMPARE(secrets::redacted(text), clean);
        QCOMPARE(secrets::redacted(clean), clean); // a second time changes nothing
    }

    void jsonStaysJson()
    {
        const QJsonObject object{{"a", m_odd}, {"b", "before " + m_odd + " after"}, {"c", QJsonObject{{"d", m_plain}}}};
        const QJsonDocument document = QJsonDocument::fromJson(secrets::redacted(QJsonDocument(object).toJson()));
        QCOMPARE(document.object(), QJsonObject({{"a", "[redacted]"}, {"b", "before [redacted] after"}, {"c", QJsonObject{{"d", "[redacted]"}}}}));
    }

    void urls()
    {
        QUrlQuery query;
        query.addQueryItem("model", "m");
        query.addQueryItem("token_of_mine", m_plain);
        QUrl url("https://api.example.org/v1");
        url.setQuery(query);
        QCOMPARE(secrets::redacted(QString::fromLatin1(url.toEncoded())), "https://api.example.org/v1?model=m&token_of_mine=[redacted]");
    }

    void looksLikeAKey_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("clean");
        const auto row = [](const char *name, const char *text, const char *clean) { QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(clean); };
        row("OpenAI", "key sk-abcdefghij0123456789 given", "key [redacted] given");
        row("OpenAI, project", "sk-proj-Ab_cd-0123456789abcdef", "[redacted]");
        row("Anthropic", "\"sk-ant-api03-AbCdEf0123456789-_xyz\"", "\"[redacted]\"");
        row("Google", "AIzaSyA0123456789abcdefghijklmnopqrstuv", "[redacted]");
        row("Groq", "gsk_0123456789abcdefghijklmnop", "[redacted]");
        row("Hugging Face", "hf_abcdefghijklmnopqrstuvwxyz", "[redacted]");
        row("after an escaped line end", "a\\nsk-abcdefghij0123456789", "a\\n[redacted]");
        row("percent-encoded quotes", "%22sk-abcdefghij0123456789%22", "%22[redacted]%22");
        row("web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSM", "[redacted]");
        row("header", "Authorization: Bearer abc.def\r\nAccept: */*", "Authorization: Bearer [redacted]\r\nAccept: */*");
        row("basic", "authorization: Basic dXNlcjp3b3Jk", "authorization: Basic [redacted]");
        row("header as JSON", "{\"Authorization\": \"Bearer secretsecret\", \"x\": 1}", "{\"Authorization\": \"Bearer [redacted]\", \"x\": 1}");
        row("header as JSON in JSON", "\"{\\\"authorization\\\":\\\"Bearer secretsecret\\\"}\"", "\"{\\\"authorization\\\":\\\"Bearer [redacted]\\\"}\"");
        row("bearer alone", "sent Bearer a1b2c3d4e5f6", "sent Bearer [redacted]");
        row("x-api-key", "x-api-key: topsecret\nanthropic-version: 2023-06-01", "x-api-key: [redacted]\nanthropic-version: 2023-06-01");
        row("x-goog-api-key as JSON", "{\"x-goog-api-key\":\"topsecret\"}", "{\"x-goog-api-key\":\"[redacted]\"}");
        row("Azure", "api-key: 0123abcd", "api-key: [redacted]");
        row("query", "GET /v1/models?key=topsecret&alt=sse", "GET /v1/models?key=[redacted]&alt=sse");
        row("user and word", "https://me:word@api.example.org/v1", "https://me:[redacted]@api.example.org/v1");
        row("variable", "OPENAI_API_KEY=abcdef0123456789", "OPENAI_API_KEY=[redacted]");
        for (const char *text : {"__global__ void kernel(float *key, int token) { key[token] = 1.0f; }", "Bearer authentication is needed",
                                 "the x-api-key header is missing", "task-based-0123456789abcdefgh", "mask-abcdefghij0123456789",
                                 "sk-loading-indicator-small", "invalid api key", "a ? b : c; // http://example.org/a:b", "k = q * scale;"})
            row(text, text, text);
    }

    void looksLikeAKey()
    {
        QFETCH(QString, text);
        QFETCH(QString, clean);
        QCOMPARE(secrets::redacted(text), clean);
        QCOMPARE(secrets::redacted(clean), clean);
    }

    void unharmedText()
    {
        QString text = QStringLiteral("a lone ") + QChar(0xd83d) + QStringLiteral(" surrogate, ünïcode and 0");
        text[text.size() - 1] = QChar(0);
        QCOMPARE(secrets::redacted(text), text);
    }

    void longText()
    {
        QByteArray text = QByteArray("float acc = a[i] * b[j] + 0.5f; // \\u0041 %20 key: value\n").repeated(40'000);
        text += "sk-abcdefghij0123456789";
        QElapsedTimer timer;
        timer.start();
        QVERIFY(secrets::redacted(text).endsWith("value\n[redacted]"));
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_GUILESS_MAIN(TestRedaction)
#include "tst_redaction.moc"
