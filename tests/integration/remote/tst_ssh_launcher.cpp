// SPDX-License-Identifier: Apache-2.0
// Workers on another machine: a real ssh server on the loopback interface stands for it.
#include "plugin/cuda_evaluator.h"
#include "plugin/device_directory.h"
#include "program.h"
#include "result_text.h"
#include "small_task.h"
#include "ssh_server.h"
#include "worker/launcher.h"
#include "worker_script.h"

#include <QCoroTest>

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTest>
#include <QTimer>

#include <csignal>
#include <sys/stat.h>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

void write(const QString &path, const QByteArray &text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(path));
}

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

ino_t inode(const QString &path)
{
    struct stat facts{};
    return stat(qPrintable(path), &facts) == 0 ? facts.st_ino : 0;
}

bool allGone(const QList<qint64> &processes)
{
    return std::ranges::none_of(processes, isRunning);
}

} // namespace

class TestSshLauncher : public QObject
{
    Q_OBJECT

private:
    [[nodiscard]] WorkerInstallation installation() const
    {
        WorkerInstallation worker;
        worker.program = m_worker.program();
        worker.bundlePaths = {QStringLiteral("bin/kernelskill-cuda-worker"),
                              QStringLiteral("plugins/cuda/kernelskill-cuda-worker")};
        return worker;
    }
    [[nodiscard]] HostAddress host(const QString &folder, const QString &config = QStringLiteral("config")) const
    {
        return *HostAddress::parse(m_server.address(folder, config));
    }
    [[nodiscard]] std::unique_ptr<Launcher> launcher() const
    {
        return makeSshLauncher(host(m_worker.folder()), installation());
    }
    static Result<WorkerEnd> run(Launcher &launcher, const QJsonObject &request = {{QStringLiteral("number"), 17}})
    {
        WorkerCommand command;
        command.request = request;
        command.wallClock_ms = 20'000;
        return QCoro::waitFor(launcher.run(command, {}, {}));
    }
    // Kills every client of the server as soon as the worker hangs there.
    void cutConnectionOnceHanging()
    {
        auto *timer = new QTimer(this);
        connect(timer, &QTimer::timeout, this, [this, timer] {
            if (m_worker.hanging().size() < 2) return;
            m_cut = m_worker.hanging();
            for (const qint64 client : m_server.clients())
                ::kill(pid_t(client), SIGKILL);
            timer->deleteLater();
        });
        timer->start(20);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!m_server.isInstalled()) QSKIP(qPrintable(m_server.trouble()));
        QVERIFY2(m_server.trouble().isEmpty(), qPrintable(m_server.trouble()));
        qputenv("XDG_CACHE_HOME", m_home.filePath(QStringLiteral("cache")).toLocal8Bit());
        qputenv("XDG_CONFIG_HOME", m_home.filePath(QStringLiteral("config")).toLocal8Bit());
    }

    void init()
    {
        m_worker.play({});
        m_cut.clear();
    }

    void workerAnswersFromThere()
    {
        {
            const auto there = launcher();
            QCOMPARE(there->host(), QStringLiteral("test"));
            QVERIFY(QCoro::waitFor(there->prepare({}, {})));
            const auto end = run(*there);
            QVERIFY2(end, errorIn(end).constData());
            QCOMPARE(m_worker.requests().size(), 1);
            QCOMPARE(m_worker.requests().first().value(u"number").toInt(), 17);
            QCOMPARE(m_server.clients().size(), 1); // the shared connection
        }
        QTRY_VERIFY(m_server.clients().isEmpty());
    }

    void loginMayPrint()
    {
        HostAddress address = host(m_worker.folder(), QStringLiteral("config"));
        address.identity = m_server.path(QStringLiteral("noisy"));
        write(m_server.path(QStringLiteral("noisy-config")),
              read(m_server.path(QStringLiteral("config"))).replace("/key\n", "/noisy\n"));
        address.configuration = m_server.path(QStringLiteral("noisy-config"));
        const auto there = makeSshLauncher(address, installation());
        const auto end = run(*there);
        QVERIFY2(end, errorIn(end).constData());
        QVERIFY(end->log.contains(QStringLiteral("Welcome to this machine")));
    }

    void filesTravelOnce()
    {
        const QTemporaryDir here;
        const QString a = here.filePath(QStringLiteral("a")), b = here.filePath(QStringLiteral("b of the same")),
                      c = here.filePath(QStringLiteral("c"));
        write(a, QByteArray(100'000, 'x'));
        write(b, QByteArray(100'000, 'x'));
        write(c, QByteArray("other\0bytes\n", 12));
        const auto there = launcher();
        QVERIFY(QCoro::waitFor(there->prepare({}, {})));
        const auto first = QCoro::waitFor(there->stage({a, b, c}, {}));
        QVERIFY2(first, errorIn(first).constData());
        QCOMPARE(first->value(a), first->value(b));
        QVERIFY(first->value(a).startsWith(m_server.cache()));
        QCOMPARE(read(first->value(a)), read(a));
        QCOMPARE(read(first->value(c)), read(c));
        QCOMPARE(QFileInfo(first->value(a)).dir().entryList(QDir::AllEntries | QDir::NoDotAndDotDot).size(), 2);
        const ino_t kept = inode(first->value(a));
        write(c, "changed");
        const auto second = QCoro::waitFor(there->stage({a, c}, {}));
        QVERIFY(second);
        QCOMPARE(inode(second->value(a)), kept); // was there
        QCOMPARE(read(second->value(c)), QByteArray("changed"));
    }

    void missingFileIsNamed()
    {
        const auto there = launcher();
        const auto staged = QCoro::waitFor(there->stage({QStringLiteral("/no/such/file")}, {}));
        QVERIFY(!staged);
        QCOMPARE(staged.error().code, QStringLiteral("worker.staging"));
        QVERIFY(staged.error().message.startsWith(QStringLiteral("/no/such/file cannot be read")));
    }

    void outputsComeBack()
    {
        const QTemporaryDir here;
        const auto there = launcher();
        const auto folder = QCoro::waitFor(there->makeFolder(here.path(), {}));
        QVERIFY2(folder, errorIn(folder).constData());
        QVERIFY(*folder != here.path());
        write(*folder + QStringLiteral("/0-y"), QByteArray("\0\1\2", 3));
        const auto done = QCoro::waitFor(there->fetchFolder(*folder, here.path(), {}));
        QVERIFY2(done, errorIn(done).constData());
        QCOMPARE(read(here.filePath(QStringLiteral("0-y"))), QByteArray("\0\1\2", 3));
        QVERIFY(!QFileInfo::exists(*folder));
    }

    void workerIsBuiltThereOnce()
    {
        const QTemporaryDir sources;
        QFile::copy(m_worker.program(), sources.filePath(QStringLiteral("worker-binary")));
        write(sources.filePath(QStringLiteral("build.sh")),
              "echo building >> \"$XDG_CACHE_HOME/builds\"\nmkdir -p \"$1\"\n"
              "cp \"$(dirname \"$0\")/worker-binary\" \"$1/kernelskill-cuda-worker\"\n");
        WorkerInstallation worker = installation();
        worker.sources = sources.path();
        worker.buildScript = QStringLiteral("build.sh");
        QStringList said;
        for (int time = 0; time < 2; ++time) {
            const auto there = makeSshLauncher(host({}), worker);
            const auto ready = QCoro::waitFor(there->prepare([&](const QString &what) { said.append(what); }, {}));
            QVERIFY2(ready, errorIn(ready).constData());
            const auto end = run(*there);
            QVERIFY2(end, errorIn(end).constData());
        }
        QCOMPARE(read(m_server.cache() + QStringLiteral("/builds")), QByteArray("building\n"));
        QCOMPARE(said, QStringList{QStringLiteral("building the worker on test")});
    }

    void buildThatFailsShowsItsLog()
    {
        const QTemporaryDir sources;
        write(sources.filePath(QStringLiteral("build.sh")), "echo 'g++: command not found' >&2\nexit 1\n");
        WorkerInstallation worker = installation();
        worker.sources = sources.path();
        worker.buildScript = QStringLiteral("build.sh");
        const auto there = makeSshLauncher(host({}), worker);
        const auto ready = QCoro::waitFor(there->prepare({}, {}));
        QVERIFY(!ready);
        QCOMPARE(ready.error().code, QStringLiteral("worker.build"));
        QVERIFY2(ready.error().message.startsWith(
                     QStringLiteral("The worker could not be built on test (g++: command not found).")),
                 qPrintable(ready.error().message));
    }

    void lostConnectionLeavesNothing()
    {
        m_worker.play({{QStringLiteral("then"), QJsonArray{QStringLiteral("hang")}}});
        const auto there = launcher();
        QVERIFY(QCoro::waitFor(there->prepare({}, {})));
        cutConnectionOnceHanging();
        const auto end = run(*there);
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.connection"));
        QVERIFY2(end.error().message.startsWith(QStringLiteral("The connection to test was lost")),
                 qPrintable(end.error().message));
        QCOMPARE(m_cut.size(), 2);
        QTRY_VERIFY(allGone(m_cut));
        QVERIFY(m_server.clients().isEmpty());
    }

    void stopLeavesNothing()
    {
        m_worker.play({{QStringLiteral("then"), QJsonArray{QStringLiteral("hang")}}});
        const auto there = launcher();
        std::stop_source source;
        WorkerCommand command;
        const auto message = [&](const QJsonObject &) { source.request_stop(); };
        const auto end = QCoro::waitFor(there->run(command, message, source.get_token()));
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.stopped"));
        QCOMPARE(m_worker.hanging().size(), 2);
        QTRY_VERIFY(allGone(m_worker.hanging()));
    }

    void faults_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("part");
        const QString folder = m_worker.folder();
        const auto row = [](const char *name, const QString &address, const char *code, const char *part) {
            QTest::newRow(name) << address << QString::fromLatin1(code) << QString::fromLatin1(part);
        };
        row("unknown host key", m_server.address(folder, QStringLiteral("suspicious")), "worker.refused",
            "The host key of test is not known here. Connect once by hand, compare the key and accept it: ssh -F ");
        row("refused key", m_server.address(folder, QStringLiteral("stranger-config")), "worker.refused",
            "test accepts no key of ours and wants a password");
        row("nobody listens",
            QStringLiteral("test=127.0.0.1:%1 port=1 config=%2").arg(folder, m_server.path(QStringLiteral("config"))),
            "worker.unreachable", "test refuses connections: no ssh server listens there.");
        row("no such folder", m_server.address(QStringLiteral("/no/such/bundle")), "worker.missing",
            "test has no kernelskill-cuda-worker in /no/such/bundle.");
    }

    void faults()
    {
        QFETCH(QString, address);
        QFETCH(QString, code);
        QFETCH(QString, part);
        write(m_server.path(QStringLiteral("stranger-config")),
              read(m_server.path(QStringLiteral("config"))).replace("/key\n", "/stranger\n"));
        const auto there = makeSshLauncher(*HostAddress::parse(address), installation());
        auto ready = QCoro::waitFor(there->prepare({}, {}));
        if (ready) {
            const auto end = run(*there);
            QVERIFY(!end);
            ready = std::unexpected(end.error());
        }
        QCOMPARE(ready.error().code, code);
        QVERIFY2(ready.error().message.startsWith(part), qPrintable(ready.error().message));
    }

    void otherVersionIsNamed()
    {
        m_worker.play({{QStringLiteral("hello"), QJsonObject{{QStringLiteral("hello"), QStringLiteral("scripted")},
                                                             {QStringLiteral("protocol"), 999}}}});
        const auto there = launcher();
        const auto end = run(*there);
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.protocol"));
        QVERIFY2(end.error().message.startsWith(QStringLiteral(
                     "kernelskill-cuda-worker on test broke the protocol: expected a hello with protocol 1")),
                 qPrintable(end.error().message));
    }

    void deathOfTheWorkerIsNotTheConnections()
    {
        m_worker.play({{QStringLiteral("then"), QJsonArray{QStringLiteral("die")}}});
        const auto there = launcher();
        const auto end = run(*there);
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.died"));
        QVERIFY(end.error().detail.contains(QStringLiteral("the worker's last words")));
        m_worker.play({{QStringLiteral("then"), QJsonArray{QStringLiteral("early")}}});
        const auto start = run(*there);
        QCOMPARE(start.error().code, QStringLiteral("worker.start"));
        QVERIFY2(start.error().message.startsWith(
                     QStringLiteral("kernelskill-cuda-worker does not start on test (cannot start).")),
                 qPrintable(start.error().message));
    }

    void devicesOfAHostHaveItsName()
    {
        const QJsonObject gpu{{QStringLiteral("index"), 1},
                              {QStringLiteral("name"), QStringLiteral("NVIDIA H200")},
                              {QStringLiteral("architecture"), QStringLiteral("sm_90a")}};
        m_worker.play({{QStringLiteral("devices"), QJsonObject{{QStringLiteral("devices"), QJsonArray{gpu}}}}});
        WorkerInstallation worker = installation();
        worker.program = QStringLiteral("/no/such/worker"); // none on this machine
        const cuda::CudaEvaluator evaluator(
            {{QStringLiteral("hosts"), QJsonArray{m_server.address(m_worker.folder())}}}, worker);
        const QList<DeviceInfo> devices = evaluator.devices();
        QCOMPARE(devices.size(), 2);
        QVERIFY(!devices[0].usable);
        QCOMPARE(devices[1].id, QStringLiteral("test:1"));
        QCOMPARE(devices[1].title, QStringLiteral("NVIDIA H200 (test)"));
        QCOMPARE(devices[1].architecture, QStringLiteral("sm_90"));
        QVERIFY(devices[1].usable);
        cuda::DeviceDirectory::instance().forget();
        // What a host said is known to the next process too, and at once.
        m_worker.play({{QStringLiteral("then"), QJsonArray{QStringLiteral("early")}}});
        QCOMPARE(evaluator.devices().last().id, QStringLiteral("test:1"));
        cuda::DeviceDirectory::instance().forget();
    }

    void evaluationSurvivesALostConnection()
    {
        const Task task = smallTask(m_home.filePath(QStringLiteral("task")));
        const QJsonObject gpu{{QStringLiteral("index"), 0},
                              {QStringLiteral("name"), QStringLiteral("NVIDIA H200")},
                              {QStringLiteral("architecture"), QStringLiteral("sm_90a")}};
        const QJsonObject passed{{QStringLiteral("name"), QStringLiteral("outputs n=4 seed 1")},
                                 {QStringLiteral("outcome"), QStringLiteral("passed")}};
        m_worker.play({{QStringLiteral("devices"), QJsonObject{{QStringLiteral("devices"), QJsonArray{gpu}}}},
                       {QStringLiteral("then"), QJsonArray{QStringLiteral("hang"), QStringLiteral("answer")}},
                       {QStringLiteral("last"), QJsonObject{{QStringLiteral("status"), QStringLiteral("ok")},
                                                            {QStringLiteral("checks"), QJsonArray{passed}}}}});
        cuda::CudaEvaluator evaluator({{QStringLiteral("hosts"), QJsonArray{m_server.address(m_worker.folder())}}},
                                      installation());
        cutConnectionOnceHanging();
        QStringList said;
        EvaluationRequest request{task, task.baseline, QStringLiteral("test:0")};
        request.time = false;
        const auto evaluation =
            QCoro::waitFor(evaluator.evaluate(request, [&](const EvaluationProgress &p) { said.append(p.text); }, {}));
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QVERIFY(evaluation->verdict == Verdict::Verified);
        QCOMPARE(evaluation->manifest.value(u"host").toString(), QStringLiteral("test"));
        QVERIFY(said.contains(QStringLiteral("the connection to test was lost; trying once more")));
        QCOMPARE(m_worker.requests().size(), 2);
        QTRY_VERIFY(allGone(m_cut));
        // The files the request names are where the worker is.
        const QString path = m_worker.requests()
                                 .last()
                                 .value(u"checks")
                                 .toArray()
                                 .first()
                                 .toObject()
                                 .value(u"inputs")
                                 .toArray()
                                 .first()
                                 .toString();
        QVERIFY2(path.startsWith(m_server.cache() + QStringLiteral("/kernelskill/files/")), qPrintable(path));
    }

    void killedProgramLeavesNothing()
    {
        const QString task = m_home.filePath(QStringLiteral("task"));
        const Task written = smallTask(task);
        const QJsonObject gpu{{QStringLiteral("index"), 0}, {QStringLiteral("name"), QStringLiteral("NVIDIA H200")}};
        m_worker.play({{QStringLiteral("devices"), QJsonObject{{QStringLiteral("devices"), QJsonArray{gpu}}}},
                       {QStringLiteral("then"), QJsonArray{QStringLiteral("hang")}}});
        const TestFolders folders;
        QDir().mkpath(folders.path(QStringLiteral("config/kernelskill")));
        write(folders.path(QStringLiteral("config/kernelskill/plugins.ini")),
              "[evaluator-cuda]\nhosts=" + m_server.address(m_worker.folder()).toUtf8() + "\n");
        QProcess program;
        folders.prepare(program, QStringLiteral("kernelskill"),
                        {QStringLiteral("evaluate"), task, task + QStringLiteral("/baseline.cu"),
                         QStringLiteral("--evaluator"), QStringLiteral("cuda"), QStringLiteral("--device"),
                         QStringLiteral("test:0")});
        program.start();
        QTRY_COMPARE_WITH_TIMEOUT(m_worker.hanging().size(), 2, 30'000);
        QCOMPARE(m_server.clients().size(), 2); // the worker's, and the connection it shares
        program.kill();
        QVERIFY(program.waitForFinished());
        QTRY_VERIFY(allGone(m_worker.hanging()));
        QTRY_VERIFY(m_server.clients().isEmpty());
    }

    void cleanupTestCase()
    {
        for (const qint64 client : m_server.clients())
            qDebug() << read(QStringLiteral("/proc/%1/cmdline").arg(client)).replace('\0', ' ');
        QTRY_VERIFY(m_server.clients().isEmpty());
    }

private:
    QTemporaryDir m_home;
    SshServer m_server;
    WorkerScript m_worker;
    QList<qint64> m_cut;
};

QTEST_GUILESS_MAIN(TestSshLauncher)
#include "tst_ssh_launcher.moc"
