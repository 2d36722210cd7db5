// SPDX-License-Identifier: Apache-2.0
// session: list, show, resume, fork, try, again, export.
#include "run_reporter.h"
#include "session_report.h"

#include "base/paths.h"
#include "session/fork.h"
#include "session/session_file.h"
#include "session/transcript.h"

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
    for (const QString &line : usageLines(session->trajectory)) print(line);
    return Done;
}

void printParts(const QString &head, const QList<TranscriptPart> &parts)
{
    for (const TranscriptPart &part : parts) {
        print(QStringLiteral("  %1: %2").arg(head, part.title));
        for (const QString &line : part.text.split(QLatin1Char('\n')))
            print(QStringLiteral("      ") + line);
    }
}

// show FILE --node N --transcript: what each role was asked for that node, and what it answered.
int transcript(const QString &path, const QString &nodeText, bool json)
{
    bool isNumber = false;
    const int node = nodeText.toInt(&isNumber);
    if (!isNumber)
        return report(Error{QStringLiteral("usage"), QStringLiteral("--transcript takes --node N, a number, not “%1”").arg(nodeText), {}}, json);
    auto session = open(path);
    if (!session) return report(session.error(), json);
    if (!session->trajectory.node(node))
        return report(Error{QStringLiteral("session.node"), QStringLiteral("%1: there is no node %2; “kernelskill session show” lists the nodes").arg(path).arg(node), {}}, json);
    const BlobReader blob = [&session](const QString &digest) { return session->file.blob(digest).value_or(QByteArray()); };
    const QList<TranscriptEntry> entries = transcriptOf(session->events, session->trajectory, node, blob);
    if (json) {
        printJson({{QStringLiteral("session"), path}, {QStringLiteral("node"), node}, {QStringLiteral("transcript"), toJson(entries)}});
        return Done;
    }
    for (const TranscriptEntry &entry : entries) {
        QString line = QStringLiteral("%1 by %2%3").arg(entry.role, entry.agent, entry.recorded ? QStringLiteral(", recorded") : QString());
        if (entry.wall_ms >= 0) line += QStringLiteral(", %1 ms").arg(entry.wall_ms, 0, 'f', 1);
        if (entry.calls > 0)
            line += QStringLiteral(", %1 calls, %2 tokens in, %3 out, $%4").arg(entry.calls).arg(entry.tokensIn).arg(entry.tokensOut).arg(entry.cost_usd, 0, 'f', 4);
        print(line + (entry.outcome.isEmpty() ? QString() : QStringLiteral(": ") + entry.outcome));
        printParts(QStringLiteral("asked"), entry.asked);
        for (const TranscriptMessage &message : entry.messages)
            printParts(QStringLiteral("message"), {{message.from, message.note.isEmpty() ? message.text : message.text + QStringLiteral("\n— ") + message.note, false}});
        printParts(QStringLiteral("answered"), entry.answered);
    }
    return Done;
}

int fork(const QString &path, const QString &nodeText, const QString &target, bool json)
{
    bool isNumber = false;
    const int node = nodeText.toInt(&isNumber);
    if (!isNumber) return report(Error{QStringLiteral("usage"), QStringLiteral("NODE is a number, not “%1”").arg(nodeText), {}}, json);
    auto forked = forkSession(path, node, target);
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
    auto budget = budgetFrom(parser.value(QStringLiteral("budget")));
    if (!budget) return report(budget.error(), json);
    auto options = agentOptionsFrom(parser.values(QStringLiteral("agent-option")), {});
    if (!options) return report(options.error(), json);
    return runAndReport([&](Run &run) { return run.resume(path, rounds, {*budget, *options}); }, parser.value(QStringLiteral("memory")), json);
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
    proposal.candidate = Candidate::fromJson(QJsonDocument::fromJson(*blob).object()).withMainText(QString::fromUtf8(file.readAll()));
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
    parser.setApplicationDescription(QStringLiteral("Session files: list, show FILE [--node N --transcript], resume FILE, fork FILE NODE, try FILE NODE WHAT, again FILE NODE, export FILE --html OUT."));
    parser.addPositionalArgument(QStringLiteral("ACTION"), QStringLiteral("What to do."));
    parser.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("Session file."));
    parser.addPositionalArgument(QStringLiteral("NODE"), QStringLiteral("Node number, for fork, try and again."));
    parser.addPositionalArgument(QStringLiteral("WHAT"), QStringLiteral("For try: a file with code made from the node's, or the name of a skill."));
    parser.addOptions({{QStringLiteral("html"), QStringLiteral("Report to write."), QStringLiteral("OUT")},
                       {QStringLiteral("session"), QStringLiteral("File to fork into (default: beside the original)."), QStringLiteral("FILE")},
                       {QStringLiteral("node"), QStringLiteral("Node, for show --transcript."), QStringLiteral("N")},
                       {QStringLiteral("transcript"), QStringLiteral("For show: what each role was asked for the node, and what it answered.")},
                       {QStringLiteral("rounds"), QStringLiteral("Total rounds, for resume."), QStringLiteral("N")},
                       {QStringLiteral("budget"), QStringLiteral("A larger budget, for resume: ") + QLatin1String(budgetHelp), QStringLiteral("…")},
                       {QStringLiteral("agent-option"), QStringLiteral("For resume: ") + QLatin1String(agentOptionHelp), QStringLiteral("AGENT.NAME=VALUE")},
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
    if (action == QLatin1String("show") && (parser.isSet(QStringLiteral("transcript")) || parser.isSet(QStringLiteral("node"))))
        return transcript(path, parser.value(QStringLiteral("node")), json);
    if (action == QLatin1String("show")) return show(path, json);
    if (action == QLatin1String("resume")) return resume(path, parser, json);
    if (action == QLatin1String("fork")) return fork(path, positional.at(2), parser.value(QStringLiteral("session")), json);
    if (action == QLatin1String("try") || action == QLatin1String("again")) return work(path, positional.at(2), positional.value(3), parser, json);
    return exportHtml(path, parser.value(QStringLiteral("html")), json);
}

} // namespace kernelskill::cli
