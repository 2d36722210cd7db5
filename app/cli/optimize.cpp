// SPDX-License-Identifier: Apache-2.0
// optimize: the loop on one task.
#include "run_reporter.h"

#include "base/paths.h"
#include "engine/replay.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace kernelskill::cli {

namespace {

void addOptions(QCommandLineParser &parser)
{
    parser.setApplicationDescription(QStringLiteral("Runs the loop on a task folder."));
    parser.addPositionalArgument(QStringLiteral("TASK"), QStringLiteral("Folder with task.json."));
    const auto option = [&parser](const char *name, const char *description, const char *value, const char *fallback = "") {
        parser.addOption({QString::fromLatin1(name), QString::fromUtf8(description), QString::fromLatin1(value), QString::fromLatin1(fallback)});
    };
    option("agent", "Agent plugin for every role without a cast of its own.", "P", "expert");
    option("agent-option", agentOptionHelp, "NAME=VALUE");
    option("cast", "Roles to agents: planner=llm,optimizer=expert.", "role=P,…");
    option("evaluator", "Evaluator plugin.", "P", "simulator");
    option("device", "Device, as “doctor” lists them.", "NAME");
    option("mode", "strict, kernelbench or paper.", "M", "strict");
    option("rounds", "Rounds to run.", "N", "8");
    option("seeds", "First candidates: the task's baseline, and what the Generator adds to it.", "N", "1");
    option("seed", "Seed of everything random.", "N", "1");
    option("session", "Session file to write (default: a new one in the user's sessions folder).", "FILE");
    option("budget", budgetHelp, "…");
    option("memory", "Long-term memory file, or none.", "FILE|none");
    option("long-term", "learning, frozen or off.", "MODE", "learning");
    option("short-term", "on or off.", "MODE", "on");
    option("retrieval", "policy, random or all.", "MODE", "policy");
    option("policy", "Your own changes to the policy, for this run.", "FILE");
    option("promotion", "interval or paper.", "RULE", "interval");
    option("plateau", "Stop after N rounds without a new best.", "N", "0");
    option("roofline", "Stop at this fraction of the roofline, 0 to 1.", "F", "0");
    parser.addOption({QStringLiteral("step"), QStringLiteral("Stop at each plan: say what you expect, let it be or choose another.")});
    parser.addOption({QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")});
    parser.addOption({QStringLiteral("unconfined"), QStringLiteral("Run candidates without a sandbox; verdicts are at most unproven.")});
}

// Options → settings. A mistake names the option and what it takes.
class SettingsReader
{
public:
    explicit SettingsReader(const QCommandLineParser &parser) : m_parser(parser) {}

    Result<RunSettings> read()
    {
        RunSettings s;
        s.taskFolder = QFileInfo(m_parser.positionalArguments().first()).absoluteFilePath();
        s.agent = value("agent");
        s.evaluator = value("evaluator");
        s.device = value("device");
        s.mode = oneOf("mode", {"strict", "kernelbench", "paper"});
        s.rounds = int(whole("rounds", 1, 100'000));
        s.seeds = int(whole("seeds", 1, 64));
        s.seed = quint64(whole("seed", 0, std::numeric_limits<qint64>::max()));
        s.plateauRounds = int(whole("plateau", 0, 100'000));
        s.rooflineFraction = fraction("roofline");
        const QString longTerm = oneOf("long-term", {"learning", "frozen", "off"});
        s.longTerm = longTerm == QLatin1String("off") ? LongTerm::Off : longTerm == QLatin1String("frozen") ? LongTerm::Frozen : LongTerm::Learning;
        s.shortTerm = oneOf("short-term", {"on", "off"}) == QLatin1String("on");
        s.retrieval = oneOf("retrieval", {"policy", "random", "all"});
        if (!value("policy").isEmpty()) s.policy = QFileInfo(value("policy")).absoluteFilePath();
        s.promotion = oneOf("promotion", {"interval", "paper"}) == QLatin1String("paper") ? Promotion::Paper : Promotion::Interval;
        s.unconfined = m_parser.isSet(QStringLiteral("unconfined"));
        s.stepMode = m_parser.isSet(QStringLiteral("step"));
        readCast(s);
        readBudget(s);
        readAgentOptions(s);
        if (!m_mistake.isEmpty()) return failure(QStringLiteral("usage"), m_mistake);
        return s.agentFor(Role::Planner) == QLatin1String(replayAgent) ? completedFromRecording(s) : Result<RunSettings>(s);
    }

private:
    QString value(const char *name) const { return m_parser.value(QString::fromLatin1(name)); }

    void mistake(const QString &text)
    {
        if (m_mistake.isEmpty()) m_mistake = text;
    }

    QString oneOf(const char *name, std::initializer_list<const char *> allowed)
    {
        QStringList names;
        for (const char *a : allowed) names << QString::fromLatin1(a);
        if (!names.contains(value(name)))
            mistake(QStringLiteral("--%1 is one of %2, not “%3”").arg(QString::fromLatin1(name), names.join(QStringLiteral(", ")), value(name)));
        return value(name);
    }

    qint64 whole(const char *name, qint64 low, qint64 high)
    {
        bool isNumber = false;
        const qint64 number = value(name).toLongLong(&isNumber);
        if (!isNumber || number < low || number > high)
            mistake(QStringLiteral("--%1 is a whole number from %2 to %3, not “%4”").arg(QString::fromLatin1(name)).arg(low).arg(high).arg(value(name)));
        return number;
    }

    double fraction(const char *name)
    {
        bool isNumber = false;
        const double number = value(name).toDouble(&isNumber);
        if (!isNumber || !(number >= 0 && number <= 1))
            mistake(QStringLiteral("--%1 is a number from 0 to 1, not “%2”").arg(QString::fromLatin1(name), value(name)));
        return number;
    }

    void readCast(RunSettings &s)
    {
        for (const QString &pair : value("cast").split(QLatin1Char(','), Qt::SkipEmptyParts)) {
            const auto role = roleFromString(pair.section(QLatin1Char('='), 0, 0).trimmed());
            const QString agent = pair.section(QLatin1Char('='), 1).trimmed();
            if (!role || agent.isEmpty()) {
                QStringList roles;
                for (Role r : allRoles()) roles << toString(r);
                return mistake(QStringLiteral("--cast takes role=agent pairs with the roles %1, not “%2”").arg(roles.join(QStringLiteral(", ")), pair));
            }
            s.cast[*role] = agent;
        }
    }

    void readBudget(RunSettings &s)
    {
        auto budget = budgetFrom(value("budget"));
        if (!budget) return mistake(budget.error().message);
        s.budget = *budget;
    }

    void readAgentOptions(RunSettings &s)
    {
        auto read = agentOptionsFrom(m_parser.values(QStringLiteral("agent-option")), s.agent);
        if (!read) return mistake(read.error().message);
        s.agentSettings = *read;
    }

    // What a replay was not told on the command line is as it was recorded.
    Result<RunSettings> completedFromRecording(RunSettings s) const
    {
        const QJsonObject own = s.agentSettings.value(QString::fromLatin1(replayAgent));
        const QString path = own.value(QStringLiteral("session")).toString();
        if (path.isEmpty())
            return failure(QStringLiteral("usage"), QStringLiteral("the agent “replay” needs a recorded session: --agent-option replay.session=FILE"));
        auto recorded = replaySettings(path, own.value(QStringLiteral("speed")).toString());
        if (!recorded) return recorded;
        const auto isSet = [this](const char *name) { return m_parser.isSet(QString::fromLatin1(name)); };
        if (!isSet("rounds")) s.rounds = recorded->rounds;
        if (!isSet("seed")) s.seed = recorded->seed;
        if (!isSet("mode")) s.mode = recorded->mode;
        if (!isSet("evaluator")) s.evaluator = recorded->evaluator;
        if (!isSet("evaluator") && !isSet("device")) s.device = recorded->device;
        if (!isSet("promotion")) s.promotion = recorded->promotion;
        if (!isSet("retrieval")) s.retrieval = recorded->retrieval;
        if (!isSet("short-term")) s.shortTerm = recorded->shortTerm;
        if (!isSet("long-term")) s.longTerm = recorded->longTerm;
        s.repairLimit = recorded->repairLimit;
        if (!isSet("seeds")) s.seeds = recorded->seeds;
        return s;
    }

    const QCommandLineParser &m_parser;
    QString m_mistake;
};

QString newSessionPath(const QString &taskFolder)
{
    const QDir folder(paths::sessionsFolder());
    folder.mkpath(QStringLiteral("."));
    const QString stem = QFileInfo(QDir::cleanPath(taskFolder)).fileName() + QDateTime::currentDateTime().toString(QStringLiteral("-yyyyMMdd-HHmmss"));
    QString path = folder.filePath(stem + QStringLiteral(".kss"));
    for (int i = 2; QFileInfo::exists(path); ++i) path = folder.filePath(QStringLiteral("%1-%2.kss").arg(stem).arg(i));
    return path;
}

} // namespace

int optimize(const QStringList &arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    if (const auto parsed = parse(parser, QStringLiteral("optimize"), arguments, 1, 1); parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(QStringLiteral("json"));
    auto settings = SettingsReader(parser).read();
    if (!settings) return report(settings.error(), json);
    if (auto task = readTask(settings->taskFolder); !task) return report(task.error(), json);
    QString path = parser.value(QStringLiteral("session"));
    if (path.isEmpty()) path = newSessionPath(settings->taskFolder);
    const QString recording = settings->agentSettings.value(QString::fromLatin1(replayAgent)).value(QStringLiteral("session")).toString();
    if (!recording.isEmpty() && QFileInfo(path) == QFileInfo(recording))
        return report(Error{QStringLiteral("usage"), QStringLiteral("%1 is the recording itself; give --session another file for the replay").arg(path), {}}, json);
    return runAndReport([&](Run &run) { return run.start(*settings, path); }, parser.value(QStringLiteral("memory")), json);
}

} // namespace kernelskill::cli
