// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

#include "engine/loop.h"
#include "engine/summary.h"
#include "memory/longterm/skill_reader.h"
#include "plugin/plugin_settings.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace kernelskill {

namespace {

// Ends after which going on needs more rounds than there were.
bool isFinal(const QString &endedBy)
{
    return endedBy == u"rounds" || endedBy == u"exhausted" || endedBy == u"plateau" || endedBy == u"roofline" ||
           endedBy == u"recording";
}

Result<void> checkEvaluator(const Evaluator &evaluator, const Task &task)
{
    const EvaluatorFacts facts = evaluator.facts();
    if (facts.taskKinds.contains(task.kind)) return {};
    return failure("evaluator.task", QStringLiteral("the evaluator '%1' takes tasks of the kinds %2, not '%3'")
                                         .arg(facts.id, facts.taskKinds.join(QStringLiteral(", ")), task.kind));
}

// A session file may come from anybody.
void trustOnlySettings(RunSettings &settings)
{
    for (QJsonObject &values : settings.agentSettings)
        values = trustedSettings(values);
}

} // namespace

PlayerFactory playersOf(PluginManager *plugins)
{
    return {[plugins](const QString &id) { return plugins->createEvaluator(id); },
            [plugins](const QString &id, const QJsonObject &settings) { return plugins->createAgent(id, settings); }};
}

Result<DeviceInfo> chooseDevice(const Evaluator &evaluator, const QString &wanted)
{
    const QList<DeviceInfo> devices = evaluator.devices();
    QStringList known;
    for (const DeviceInfo &device : devices) {
        known.append(device.id);
        if (wanted.isEmpty() ? !device.usable : device.id != wanted) continue;
        if (!device.usable)
            return failure("evaluator.device",
                           QStringLiteral("the device '%1' cannot be used: %2").arg(device.id, device.reason));
        return device;
    }
    if (wanted.isEmpty() && !devices.isEmpty()) {
        return failure("evaluator.device", QStringLiteral("no device can be used: %1").arg(devices.first().reason));
    }
    return failure("evaluator.device",
                   QStringLiteral("there is no device '%1'; found: %2").arg(wanted, known.join(QStringLiteral(", "))));
}

struct Run::Impl
{
    [[nodiscard]] Result<void> makeAgents(LoopParts &parts) const;
    [[nodiscard]] Result<void> makePlayers(LoopParts &parts) const;
    [[nodiscard]] Result<void> openJournal(Result<SessionFile> file);
    [[nodiscard]] Result<void> begin(LoopParts &parts, const QString &path);
    [[nodiscard]] Result<void> snapshot(LoopParts &parts);
    [[nodiscard]] Result<bool> continueSession(LoopParts &parts, std::optional<int> rounds, const Changes &changes);
    [[nodiscard]] Result<void> reopen(LoopParts &parts, const QJsonObject &resumed);
    [[nodiscard]] Result<void> checkProposal(const Proposal &proposal) const;
    [[nodiscard]] Result<void> checkSkill(const Plan &plan) const;
    QCoro::Task<Result<RunSummary>> play(LoopParts parts);

    Run *run = nullptr;
    PlayerFactory players;
    SkillStore *store = nullptr;
    AskFunction ask;
    std::unique_ptr<Journal> journal;
    std::unique_ptr<Control> control;
    Trajectory nothing; // before start
    bool running = false;
};

Result<void> Run::Impl::makeAgents(LoopParts &parts) const
{
    for (const Role role : allRoles()) {
        const QString id = parts.settings.agentFor(role);
        if (!parts.agents.contains(id)) {
            auto agent = players.agent(id, parts.settings.agentSettings.value(id));
            if (!agent) return std::unexpected(agent.error());
            auto facts = (*agent)->prepare(parts.task.task);
            // What a person asks of a session needs no agent that cannot play any more.
            if (!facts && !parts.onlyProposalsEndBy) return std::unexpected(facts.error());
            if (facts && !facts->isEmpty()) parts.agentFacts.insert(id, *facts);
            parts.agents.emplace(id, std::move(*agent));
        }
        if (!parts.agents.at(id)->plays(role) && !isOptional(role)) {
            return failure("cast.role",
                           QStringLiteral("the agent '%1' does not play the role '%2'; choose another with --cast %2=…")
                               .arg(id, toString(role)));
        }
    }
    return {};
}

Result<void> Run::Impl::makePlayers(LoopParts &parts) const
{
    auto evaluator = players.evaluator(parts.settings.evaluator);
    if (!evaluator) return std::unexpected(evaluator.error());
    parts.evaluator = std::move(*evaluator);
    if (auto fits = checkEvaluator(*parts.evaluator, parts.task.task); !fits) return fits;
    auto device = chooseDevice(*parts.evaluator, parts.settings.device);
    if (!device) return std::unexpected(device.error());
    parts.device = *device;
    return makeAgents(parts);
}

Result<void> Run::Impl::openJournal(Result<SessionFile> file)
{
    if (!file) return std::unexpected(file.error());
    if (file->isReadOnly())
        return failure("session.read_only", QStringLiteral("%1: may not be written").arg(file->path()));
    auto opened = Journal::open(std::move(*file), [this](const Event &event) { Q_EMIT run->eventAppended(event); });
    if (!opened) return std::unexpected(opened.error());
    journal = std::move(*opened);
    return {};
}

Result<void> Run::Impl::snapshot(LoopParts &parts)
{
    auto memory = MemorySnapshot::take(parts.settings, store, parts.task.task.name);
    if (!memory) return std::unexpected(memory.error());
    parts.memory = *memory;
    return {};
}

// A new session: the task, the settings and the memory go into the file in one transaction.
Result<void> Run::Impl::begin(LoopParts &parts, const QString &path)
{
    auto task = readTask(parts.settings.taskFolder);
    if (!task) return std::unexpected(task.error());
    parts.task.task = *task;
    if (auto made = makePlayers(parts); !made) return made;
    if (auto taken = snapshot(parts); !taken) return taken;
    // An existing file reaches this place only when nothing was ever written to it.
    if (auto opened = openJournal(QFileInfo::exists(path) ? SessionFile::open(path) : SessionFile::create(path));
        !opened)
        return opened;
    auto taskBlob = journal->putJson(taskFiles(*task));
    if (!taskBlob) return std::unexpected(taskBlob.error());
    auto memory = parts.memory.store(*journal);
    if (!memory) return std::unexpected(memory.error());
    parts.settings.taskFolder = task->folder;
    QJsonObject start{{"task", task->name},
                      {"task_folder", task->folder},
                      {"task_digest", QString::fromLatin1(task->digest())},
                      {"task_blob", *taskBlob},
                      {"settings", parts.settings.toJson()},
                      {"versions", QJsonObject{{"program", QStringLiteral(KERNELSKILL_VERSION)},
                                               {"session", sessionSchemaVersion}}}};
    if (!parts.agentFacts.isEmpty()) start.insert("agents", parts.agentFacts);
    return journal->append({{QStringLiteral("session.start"), start}, {QStringLiteral("memory.snapshot"), *memory}});
}

// False: the session has ended and there is nothing more to do.
Result<bool> Run::Impl::continueSession(LoopParts &parts, std::optional<int> rounds, const Changes &changes)
{
    auto settings = RunSettings::fromJson(journal->trajectory().settings);
    if (!settings) return std::unexpected(settings.error());
    parts.settings = *settings;
    QJsonObject resumed;
    const bool moreRounds = rounds && *rounds > settings->rounds;
    if (moreRounds) {
        parts.settings.rounds = *rounds;
        resumed.insert("rounds", *rounds);
    }
    parts.settings.budget = settings->budget.raisedTo(changes.budget);
    if (parts.settings.budget != settings->budget) resumed.insert("budget", parts.settings.budget.toJson());
    trustOnlySettings(parts.settings);
    for (const auto &[agent, values] : changes.agentSettings.asKeyValueRange())
        parts.settings.agentSettings[agent] = mergedSettings(parts.settings.agentSettings.value(agent), values);
    if (parts.settings.agentSettings != settings->agentSettings)
        resumed.insert("agent_settings", parts.settings.toJson().value("agent_settings"));
    if (isFinal(journal->trajectory().endedBy) && !moreRounds) return false;
    if (auto reopened = reopen(parts, resumed); !reopened) return std::unexpected(reopened.error());
    return true;
}

// Task, players and memory of the session; then run.resumed is on record.
Result<void> Run::Impl::reopen(LoopParts &parts, const QJsonObject &resumed)
{
    auto task = taskOf(journal->file(), journal->trajectory());
    if (!task) return std::unexpected(task.error());
    parts.task = *task;
    if (auto made = makePlayers(parts); !made) return made;
    if (journal->trajectory().policyBlob.isEmpty()) {
        if (auto taken = snapshot(parts); !taken) return taken;
        auto memory = parts.memory.store(*journal);
        if (!memory) return std::unexpected(memory.error());
        if (auto stored = journal->append(QStringLiteral("memory.snapshot"), *memory); !stored) return stored;
    } else {
        auto memory = MemorySnapshot::load(*journal);
        if (!memory) return std::unexpected(memory.error());
        parts.memory = *memory;
    }
    return journal->append(QStringLiteral("run.resumed"), resumed);
}

Result<void> Run::Impl::checkSkill(const Plan &plan) const
{
    if (plan.isFreeForm()) return {};
    auto memory = MemorySnapshot::load(*journal);
    if (!memory) return std::unexpected(memory.error());
    if (memory->skill(plan.skill)) return {};
    QStringList names;
    for (const Skill &skill : std::as_const(memory->skills))
        names.append(skill.name);
    return failure("proposal.skill", QStringLiteral("this session's memory has no skill '%1'; it has %2")
                                         .arg(plan.skill, names.join(QStringLiteral(", "))));
}

Result<void> Run::Impl::checkProposal(const Proposal &proposal) const
{
    const Trajectory &trajectory = journal->trajectory();
    const TrajectoryNode *node = trajectory.node(proposal.node);
    if (!node || node->candidateBlob.isEmpty())
        return failure("proposal.node", QStringLiteral("there is no node %1 with code in this session").arg(proposal.node));
    switch (proposal.kind) {
    case Proposal::Kind::Code: {
        if (proposal.candidate.mainText().trimmed().isEmpty())
            return failure("proposal.code", QStringLiteral("the candidate is empty"));
        const auto same = journal->state().attempts(trajectory).withCode(comparedDigest(proposal.candidate));
        if (!same) return {};
        return failure("proposal.repeat", QStringLiteral("this is the code of node %1, but for comments, spacing and "
                                                         "names; it was evaluated there").arg(same->node));
    }
    case Proposal::Kind::Plan:
        if (auto known = checkSkill(proposal.plan); !known) return known;
        [[fallthrough]];
    case Proposal::Kind::Base:
        if (canBeBuiltOn(*node)) return {};
        return failure("proposal.node", QStringLiteral("node %1 is %2; only a node that passed its checks can be built on")
                                            .arg(node->id).arg(toString(node->state)));
    case Proposal::Kind::Evaluation:
        return {};
    }
    return {};
}

QCoro::Task<Result<RunSummary>> Run::Impl::play(LoopParts parts)
{
    parts.store = store;
    parts.journal = journal.get();
    parts.control = control.get();
    parts.ask = ask;
    parts.progress = [this](int node, const EvaluationProgress &progress) {
        const QString words = progress.text.isEmpty() ? progress.stage
                              : node < 0              ? QStringLiteral("%1: %2").arg(progress.stage, progress.text)
                                                      : progress.text;
        Q_EMIT run->progress(node, words, progress.done, progress.total);
    };
    Loop loop(std::move(parts));
    running = true;
    auto ended = co_await loop.run();
    running = false;
    if (!ended) co_return std::unexpected(ended.error());
    co_return summarise(journal->trajectory(), journal->file().path());
}

Run::Run(PluginManager *plugins, SkillStore *store, QObject *parent)
    : Run(playersOf(plugins), store, parent)
{
}

Run::Run(PlayerFactory players, SkillStore *store, QObject *parent) : QObject(parent), m_impl(std::make_unique<Impl>())
{
    m_impl->run = this;
    m_impl->players = std::move(players);
    m_impl->store = store;
    m_impl->control = std::make_unique<Control>();
}

Run::~Run()
{
    // The step in flight holds references into this object; stopped, it ends soon.
    m_impl->control->stop();
    while (m_impl->running)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

QCoro::Task<Result<RunSummary>> Run::start(RunSettings settings, QString sessionPath)
{
    if (m_impl->journal)
        co_return failure("run.used", QStringLiteral("this run has a session already; make another Run"));
    LoopParts parts;
    parts.settings = settings;
    if (QFileInfo::exists(sessionPath)) {
        auto file = SessionFile::open(sessionPath);
        if (!file) co_return std::unexpected(file.error());
        auto events = file->events();
        if (!events) co_return std::unexpected(events.error());
        if (!events->isEmpty()) {
            if (auto opened = m_impl->openJournal(std::move(file)); !opened) co_return std::unexpected(opened.error());
            auto more = m_impl->continueSession(parts, settings.rounds, {settings.budget, settings.agentSettings});
            if (!more) co_return std::unexpected(more.error());
            if (!*more) co_return summarise(m_impl->journal->trajectory(), sessionPath);
            co_return co_await m_impl->play(std::move(parts));
        }
    }
    if (auto begun = m_impl->begin(parts, sessionPath); !begun) co_return std::unexpected(begun.error());
    co_return co_await m_impl->play(std::move(parts));
}

QCoro::Task<Result<RunSummary>> Run::resume(QString sessionPath, std::optional<int> rounds, Changes changes)
{
    if (m_impl->journal)
        co_return failure("run.used", QStringLiteral("this run has a session already; make another Run"));
    if (auto opened = m_impl->openJournal(SessionFile::open(sessionPath)); !opened)
        co_return std::unexpected(opened.error());
    if (m_impl->journal->trajectory().taskBlob.isEmpty()) {
        co_return failure("session.empty", QStringLiteral("%1: nothing was ever run in it").arg(sessionPath));
    }
    LoopParts parts;
    auto more = m_impl->continueSession(parts, rounds, changes);
    if (!more) co_return std::unexpected(more.error());
    if (!*more) co_return summarise(m_impl->journal->trajectory(), sessionPath);
    co_return co_await m_impl->play(std::move(parts));
}

QCoro::Task<Result<RunSummary>> Run::work(QString sessionPath, QList<Proposal> proposals)
{
    if (m_impl->journal)
        co_return failure("run.used", QStringLiteral("this run has a session already; make another Run"));
    if (auto opened = m_impl->openJournal(SessionFile::open(sessionPath)); !opened)
        co_return std::unexpected(opened.error());
    for (const Proposal &proposal : std::as_const(proposals)) {
        if (auto fits = m_impl->checkProposal(proposal); !fits) co_return std::unexpected(fits.error());
        m_impl->control->propose(proposal);
    }
    const Trajectory &trajectory = m_impl->journal->trajectory();
    LoopParts parts;
    auto settings = RunSettings::fromJson(trajectory.settings);
    if (!settings) co_return std::unexpected(settings.error());
    parts.settings = *settings;
    trustOnlySettings(parts.settings);
    // A session that was killed is open to be resumed afterwards as before.
    parts.onlyProposalsEndBy = trajectory.endedBy.isEmpty() ? QStringLiteral("person") : trajectory.endedBy;
    if (auto reopened = m_impl->reopen(parts, {{"proposals", int(proposals.size())}}); !reopened)
        co_return std::unexpected(reopened.error());
    co_return co_await m_impl->play(std::move(parts));
}

void Run::pause()
{
    m_impl->control->pause();
}

void Run::unpause()
{
    m_impl->control->unpause();
}

void Run::stepOnce()
{
    m_impl->control->stepOnce();
}

void Run::stop()
{
    m_impl->control->stop();
}

void Run::setAsk(AskFunction ask)
{
    m_impl->ask = std::move(ask);
}

Result<void> Run::propose(const Proposal &proposal)
{
    if (!m_impl->journal || !m_impl->running) return failure("run.none", QStringLiteral("no run is under way"));
    if (auto fits = m_impl->checkProposal(proposal); !fits) return fits;
    m_impl->control->propose(proposal);
    return {};
}

Result<void> Run::annotate(int node, const QString &kind, QJsonObject data)
{
    if (!m_impl->journal) return failure("run.none", QStringLiteral("no run is open"));
    data.insert("node", node);
    return m_impl->journal->append(kind, data);
}

Result<Event> annotateSession(const QString &path, int node, const QString &kind, QJsonObject data)
{
    auto file = SessionFile::open(path);
    if (!file) return std::unexpected(file.error());
    if (file->isReadOnly()) return failure("session.read_only", QStringLiteral("%1: may not be written").arg(path));
    data.insert("node", node);
    auto stored = file->append({Event{0, kind, 0, data}});
    if (!stored) return std::unexpected(stored.error());
    return stored->first();
}

void Run::applySkillState(const QString &skill, SkillState state, const QString &reason)
{
    if (!m_impl->journal) return;
    const SkillState before = m_impl->journal->state().skillStates().value(skill, SkillState::Active);
    QString action = QStringLiteral("restore");
    if (state == SkillState::Pinned)
        action = QStringLiteral("pin");
    else if (state == SkillState::Rejected)
        action = QStringLiteral("reject");
    else if (before == SkillState::Pinned)
        action = QStringLiteral("unpin");
    // A full disk shows at the run's own next event; a change of mind is no reason to end it.
    (void)m_impl->journal->append(QStringLiteral("person.skill"), {{"action", action},
                                                                   {"skill", skill},
                                                                   {"state", toString(state)},
                                                                   {"reason", reason},
                                                                   {"author", QStringLiteral("person")}});
}

Result<void> Run::applySkillText(const QString &skill, const QString &text, int revision, const QString &reason)
{
    if (!m_impl->journal) return failure("run.none", QStringLiteral("no run is open"));
    auto parsed = parseSkillText(text, skill + QStringLiteral("/SKILL.md"));
    if (!parsed) return std::unexpected(parsed.error());
    if (parsed->name != skill) {
        return failure("skill.syntax",
                       QStringLiteral("the text names the skill '%1', not '%2'").arg(parsed->name, skill));
    }
    return m_impl->journal->append(QStringLiteral("person.skill"), {{"action", QStringLiteral("edit")},
                                                                    {"skill", skill},
                                                                    {"text", text},
                                                                    {"revision", revision},
                                                                    {"reason", reason},
                                                                    {"author", QStringLiteral("person")}});
}

const Trajectory &Run::trajectory() const
{
    return m_impl->journal ? m_impl->journal->trajectory() : m_impl->nothing;
}

const SessionFile *Run::session() const
{
    return m_impl->journal ? &m_impl->journal->file() : nullptr;
}

} // namespace kernelskill
