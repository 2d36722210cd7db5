// SPDX-License-Identifier: Apache-2.0
// With whom one talks: redirects, plain http, addresses, certificates, proxies.
#include "exchanges.h"
#include "result_text.h"
#include "wire/environment_proxies.h"
#include "wire/network_transport.h"

#include <QFile>
#include <QProcess>
#include <QSslCertificate>
#include <QSslKey>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;
using namespace kernelskill::test;

namespace {

bool openssl(const QStringList &arguments)
{
    QProcess process;
    process.start(QStringLiteral("openssl"), arguments);
    return process.waitForFinished(30'000) && process.exitCode() == 0;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// A certificate for `hosts` that signs itself, in files NAME.pem and NAME.key.
bool makeCertificate(const QTemporaryDir &folder, const QString &name, const QString &hosts,
                     const QStringList &more = {})
{
    return openssl(QStringList{QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"),
                               QStringLiteral("rsa:2048"), QStringLiteral("-nodes"), QStringLiteral("-keyout"),
                               folder.filePath(name + QStringLiteral(".key")), QStringLiteral("-out"),
                               folder.filePath(name + QStringLiteral(".pem")), QStringLiteral("-subj"),
                               QStringLiteral("/O=Tests/CN=") + name, QStringLiteral("-addext"),
                               QStringLiteral("subjectAltName=") + hosts} +
                   (more.isEmpty() ? QStringList{QStringLiteral("-days"), QStringLiteral("2")} : more));
}

QSslConfiguration serverTls(const QTemporaryDir &folder, const QString &name)
{
    QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
    tls.setLocalCertificate(QSslCertificate(contentOf(folder.filePath(name + QStringLiteral(".pem"))), QSsl::Pem));
    tls.setPrivateKey(QSslKey(contentOf(folder.filePath(name + QStringLiteral(".key"))), QSsl::Rsa, QSsl::Pem));
    tls.setPeerVerifyMode(QSslSocket::VerifyNone);
    return tls;
}

} // namespace

class TestLlmOrigin : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanupTestCase() { forgetProxies(); }
    void redirects_data();
    void redirects();
    void redirectWithinTheOrigin();
    void plainHttp_data();
    void plainHttp();
    void addresses_data();
    void addresses();
    void keyWithALineEnd();
    void certificateUnknown();
    void certificateOfOurOwn();
    void certificateForAnotherHost();
    void certificateExpired();
    void caFileIsBad_data();
    void caFileIsBad();
    void noTlsSpoken();
    void proxies_data();
    void proxies();
    void goesThroughTheProxy();
};

void TestLlmOrigin::init()
{
    QTest::failOnWarning();
    forgetProxies();
}

void TestLlmOrigin::redirects_data()
{
    QTest::addColumn<QByteArray>("status");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QStringList>("says");
    QTest::newRow("another host") << QByteArray("307 Temporary Redirect")
                                  << QByteArray("https://elsewhere.invalid/v1/x")
                                  << QStringList{"redirects to https://elsewhere.invalid.", "was not sent there"};
    QTest::newRow("no scheme") << QByteArray("308 Permanent Redirect") << QByteArray("//elsewhere.invalid/v1/x")
                               << QStringList{"redirects to http://elsewhere.invalid."};
    QTest::newRow("another port") << QByteArray("302 Found") << QByteArray("http://127.0.0.1:1/")
                                  << QStringList{"redirects to http://127.0.0.1:1."};
    QTest::newRow("another scheme") << QByteArray("301 Moved Permanently") << QByteArray("https://127.0.0.1/")
                                    << QStringList{"redirects to https://127.0.0.1."};
    QTest::newRow("would lose the body") << QByteArray("301 Moved Permanently") << QByteArray("/v2/x")
                                         << QStringList{"redirects from /v1/x to /v2/x"};
    QTest::newRow("in a circle") << QByteArray("307 Temporary Redirect") << QByteArray("/v1/x")
                                 << QStringList{"for the 6th time"};
    QTest::newRow("nowhere") << QByteArray("307 Temporary Redirect") << QByteArray("")
                             << QStringList{"without saying where"};
}

void TestLlmOrigin::redirects()
{
    QFETCH(const QByteArray, status);
    QFETCH(const QByteArray, target);
    QFETCH(const QStringList, says);
    RawServer server;
    server.answerWith({sends(
        httpHead(status, {target.isEmpty() ? QByteArray("X-None: 1") : "Location: " + target, "Content-Length: 0"}))});
    NetworkTransport transport;
    const auto answer = finish(transport, post(server.url("/v1/x")));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.redirect"));
    QVERIFY(answer.error().message.startsWith(server.url({}).toString()));
    for (const QString &part : says)
        QVERIFY2(answer.error().message.contains(part), qPrintable(answer.error().message));
}

void TestLlmOrigin::redirectWithinTheOrigin()
{
    RawServer server;
    server.answerWith(QList<Script>{
        {sends(httpHead("307 Temporary Redirect", {"Location: /v1/there", "Content-Length: 5"}) + "moved")},
        {sends(httpAnswer("200 OK", "text/plain", "here"))}});
    NetworkTransport transport;
    const auto running = begin(transport, post(server.url("/v1/here"), "{\"a\":1}"));
    QTRY_VERIFY(running->result.has_value());
    QVERIFY2(*running->result, errorIn(*running->result));
    QCOMPARE((*running->result)->body, QByteArray("here"));
    QCOMPARE(running->pieces, QList<QByteArray>({"here"}));
    QVERIFY(server.requests().last().startsWith("POST /v1/there "));
    QCOMPARE(server.body(1), QByteArray("{\"a\":1}"));
    QCOMPARE(server.header(1, "Authorization"), QByteArray("Bearer sk-secret-for-tests"));
}

void TestLlmOrigin::plainHttp_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<bool>("allowed");
    QTest::addColumn<QString>("code");
    QTest::newRow("name") << "http://api.invalid/v1" << false << "http.insecure";
    QTest::newRow("address") << "http://192.0.2.1:8080/v1" << false << "http.insecure";
    QTest::newRow("looks like loopback") << "http://127.0.0.1.invalid/v1" << false << "http.insecure";
    QTest::newRow("looks like localhost") << "http://localhost.invalid/v1" << false << "http.insecure";
    QTest::newRow("allowed") << "http://api.invalid/v1" << true << "http.connection";   // not found, then
    QTest::newRow("loopback") << "http://127.0.0.2:1/v1" << false << "http.connection"; // nothing listens
    QTest::newRow("localhost") << "http://localhost:1/v1" << false << "http.connection";
    QTest::newRow("IPv6") << "http://[::1]:1/v1" << false << "http.connection";
}

void TestLlmOrigin::plainHttp()
{
    QFETCH(const QString, url);
    QFETCH(const bool, allowed);
    QFETCH(const QString, code);
    NetworkOptions options;
    options.plainHttpAnywhere = allowed;
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(QUrl(url)));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, code);
    if (code == "http.insecure") QVERIFY(answer.error().message.contains("use https, or allow plain http"));
}

void TestLlmOrigin::addresses_data()
{
    QTest::addColumn<QString>("url");
    QTest::newRow("empty") << "";
    QTest::newRow("no scheme") << "api.example.invalid/v1";
    QTest::newRow("file") << "file:///etc/passwd";
    QTest::newRow("ftp") << "ftp://api.invalid/";
    QTest::newRow("no host") << "https:///v1";
}

void TestLlmOrigin::addresses()
{
    QFETCH(const QString, url);
    NetworkTransport transport;
    const auto answer = finish(transport, post(QUrl(url)));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.address"));
    QVERIFY(answer.error().message.contains("https://"));
}

void TestLlmOrigin::keyWithALineEnd()
{
    RawServer server;
    server.answerWith({sends(httpAnswer("200 OK", "text/plain", "x"))});
    NetworkTransport transport;
    HttpRequest request = post(server.url());
    request.secretHeader.second = "Bearer sk-from-a-file\n";
    QVERIFY(finish(transport, request));
    QCOMPARE(server.header(0, "Authorization"), QByteArray("Bearer sk-from-a-file"));
    request.secretHeader.second = "Bearer sk-two\r\nX-Other: lines";
    const auto answer = finish(transport, request);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.header"));
    QVERIFY(!answer.error().message.contains("sk-two"));
    QCOMPARE(server.requests().size(), 1);
}

void TestLlmOrigin::certificateUnknown()
{
    QTemporaryDir folder;
    if (!makeCertificate(folder, "server", "IP:127.0.0.1")) QSKIP("openssl is not installed");
    RawServer server(serverTls(folder, "server"));
    NetworkTransport transport;
    const auto answer = finish(transport, post(server.url()));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.tls"));
    QCOMPARE(
        answer.error().message,
        QString("https://127.0.0.1:%1 shows a certificate whose issuer (server) this machine does not know. If the "
                "server is yours, give the file of its certificate authority.")
            .arg(server.url().port()));
    QCOMPARE(server.requests().size(), 0);
}

void TestLlmOrigin::certificateOfOurOwn()
{
    QTemporaryDir folder;
    if (!makeCertificate(folder, "server", "IP:127.0.0.1")) QSKIP("openssl is not installed");
    RawServer server(serverTls(folder, "server"));
    server.answerWith(inPieces({noLength, "data: one\n\n"}) << closes());
    NetworkOptions options;
    options.caFile = folder.filePath("server.pem");
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(server.url()));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->body, QByteArray("data: one\n\n"));
    QCOMPARE(server.header(0, "Authorization"), QByteArray("Bearer sk-secret-for-tests"));
}

void TestLlmOrigin::certificateForAnotherHost()
{
    QTemporaryDir folder;
    if (!makeCertificate(folder, "server", "DNS:models.example")) QSKIP("openssl is not installed");
    RawServer server(serverTls(folder, "server"));
    NetworkOptions options;
    options.caFile = folder.filePath("server.pem");
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(server.url()));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.tls"));
    QVERIFY2(answer.error().message.contains("is for models.example:"), qPrintable(answer.error().message));
    QCOMPARE(server.requests().size(), 0);
}

void TestLlmOrigin::certificateExpired()
{
    QTemporaryDir folder;
    if (!makeCertificate(folder, "server", "IP:127.0.0.1",
                         {"-not_before", "20200101000000Z", "-not_after", "20200201000000Z"}))
        QSKIP("openssl is not installed, or does not make certificates of the past");
    RawServer server(serverTls(folder, "server"));
    NetworkOptions options;
    options.caFile = folder.filePath("server.pem");
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(server.url()));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.tls"));
    QVERIFY2(answer.error().message.contains("valid until 2020-02-01T00:00:00Z"), qPrintable(answer.error().message));
    QCOMPARE(server.requests().size(), 0);
}

void TestLlmOrigin::caFileIsBad_data()
{
    QTest::addColumn<bool>("exists");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << false << "cannot be read";
    QTest::newRow("no certificate") << true << "there is no certificate in this file";
}

void TestLlmOrigin::caFileIsBad()
{
    QFETCH(const bool, exists);
    QFETCH(const QString, says);
    QTemporaryDir folder;
    NetworkOptions options;
    options.caFile = folder.filePath("ca.pem");
    if (exists) {
        QFile file(options.caFile);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not PEM\n") > 0);
    }
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(QUrl("https://127.0.0.1:1/")));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.tls"));
    QVERIFY2(answer.error().message.startsWith(options.caFile) && answer.error().message.contains(says),
             qPrintable(answer.error().message));
}

void TestLlmOrigin::noTlsSpoken()
{
    RawServer server;
    QUrl url = server.url();
    url.setScheme("https");
    NetworkTransport transport;
    // A server that waits for a request in plain words never answers the greeting: that is still connecting.
    const auto answer = finish(transport, post(url), {300, 20'000, 20'000});
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.connection"));
    QVERIFY2(answer.error().message.endsWith("has not taken the request within 300 ms."),
             qPrintable(answer.error().message));
}

void TestLlmOrigin::proxies_data()
{
    QTest::addColumn<QStringList>("environment");
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("proxy");
    const QStringList both{"http_proxy=http://p:3128", "https_proxy=http://s:3129"};
    QTest::newRow("none") << QStringList() << "https://api.invalid" << "";
    QTest::newRow("http") << both << "http://api.invalid" << "http://p:3128";
    QTest::newRow("https") << both << "https://api.invalid" << "http://s:3129";
    QTest::newRow("upper case") << QStringList{"HTTPS_PROXY=http://s:3129"} << "https://api.invalid" << "http://s:3129";
    QTest::newRow("a script's header") << QStringList{"HTTP_PROXY=http://p:3128"} << "http://api.invalid" << "";
    QTest::newRow("for all") << QStringList{"all_proxy=socks5://p:1080"} << "https://api.invalid" << "socks5://p:1080";
    QTest::newRow("without a scheme") << QStringList{"https_proxy=s:3129"} << "https://api.invalid" << "http://s:3129";
    QTest::newRow("this machine") << both << "http://127.0.0.1:11434" << "";
    QTest::newRow("localhost") << both << "https://localhost" << "";
    QTest::newRow("exempt") << both + QStringList{"no_proxy=x.invalid, api.invalid"} << "https://api.invalid" << "";
    QTest::newRow("exempt domain") << both + QStringList{"NO_PROXY=.invalid"} << "https://api.invalid" << "";
    QTest::newRow("exempt part of a name") << both + QStringList{"no_proxy=pi.invalid"} << "https://api.invalid"
                                           << "http://s:3129";
    QTest::newRow("exempt other port") << both + QStringList{"no_proxy=api.invalid:8443"} << "https://api.invalid"
                                       << "http://s:3129";
    QTest::newRow("exempt port") << both + QStringList{"no_proxy=api.invalid:443"} << "https://api.invalid" << "";
    QTest::newRow("exempt network") << both + QStringList{"no_proxy=10.0.0.0/8"} << "https://10.1.2.3" << "";
    QTest::newRow("exempt all") << both + QStringList{"no_proxy=*"} << "https://api.invalid" << "";
}

void TestLlmOrigin::proxies()
{
    QFETCH(const QStringList, environment);
    QFETCH(const QString, url);
    QFETCH(const QString, proxy);
    for (const QString &entry : environment)
        qputenv(entry.section('=', 0, 0).toUtf8().constData(), entry.section('=', 1).toUtf8());
    const QUrl found = environmentProxy(QUrl(url)).address;
    QCOMPARE(found.toString(), proxy);
}

void TestLlmOrigin::goesThroughTheProxy()
{
    RawServer proxy;
    proxy.answerWith({sends(httpAnswer("200 OK", "text/plain", "through"))});
    qputenv("http_proxy", proxy.url().toString().toUtf8());
    qputenv("https_proxy", proxy.url().toString().toUtf8());
    NetworkOptions options;
    options.plainHttpAnywhere = true;
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(QUrl("http://models.invalid/v1/x")));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->body, QByteArray("through"));
    QVERIFY(proxy.requests().first().startsWith("POST http://models.invalid/v1/x HTTP/1.1\r\n"));

    // https is tunnelled: the proxy learns the host and no more.
    proxy.answerWith({sends("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"), pauses(), closes()});
    const auto secure = finish(transport, post(QUrl("https://models.invalid/v1/x")));
    QVERIFY(!secure);
    QVERIFY(proxy.requests().last().startsWith("CONNECT models.invalid:443 HTTP/1.1\r\n"));
    QVERIFY(!proxy.requests().last().contains("sk-secret"));
    QCOMPARE(secure.error().code, QString("http.connection"));
    QVERIFY2(secure.error().message.contains("through the proxy " + proxy.url({}).toString() + " (from https_proxy)"),
             qPrintable(secure.error().message));
}

QTEST_GUILESS_MAIN(TestLlmOrigin)
#include "tst_llm_origin.moc"
