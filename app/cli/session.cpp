// SPDX-License-Identifier: Apache-2.0
// session: list, show, resume, fork, try, again, export.
#include "run_reporter.h"
#include "session_report.h"

#include "base/paths.h"
#include "session/session_file.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>

namespace kernelskill::cli {

namespace {

struct OpenSession
{
    SessionFile file;
    QList<Event> events;
    Trajectory trajectory;
};

Result<OpenSession> open(const QString &path)
{
    auto file = SessionFile::open(path, true);
    if (!file) return std::unexpected(file.error());
    auto events = file->events();
    if (!events) return std::unexpected(events.error());
    Trajectory trajectory = Trajectory::fold(*events);
    return OpenSession{std::move(*file), std::move(*events), std::move(trajectory)};
}

int list(bool json)
{
    const QDir folder(paths::sessionsFolder());
    QJsonArray rows;
    for (const QFileInfo &info : folder.entryInfoList({QStringLiteral("*.kss")}, QDir::Files, QDir::Time)) {
        auto session = open(info.absoluteFilePath());
        QJsonObject row{{QStringLiteral("session"), info.absoluteFilePath()}};
        if (!session) {
            row[QStringLiteral("error")] = session.error().message;
            if (!json) print(QStringLiteral("%1  %2").arg(info.fileName(), session.error().message));
        } else {
            const QJsonObject summary = sessionSummary(session->trajectory);
            for (auto value = summary.begin(); value != summary.end(); ++value) row[value.key()] = value.value();
            if (!json) print(QStringLiteral("%1  %2").arg(info.fileName(), sessionLine(session->trajectory)));
        }
        rows.append(row);
    }
    if (json) printJson({{QStringLiteral("sessions"), rows}});
    else if (rows.isEmpty()) print(QStringLiteral("no sessions in %1").arg(folder.path()));
    return Done;
}

int show(const QString &path, bool json)
{
    auto session = open(path);
    if (!session) return report(session.error(), json);
    if (json) {
        QJsonObject object = sessionSummary(session->trajectory);
        object[QStringLiteral("session")] = path;
        object[QStringLiteral("trajectory")] = nodesJson(session->trajectory);
        printJson(object);
        return Done;
    }
    print(sessionLine(session->trajectory));
    for (const TrajectoryNode &node : session->trajectory.nodes) print(nodeLine(node));
    return Done;
}

// A fork is the session as it was when the node had been evaluated, with that node as the base of the next round.
Result<QString> forkTo(const QString &path, int nodeId, QString target)
{
    auto source = open(path);
    if (!source) return std::unexpected(source.error());
    qsizetype end = -1;
    for (qsizetype i = 0; i < source->events.size(); ++i) {
        const Event &event = source->events.at(i);
        if (event.kind == QLatin1String("node.evaluated") && event.data.value(QStringLiteral("node")).toInt() == nodeId) end = i + 1;
    }
    if (end < 0)
        return failure(QStringLiteral("session.node"), QStringLiteral("%1: node %2 was never evaluated; “kernelskill session show” lists the nodes").arg(path).arg(nodeId));
    if (const TrajectoryNode *node = source->trajectory.node(nodeId); node->state != NodeState::Verified && node->state != NodeState::Unproven)
        return failure(QStringLiteral("session.node"), QStringLiteral("node %1 is %2; fork from a node that passed its checks").arg(nodeId).arg(toString(node->state)));
    if (target.isEmpty()) {
        const QFileInfo info(path);
        for (int i = 1; target.isEmpty() || QFileInfo::exists(target); ++i)
            target = info.dir().filePath(QStringLiteral("%1-fork%2.kss").arg(info.completeBaseName()).arg(i));
    }
    auto file = SessionFile::create(target);
    if (!file) return std::unexpected(file.error());
    QList<Event> events = source->events.mid(0, end);
    for (const Event &event : events)
        for (auto value = event.data.begin(); value != event.data.end(); ++value) {
            if (!value.key().endsWith(QLatin1String("_blob")) || value.value().toString().isEmpty()) continue;
            auto content = source->file.blob(value.value().toString());
            if (!content) return std::unexpected(content.error());
            if (auto put = file->putBlob(*content); !put) return std::unexpected(put.error());
        }
    events.append(Event{0, QStringLiteral("node.promoted"), 0, QJsonObject{{QStringLiteral("node"), nodeId}, {QStringLiteral("base"), true}, {QStringLiteral("best"), false}}});
    if (auto appended = file->append(events); !appended) return std::unexpected(appended.error());
    return target;
}

int fork(const QString &path, const QString &nodeText, const QString &target, bool json)
{
    bool isNumber = false;
    const int node = nodeText.toInt(&isNumber);
    if (!isNumber) return report(Error{QStringLiteral("usage"), QStringLiteral("NODE is a number, not “%1”").arg(nodeText), {}}, json);
    auto forked = forkTo(path, node, target);
    if (!forked) return report(forked.error(), json);
    if (json) printJson({{QStringLiteral("session"), *forked}, {QStringLiteral("base"), node}});
    else print(QStringLiteral("%1\ngo on with: kernelskill session resume %1").arg(*forked));
    return Done;
}

int exportHtml(const QString &path, const QString &out, bool json)
{
    if (out.isEmpty()) return report(Error{QStringLiteral("usage"), QStringLiteral("export takes --html OUT.html"), {}}, json);
    auto session = open(path);
    if (!session) return report(session.error(), json);
    QSaveFile file(out);
    const QByteArray html = sessionHtml(session->file, session->trajectory).toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(html) != html.size() || !file.commit())
        return report(Error{QStringLiteral("export.write"), QStringLiteral("%1: cannot be written: %2").arg(out, file.errorString()), {}}, json);
    if (json) printJson({{QStringLiteral("html"), out}});
    return Done;
}

int resume(const QString &path, const QCommandLineParser &parser, bool json)
{
    std::optional<int> rounds;
    if (parser.isSet(QStringLiteral("rounds"))) {
        bool isNumber = false;
        rounds = parser.value(QStringLiteral("rounds")).toInt(&isNumber);
        if (!isNumber || *rounds < 1)
            return report(Error{QStringLiteral("usage"), QStringLiteral("--rounds is a whole number from 1, not “%1”").arg(parser.value(QStringLiteral("rounds"))), {}}, json);
    }
    return runAndReport([&](Run &run) { return run.resume(path, rounds); }, parser.value(QStringLiteral("memory")), json);
}

// try FILE NODE WHAT: code of one's own (a file) or a skill by name on a node; again FILE NODE: evaluates it once more.
Result<Proposal> proposalFrom(const QString &path, const QString &nodeText, const QString &what)
{
    bool isNumber = false;
    Proposal proposal;
    proposal.node = nodeText.toInt(&isNumber);
    if (!isNumber) return failure(QStringLiteral("usage"), QStringLiteral("NODE is a number, not “%1”").arg(nodeText));
    if (what.isEmpty()) {
        proposal.kind = Proposal::Kind::Evaluation;
        return proposal;
    }
    if (!QFileInfo::exists(what)) {
        proposal.kind = Proposal::Kind::Plan;
        proposal.plan.skill = what;
        proposal.plan.rationale = QStringLiteral("Asked for by the person.");
        return proposal;
    }
    QFile file(what);
    if (!file.open(QIODevice::ReadOnly)) return failure(QStringLiteral("usage"), QStringLiteral("%1: %2").arg(what, file.errorString()));
    auto session = open(path);
    if (!session) return std::unexpected(session.error());
    const TrajectoryNode *node = session->trajectory.node(proposal.node);
    if (!node || node->candidateBlob.isEmpty())
        return failure(QStringLiteral("session.node"), QStringLiteral("%1: there is no node %2 with code; “kernelskill session show” lists the nodes").arg(path).arg(proposal.node));
    auto blob = session->file.blob(node->candidateBlob);
    if (!blob) return std::unexpected(blob.error());
    proposal.candidate = Candidate::fromJson(QJsonDocument::fromJson(*blob).object());
    proposal.candidate.files.first().content = QString::fromUtf8(file.readAll());
    proposal.candidate.agentData = {};
    proposal.summary = QStringLiteral("From %1").arg(QFileInfo(what).fileName());
    return proposal;
}

int work(const QString &path, const QString &nodeText, const QString &what, const QCommandLineParser &parser, bool json)
{
    auto proposal = proposalFrom(path, nodeText, what);
    if (!proposal) return report(proposal.error(), json);
    return runAndReport([&](Run &run) { return run.work(path, {*proposal}); }, parser.value(QStringLiteral("memory")), json, true);
}

} // namespace

int session(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Session files: list, show FILE, resume FILE, fork FILE NODE, try FILE NODE WHAT, again FILE NODE, export FILE --html OUT."));
    parser.addPositionalArgument(QStringLiteral("ACTION"), QStringLiteral("What to do."));
    parser.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("Session file."));
    parser.addPositionalArgument(QStringLiteral("NODE"), QStringLiteral("Node number, for fork, try and again."));
    parser.addPositionalArgument(QStringLiteral("WHAT"), QStringLiteral("For try: a file with code made from the node's, or the name of a skill."));
    parser.addOptions({{QStringLiteral("html"), QStringLiteral("Report to write."), QStringLiteral("OUT")},
                       {QStringLiteral("session"), QStringLiteral("File to fork into (default: beside the original)."), QStringLiteral("FILE")},
                       {QStringLiteral("rounds"), QStringLiteral("Total rounds, for resume."), QStringLiteral("N")},
                       {QStringLiteral("memory"), QStringLiteral("Long-term memory file, or none."), QStringLiteral("FILE|none")},
                       {QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")}});
    if (const auto parsed = parse(parser, QStringLiteral("session"), arguments, 1, 4); parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(QStringLiteral("json"));
    const QStringList positional = parser.positionalArguments();
    static const QMap<QString, int> wanted{{QStringLiteral("list"), 1}, {QStringLiteral("show"), 2}, {QStringLiteral("resume"), 2}, {QStringLiteral("fork"), 3}, {QStringLiteral("try"), 4}, {QStringLiteral("again"), 3}, {QStringLiteral("export"), 2}};
    const QString action = positional.first();
    if (!wanted.contains(action))
        return report(Error{QStringLiteral("usage"), QStringLiteral("session %1: unknown action; there are %2").arg(action, QStringList(wanted.keys()).join(QStringLiteral(", "))), {}}, json);
    if (positional.size() != wanted.value(action))
        return report(Error{QStringLiteral("usage"), QStringLiteral("session %1 takes %2").arg(action, action == QLatin1String("list") ? QStringLiteral("no file")
                                : action == QLatin1String("fork") || action == QLatin1String("again") ? QStringLiteral("a file and a node")
                                : action == QLatin1String("try") ? QStringLiteral("a file, a node, and a file with code or the name of a skill") : QStringLiteral("a file")), {}}, json);
    const QString path = positional.value(1);
    if (action == QLatin1String("list")) return list(json);
    if (action == QLatin1String("show")) return show(path, json);
    if (action == QLatin1String("resume")) return resume(path, parser, json);
    if (action == QLatin1String("fork")) return fork(path, positional.at(2), parser.value(QStringLiteral("session")), json);
    if (action == QLatin1String("try") || action == QLatin1String("again")) return work(path, positional.at(2), positional.value(3), parser, json);
    return exportHtml(path, parser.value(QStringLiteral("html")), json);
}

} // namespace kernelskill::cli
