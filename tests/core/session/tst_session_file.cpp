// SPDX-License-Identifier: Apache-2.0
// The session file: append, lock, kill, torn and foreign files, read-only media.
#include "session/session_file.h"

#include <QCryptographicHash>
#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace kernelskill;

class TestSessionFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void appendsInOrder();
    void blobsAreStoredOnce();
    void aBlobWaitsForTheNextAppend();
    void aSecondWriterIsRefused();
    void anotherProcessIsRefused();
    void readOnlyOpeningWritesNothing();
    void killedInTheMiddle();
    void hotJournalOnReadOnlyMedium();
    void foreignAndNewerFiles();
    void tornFile();
    void createRefusesAnExistingFile();
    void fullDisk();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

QList<Event> two()
{
    return {{0, "round.start", 0, {{"round", 1}}}, {0, "node.start", 0, {{"node", 1}}}};
}

} // namespace

void TestSessionFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestSessionFile::appendsInOrder()
{
    auto file = SessionFile::create(path("a.session"));
    QVERIFY2(file, qPrintable(file ? QString() : file.error().message));
    auto first = file->append(two());
    QVERIFY(first);
    QCOMPARE(first->at(0).sequence, 1);
    QCOMPARE(first->at(1).sequence, 2);
    QVERIFY(first->at(0).time_ms > 0);
    QCOMPARE(file->append(two())->at(1).sequence, 4);
    const auto events = file->events();
    QVERIFY(events);
    QCOMPARE(events->size(), 4);
    QCOMPARE(events->at(3).kind, QString("node.start"));
    QCOMPARE(events->at(3).data, QJsonObject({{"node", 1}}));
    QCOMPARE(file->events(3)->size(), 1);
    const QString id = file->id();
    QCOMPARE(id.size(), 36);
    *file = std::move(*SessionFile::create(path("b.session")));
    QCOMPARE(SessionFile::open(path("a.session"))->id(), id);
}

void TestSessionFile::blobsAreStoredOnce()
{
    auto file = SessionFile::create(path("a.session"));
    QVERIFY(file);
    const QByteArray content(100'000, 'x');
    const auto digest = file->putBlob(content);
    QVERIFY(digest);
    QCOMPARE(*digest, QString::fromLatin1(QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex()));
    QVERIFY(file->append({}));
    QCOMPARE(*file->putBlob(content), *digest);
    QVERIFY(file->append(two()));
    QCOMPARE(*file->blob(*digest), content);
    const auto empty = file->putBlob({});
    QVERIFY(file->append({}));
    QCOMPARE(*file->blob(*empty), QByteArray());
    QCOMPARE(file->blob("00").error().code, QString("session.damaged"));
    QVERIFY(QFileInfo(path("a.session")).size() < 60'000);
}

void TestSessionFile::aBlobWaitsForTheNextAppend()
{
    QString digest;
    {
        auto file = SessionFile::create(path("a.session"));
        digest = *file->putBlob("text");
        QCOMPARE(*file->blob(digest), QByteArray("text"));
    }
    QVERIFY(!SessionFile::open(path("a.session"))->blob(digest));
}

void TestSessionFile::aSecondWriterIsRefused()
{
    auto first = SessionFile::create(path("a.session"));
    QVERIFY(first->append(two()));
    auto second = SessionFile::open(path("a.session"));
    QVERIFY(second);
    QCOMPARE(second->append(two()).error().code, QString("session.locked"));
    QCOMPARE(second->events()->size(), 2); // reading is no writing
    {
        const SessionFile gone = std::move(*first);
    }
    QVERIFY(second->append(two()));
}

void TestSessionFile::anotherProcessIsRefused()
{
    {
        QVERIFY(SessionFile::create(path("a.session")));
    }
    int ready[2], done[2];
    QVERIFY(pipe(ready) == 0 && pipe(done) == 0);
    const pid_t child = fork();
    if (child == 0) {
        auto file = SessionFile::open(path("a.session"));
        char byte = file && file->append(two()) ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), 1);
    QCOMPARE(byte, 'y');
    auto file = SessionFile::open(path("a.session"));
    QCOMPARE(file->append(two()).error().code, QString("session.locked"));
    QCOMPARE(write(done[1], &byte, 1), 1);
    QCOMPARE(waitpid(child, nullptr, 0), child);
    QVERIFY(file->append(two())); // the lock died with its process
    QCOMPARE(file->events()->size(), 4);
}

void TestSessionFile::readOnlyOpeningWritesNothing()
{
    {
        QVERIFY(SessionFile::create(path("a.session"))->append(two()));
    }
    auto file = SessionFile::open(path("a.session"), true);
    QVERIFY(file->isReadOnly());
    QCOMPARE(file->events()->size(), 2);
    QCOMPARE(file->append(two()).error().code, QString("session.read_only"));
    QCOMPARE(file->putBlob("x").error().code, QString("session.read_only"));
}

void TestSessionFile::killedInTheMiddle()
{
    {
        QVERIFY(SessionFile::create(path("a.session")));
    }
    int ready[2];
    QVERIFY(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        auto file = SessionFile::open(path("a.session"));
        for (int i = 0; i < 100'000; ++i) {
            (void)file->putBlob(QByteArray(20'000, char(i)) + QByteArray::number(i));
            if (!file->append(two())) _exit(1);
            const char byte = 'y';
            if (i < 20) (void)!write(ready[1], &byte, 1);
        }
        _exit(0);
    }
    char byte = 0;
    for (int i = 0; i < 20; ++i)
        QCOMPARE(read(ready[0], &byte, 1), 1);
    QCOMPARE(kill(child, SIGKILL), 0);
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    auto file = SessionFile::open(path("a.session"), true);
    QVERIFY2(file, qPrintable(file ? QString() : file.error().message));
    const auto events = file->events();
    QVERIFY(events);
    QVERIFY(events->size() >= 40);
    QCOMPARE(events->size() % 2, 0); // all of a batch or nothing
    QCOMPARE(events->last().sequence, events->size());
}

void TestSessionFile::hotJournalOnReadOnlyMedium()
{
    {
        QVERIFY(SessionFile::create(path("a.session"))->append(two()));
    }
    QFile journal(path("a.session-journal"));
    QVERIFY(journal.open(QIODevice::WriteOnly));
    journal.write(QByteArray(512, 'x'));
    journal.close();
    if (geteuid() == 0) {
        // Root may write anywhere, so the medium cannot be made read-only here; the journal is no valid one and is
        // ignored.
        QVERIFY(SessionFile::open(path("a.session"), true));
        return;
    }
    QVERIFY(QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::ExeOwner));
    const auto file = SessionFile::open(path("a.session"), true);
    QVERIFY(QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QVERIFY(!file);
    QCOMPARE(file.error().code, QString("session.damaged"));
    QVERIFY(file.error().message.contains("Copy a.session and a.session-journal together"));
}

void TestSessionFile::foreignAndNewerFiles()
{
    QCOMPARE(SessionFile::open(path("none")).error().code, QString("session.missing"));
    QFile text(path("text"));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write(QByteArray("this is no database, whatever its name says").repeated(100));
    text.close();
    QCOMPARE(SessionFile::open(path("text")).error().code, QString("session.not_a_session"));
    {
        QVERIFY(SessionFile::create(path("a.session")));
    }
    // The header of SQLite: user_version at byte 60, application_id at byte 68, big-endian.
    QFile file(path("a.session"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.seek(60);
    file.write(QByteArray("\0\0\0\x63", 4));
    file.close();
    QCOMPARE(SessionFile::open(path("a.session")).error().code, QString("session.newer"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.seek(68);
    file.write(QByteArray("\0\0\0\x01", 4));
    file.close();
    QCOMPARE(SessionFile::open(path("a.session")).error().code, QString("session.not_a_session"));
}

void TestSessionFile::tornFile()
{
    {
        auto file = SessionFile::create(path("a.session"));
        for (int i = 0; i < 200; ++i) {
            QVERIFY(file->append({{0, "person.note", 0, {{"node", i}, {"text", QString(400, QChar(u'x'))}}}}));
        }
    }
    QFile file(path("a.session"));
    const qint64 size = file.size();
    QVERIFY(file.resize(size / 2));
    auto torn = SessionFile::open(path("a.session"), true);
    if (!torn) {
        QCOMPARE(torn.error().code, QString("session.damaged"));
        return;
    }
    const auto events = torn->events();
    QVERIFY(!events);
    QCOMPARE(events.error().code, QString("session.damaged"));
    QVERIFY(events.error().message.contains("events can be read"));
}

// A disk of 96 KiB: the event that no longer fits is refused with its remedy, all before it are there, and once there is
// room the same file goes on.
void TestSessionFile::fullDisk()
{
    const QString disk = path("disk");
    QVERIFY(QDir().mkpath(disk));
    if (QProcess::execute("mount", {"-t", "tmpfs", "-o", "size=96k", "none", disk}) != 0)
        QSKIP("no file system can be mounted here");
    const auto unmount = qScopeGuard([&] { QProcess::execute("umount", {"-l", disk}); });
    const QString session = disk + "/a.session";
    auto file = SessionFile::create(session);
    QVERIFY(file);
    int written = 0;
    Result<QList<Event>> appended = QList<Event>();
    while (written < 1000) {
        appended = file->append({{0, "person.note", 0, {{"node", written}, {"text", QString(2000, QChar(u'x'))}}}});
        if (!appended) break;
        ++written;
    }
    QVERIFY(!appended);
    QCOMPARE(appended.error().code, QString("environment.disk_full"));
    QVERIFY2(appended.error().message.startsWith(session + ": the disk is full; what was written before is kept: make room"),
             qPrintable(appended.error().message));
    QVERIFY(written > 5);
    QCOMPARE(SessionFile::open(session, true)->events()->size(), written);
    QCOMPARE(QProcess::execute("mount", {"-o", "remount,size=400k", disk}), 0);
    QVERIFY(file->append({{0, "person.note", 0, {{"node", -1}, {"text", QString("room")}}}}));
    QCOMPARE(SessionFile::open(session, true)->events()->size(), written + 1);
}

void TestSessionFile::createRefusesAnExistingFile()
{
    {
        QVERIFY(SessionFile::create(path("a.session")));
    }
    QCOMPARE(SessionFile::create(path("a.session")).error().code, QString("session.exists"));
}

QTEST_GUILESS_MAIN(TestSessionFile)
#include "tst_session_file.moc"
