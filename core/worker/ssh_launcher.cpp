// SPDX-License-Identifier: Apache-2.0
// Workers on another machine. Everything of ours there lies below ~/.cache/kernelskill (or $XDG_CACHE_HOME): workers
// that were built there, and the files of tasks by the digest of their content, so that each travels once.
#include "worker/launcher.h"

#include "base/delete_later.h"
#include "worker/ssh_connection.h"
#include "worker/ssh_failure.h"

#include <QCoroSignal>
#include <QFutureWatcher>
#include <QtConcurrentRun>

#include <QCryptographicHash>
#include <QDateTime>
#include <QDirIterator>
#include <QFileInfo>

#include <algorithm>

namespace kernelskill {

namespace {

constexpr int quick_ms = 60'000;
constexpr int building_ms = 1'800'000;
constexpr int moving_ms = 900'000;
constexpr int heartbeat_ms = 5'000;
constexpr double silence_s = 30; // after which the worker there takes us for gone

// What our scripts say begins like this; a login shell may print what it likes before.
const QLatin1String mark("kernelskill: ");
const QLatin1String cacheThere("d=${XDG_CACHE_HOME:-$HOME/.cache}/kernelskill; ");

QStringList saidBy(const QByteArray &output, const QString &what)
{
    QStringList found;
    const QString start = mark + what + u' ';
    for (const QString &line : QString::fromUtf8(output).split(u'\n')) {
        if (line.startsWith(start)) found.append(line.sliced(start.size()));
    }
    return found;
}

Result<QByteArray> digestOfFile(const QString &path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file))
        return failure(QStringLiteral("worker.staging"),
                       QStringLiteral("%1 cannot be read: %2").arg(path, file.errorString()));
    return hash.result().toHex();
}

// Path → digest. Runs beside the event loop: the files of one task can be a gigabyte.
Result<QHash<QString, QByteArray>> digestsOf(const QStringList &files)
{
    QHash<QString, QByteArray> digests;
    for (const QString &path : files) {
        const auto digest = digestOfFile(path);
        if (!digest) return std::unexpected(digest.error());
        digests.insert(path, *digest);
    }
    return digests;
}

QByteArray digestOfFolder(const QString &folder)
{
    QStringList files;
    QDirIterator it(folder, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        files.append(it.next());
    files.sort();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString &path : std::as_const(files)) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) continue;
        hash.addData(path.mid(folder.size()).toUtf8());
        hash.addData(&file);
    }
    return hash.result().toHex().first(16);
}

// The line of a compiler's log that says what is wrong.
QString tellingLine(const QString &log)
{
    const QStringList lines = log.trimmed().split(u'\n');
    const auto error = std::ranges::find_if(lines, [](const QString &line) { return line.contains(QLatin1String("error:")); });
    return (error == lines.end() ? lines.last() : *error).trimmed();
}

// A path a person wrote, for a script: "~/" is the home there.
QString folderThere(const QString &folder)
{
    return folder.startsWith(QLatin1String("~/")) ? QStringLiteral("\"$HOME\"/") + shellQuoted(folder.mid(2))
                                                  : shellQuoted(folder);
}

class SshLauncher : public Launcher
{
public:
    SshLauncher(HostAddress host, WorkerInstallation installation, bool shareConnection)
        : m_connection(std::move(host), shareConnection), m_installation(std::move(installation))
    {
    }

    [[nodiscard]] QString host() const override { return address().name; }
    QCoro::Task<Result<void>> prepare(std::function<void(const QString &)> say, std::stop_token stop) override;
    QCoro::Task<Result<QHash<QString, QString>>> stage(QStringList files, std::stop_token stop) override;
    QCoro::Task<Result<QString>> makeFolder(QString here, std::stop_token stop) override;
    QCoro::Task<Result<void>> fetchFolder(QString there, QString here, std::stop_token stop) override;
    QCoro::Task<Result<WorkerEnd>> run(WorkerCommand command, std::function<void(const QJsonObject &)> message,
                                       std::stop_token stop) override;

private:
    [[nodiscard]] const HostAddress &address() const { return m_connection.host(); }
    [[nodiscard]] QString programName() const { return QFileInfo(m_installation.program).fileName(); }
    [[nodiscard]] bool isBuiltThere() const { return address().folder.isEmpty(); }
    [[nodiscard]] QString buildFolder();                              // an expression of the shell there
    [[nodiscard]] QString workerScript(const QStringList &arguments); // finds, runs, says how it ended
    QCoro::Task<Result<void>> build(std::stop_token stop);
    QCoro::Task<Result<void>> send(QHash<QString, QByteArray> digests, QStringList lacking, std::stop_token stop);
    [[nodiscard]] Error explained(const Error &error, bool greeted) const;

    SshConnection m_connection;
    WorkerInstallation m_installation;
    QByteArray m_sourcesDigest;
};

QString SshLauncher::buildFolder()
{
    if (m_sourcesDigest.isEmpty()) m_sourcesDigest = digestOfFolder(m_installation.sources);
    return QStringLiteral("\"$d\"/worker-") + QString::fromLatin1(m_sourcesDigest);
}

QCoro::Task<Result<void>> SshLauncher::prepare(std::function<void(const QString &)> say, std::stop_token stop)
{
    const auto open = co_await m_connection.open(stop);
    if (!open || !isBuiltThere()) co_return open;
    const QString script =
        cacheThere +
        QStringLiteral("[ -e %1/built/complete ] && echo '%2built there'; exit 0").arg(buildFolder(), mark);
    const auto end = co_await m_connection.run(script, {}, quick_ms, stop);
    if (!end) co_return std::unexpected(end.error());
    if (!saidBy(end->output, QStringLiteral("built")).isEmpty()) co_return Result<void>{};
    if (say) say(QStringLiteral("building the worker on %1").arg(host()));
    co_return co_await build(stop);
}

QCoro::Task<Result<void>> SshLauncher::build(std::stop_token stop)
{
    if (m_installation.sources.isEmpty() || !QFileInfo(m_installation.sources).isDir())
        co_return failure(
            QStringLiteral("worker.build"),
            QStringLiteral("The worker's sources are not installed here, so it cannot be built on %1. Unpack "
                           "the bundle there and write its folder in the host's description.")
                .arg(host()));
    // Two that want to build wait for each other there; the second finds it built.
    const QString script =
        cacheThere +
        QStringLiteral(
            "f=%1; mkdir -p \"$f\" && exec 9>\"$f.lock\" && flock 9 || exit 1; "
            "if [ -e \"$f/built/complete\" ]; then cat >/dev/null; exit 0; fi; "
            "tar -C \"$f\" -xf - && CPATH=\"$f\"/include sh \"$f\"/%2 \"$f/built\" </dev/null 9>&- && touch \"$f/built/complete\"")
            .arg(buildFolder(), shellQuoted(m_installation.buildScript));
    const QStringList pack{QStringLiteral("tar"), QStringLiteral("-C"), m_installation.sources,
                           QStringLiteral("-cf"), QStringLiteral("-"),  QStringLiteral(".")};
    const auto end = co_await m_connection.feed(pack, script, building_ms, stop);
    if (!end) co_return std::unexpected(end.error());
    if (end->exitCode == 0) co_return Result<void>{};
    const QString log = QString::fromUtf8(end->output) + end->log;
    co_return failure(
        QStringLiteral("worker.build"),
        QStringLiteral("The worker could not be built on %1 (%2). It needs g++ 11 or later and tar there; or "
                       "unpack the bundle there and write its folder in the host's description.")
            .arg(host(), tellingLine(log)),
        log);
}

QCoro::Task<Result<QHash<QString, QString>>> SshLauncher::stage(QStringList files, std::stop_token stop)
{
    QHash<QString, QString> places;
    if (files.isEmpty()) co_return places;
    using Digests = Result<QHash<QString, QByteArray>>;
    const LaterPointer<QFutureWatcher<Digests>> hashing(new QFutureWatcher<Digests>);
    hashing->setFuture(QtConcurrent::run(digestsOf, files));
    if (!hashing->isFinished()) co_await qCoro(hashing.get(), &QFutureWatcherBase::finished);
    const Digests digests = hashing->result();
    if (!digests) co_return std::unexpected(digests.error());
    QByteArray names;
    for (const QByteArray &digest : *digests)
        names += digest + '\n';
    // What nobody asked for in a week goes.
    const QString ask =
        cacheThere +
        QStringLiteral("d=$d/files; mkdir -p \"$d\" && cd \"$d\" || exit 1; echo \"%1folder $(pwd -P)\"; "
                       "while read -r n; do if [ -e \"$n\" ]; then touch -c \"$n\"; else echo \"%1lacks $n\"; fi; "
                       "done; find . -type f -mtime +7 -delete; find . -name 'incoming.*' -mtime +1 -delete; exit 0")
            .arg(mark);
    for (bool sent = false;; sent = true) {
        const auto end = co_await m_connection.run(ask, names, quick_ms, stop);
        if (!end) co_return std::unexpected(end.error());
        const QStringList folder = saidBy(end->output, QStringLiteral("folder"));
        const QStringList lacking = saidBy(end->output, QStringLiteral("lacks"));
        if (folder.isEmpty() || (sent && !lacking.isEmpty()))
            co_return failure(
                QStringLiteral("worker.staging"),
                QStringLiteral("Files could not be stored on %1 (%2). Check that ~/.cache there may be written "
                               "and has room.")
                    .arg(host(), end->log.trimmed().section(u'\n', -1)),
                end->log);
        if (lacking.isEmpty()) {
            for (auto it = digests->cbegin(); it != digests->cend(); ++it)
                places.insert(it.key(), folder.first() + u'/' + QString::fromLatin1(it.value()));
            co_return places;
        }
        const auto done = co_await send(*digests, lacking, stop);
        if (!done) co_return std::unexpected(done.error());
    }
}

QCoro::Task<Result<void>> SshLauncher::send(QHash<QString, QByteArray> digests, QStringList lacking,
                                            std::stop_token stop)
{
    // Links by the names the files get there, which tar follows.
    const QTemporaryDir links;
    for (auto it = digests.cbegin(); it != digests.cend(); ++it) {
        const QString name = QString::fromLatin1(it.value());
        if (lacking.contains(name)) QFile::link(QFileInfo(it.key()).absoluteFilePath(), links.filePath(name));
    }
    // A file is never seen half written under its name.
    const QString script =
        cacheThere + QStringLiteral("cd \"$d\"/files && t=$(mktemp -d incoming.XXXXXX) || exit 1; "
                                    "tar -C \"$t\" -xf - && mv \"$t\"/* . ; s=$?; rm -rf \"$t\"; exit $s");
    const QStringList pack{QStringLiteral("tar"),  QStringLiteral("-C"), links.path(),
                           QStringLiteral("-chf"), QStringLiteral("-"),  QStringLiteral(".")};
    const auto end = co_await m_connection.feed(pack, script, moving_ms, stop);
    if (!end) co_return std::unexpected(end.error());
    co_return Result<void>{}; // what did not arrive is asked for again
}

QCoro::Task<Result<QString>> SshLauncher::makeFolder(QString, std::stop_token stop)
{
    const QString script = cacheThere + QStringLiteral("mkdir -p \"$d\"/outputs && cd \"$d\"/outputs && "
                                                       "t=$(mktemp -d run.XXXXXX) && echo \"%1folder $(pwd -P)/$t\"")
                                            .arg(mark);
    const auto end = co_await m_connection.run(script, {}, quick_ms, stop);
    if (!end) co_return std::unexpected(end.error());
    const QStringList folder = saidBy(end->output, QStringLiteral("folder"));
    if (folder.isEmpty())
        co_return failure(
            QStringLiteral("worker.staging"),
            QStringLiteral("No folder could be made on %1 (%2). Check that ~/.cache there may be written.")
                .arg(host(), end->log.trimmed().section(u'\n', -1)),
            end->log);
    co_return folder.first();
}

QCoro::Task<Result<void>> SshLauncher::fetchFolder(QString there, QString here, std::stop_token stop)
{
    const QString script = QStringLiteral("cd %1 && tar -cf - . && rm -rf %1").arg(shellQuoted(there));
    const QStringList unpack{QStringLiteral("tar"), QStringLiteral("-C"), here, QStringLiteral("--no-same-owner"),
                             QStringLiteral("-xf"), QStringLiteral("-")};
    const auto end = co_await m_connection.drain(script, unpack, moving_ms, stop);
    if (!end) co_return std::unexpected(end.error());
    if (end->exitCode == 0) co_return Result<void>{};
    co_return failure(
        QStringLiteral("worker.staging"),
        QStringLiteral("Outputs could not be fetched from %1 (%2). If its login shell prints text without a "
                       "terminal, silence it.")
            .arg(host(), end->log.trimmed().section(u'\n', -1)),
        end->log);
}

QString SshLauncher::workerScript(const QStringList &arguments)
{
    QStringList places;
    if (isBuiltThere()) {
        places.append(buildFolder() + QStringLiteral("/built/") + shellQuoted(programName()));
    } else {
        for (const QString &path : std::as_const(m_installation.bundlePaths))
            places.append(folderThere(address().folder) + u'/' + shellQuoted(path));
    }
    // Not exec: how the worker ended tells its death from the connection's.
    return cacheThere +
           QStringLiteral("for w in %1; do if [ -x \"$w\" ]; then \"$w\" %3; s=$?; echo \"%2ended with $s\" >&2; "
                          "exit $s; fi; done; echo '%2no worker' >&2; exit 127")
               .arg(places.join(u' '), mark, shellQuoted(arguments));
}

Error SshLauncher::explained(const Error &error, bool greeted) const
{
    const QString &log = error.detail;
    if (error.code == QLatin1String("worker.start"))
        return {QStringLiteral("worker.refused"),
                QStringLiteral("Other machines are reached through OpenSSH, and the program ssh is not installed here. "
                               "Install the package openssh-client."),
                error.message};
    if (error.code != QLatin1String("worker.died")) return error;
    if (log.contains(mark + QLatin1String("no worker")))
        return {QStringLiteral("worker.missing"),
                QStringLiteral(
                    "%1 has no %2 in %3. Unpack the bundle there, correct the folder in the host's description, or "
                    "leave the folder out: then the worker is built there.")
                    .arg(host(), programName(), isBuiltThere() ? QStringLiteral("~/.cache") : address().folder),
                log};
    if (!log.contains(mark + QLatin1String("ended with"))) return explainSshFailure(address(), log);
    if (greeted) return error;
    return {
        QStringLiteral("worker.start"),
        QStringLiteral("%1 does not start on %2 (%3). If it was made for another system, leave the folder out of the "
                       "host's description: then it is built there.")
            .arg(programName(), host(), log.trimmed().section(u'\n', 0, 0).trimmed()),
        log};
}

QCoro::Task<Result<WorkerEnd>> SshLauncher::run(WorkerCommand command, std::function<void(const QJsonObject &)> message,
                                                std::stop_token stop)
{
    bool greeted = false;
    command.program = QStringLiteral("ssh");
    command.arguments = m_connection.arguments(workerScript(command.arguments));
    command.holdInput = true;
    command.heartbeat_ms = heartbeat_ms;
    command.request.insert(QStringLiteral("silence_s"), silence_s);
    command.mayPrintFirst = true;
    command.title = QStringLiteral("%1 on %2").arg(programName(), host());
    command.greeted = [&greeted, then = command.greeted](const QJsonObject &hello) {
        greeted = true;
        if (then) then(hello);
    };
    const auto end = co_await runWorker(std::move(command), std::move(message), stop);
    if (!end) co_return std::unexpected(explained(end.error(), greeted));
    co_return *end;
}

} // namespace

std::unique_ptr<Launcher> makeSshLauncher(HostAddress host, WorkerInstallation installation, bool shareConnection)
{
    return std::make_unique<SshLauncher>(std::move(host), std::move(installation), shareConnection);
}

} // namespace kernelskill
