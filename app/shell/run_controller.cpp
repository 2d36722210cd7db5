// SPDX-License-Identifier: Apache-2.0
#include "shell/run_controller.h"

#include "base/paths.h"
#include "plugin/doctor.h"
#include "models/session_document.h"
#include "secrets/secrets.h"

#include <QCoroSignal>
#include <QCoroTask>
#include <QDir>
#include <QFileInfo>

using namespace Qt::StringLiterals;

namespace kernelskill {

// A coroutine of the worker's, from its first line to its last: the thread's event loop outlives them all.
class EngineWorker::Underway
{
public:
    explicit Underway(EngineWorker *worker) : m_worker(worker) { ++m_worker->m_underway; }
    ~Underway()
    {
        if (--m_worker->m_underway == 0 && m_worker->m_ending) Q_EMIT m_worker->quiet();
    }
    Q_DISABLE_COPY_MOVE(Underway)

private:
    EngineWorker *m_worker;
};

EngineWorker::EngineWorker(std::optional<PlayerFactory> players) : m_players(std::move(players)) {}
EngineWorker::~EngineWorker() = default;

bool EngineWorker::prepare(const QString &memoryPath)
{
    if (!m_plugins) m_plugins = std::make_unique<PluginManager>();
    if (!m_store && memoryPath != "none"_L1) {
        QDir().mkpath(QFileInfo(memoryPath).absolutePath());
        auto store = SkillStore::open(memoryPath, paths::skills());
        if (!store) {
            Q_EMIT failed(store.error());
            return false;
        }
        m_store = std::make_unique<SkillStore>(std::move(*store));
    }
    return true;
}

void EngineWorker::lookAround()
{
    if (!m_plugins) m_plugins = std::make_unique<PluginManager>();
    EngineFacts facts;
    facts.plugins = m_plugins->plugins();
    for (const PluginInfo &plugin : std::as_const(facts.plugins)) {
        if (plugin.kind != "evaluator"_L1 || plugin.state == PluginState::Broken ||
            plugin.state == PluginState::Incompatible)
            continue;
        if (const auto evaluator = m_plugins->createEvaluator(plugin.id))
            facts.devices.insert(plugin.id, (*evaluator)->devices());
    }
    Q_EMIT factsFound(facts);
}

void EngineWorker::examine()
{
    if (!m_plugins) m_plugins = std::make_unique<PluginManager>();
    Q_EMIT examined(kernelskill::examine(*m_plugins));
}

void EngineWorker::start(const RunSettings &settings, const QString &sessionPath, const QString &memoryPath)
{
    if (m_busy || !prepare(memoryPath)) return;
    play([settings, sessionPath](Run &run) { return run.start(settings, sessionPath); });
}

void EngineWorker::resume(const QString &sessionPath, const QString &memoryPath, const Changes &changes)
{
    if (m_busy || !prepare(memoryPath)) return;
    play([sessionPath, changes](Run &run) { return run.resume(sessionPath, std::nullopt, changes); });
}

void EngineWorker::work(const QString &sessionPath, const QString &memoryPath, const QList<Proposal> &proposals)
{
    if (m_busy || !prepare(memoryPath)) return;
    play([sessionPath, proposals](Run &run) { return run.work(sessionPath, proposals); });
}

void EngineWorker::propose(const Proposal &proposal)
{
    if (!m_run || !m_busy) return;
    if (const auto taken = m_run->propose(proposal); !taken) Q_EMIT refused(taken.error());
}

void EngineWorker::annotate(const QString &sessionPath, int node, const QString &kind, const QJsonObject &data)
{
    if (m_run && m_busy && m_run->session() && m_run->session()->path() == sessionPath) {
        if (const auto noted = m_run->annotate(node, kind, data); !noted) Q_EMIT refused(noted.error());
        return;
    }
    const auto noted = annotateSession(sessionPath, node, kind, data);
    if (noted)
        Q_EMIT eventHappened(*noted, {});
    else
        Q_EMIT refused(noted.error());
}

QCoro::Task<void> EngineWorker::play(Begin begin)
{
    const Underway underway(this);
    m_busy = true;
    m_stopping = m_ending;
    m_run = m_players ? std::make_unique<Run>(*m_players, m_store.get())
                      : std::make_unique<Run>(m_plugins.get(), m_store.get());
    connect(m_run.get(), &Run::eventAppended, this, [this](const Event &event) {
        QHash<QString, QByteArray> blobs;
        if (const SessionFile *session = m_run->session()) {
            for (const QString &digest : blobsOf(event)) {
                if (const auto blob = session->blob(digest)) blobs.insert(digest, *blob);
            }
        }
        Q_EMIT eventHappened(event, blobs);
    });
    connect(m_run.get(), &Run::progress, this, &EngineWorker::progressed);
    m_run->setAsk([this](Question question) { return ask(std::move(question)); });
    const Result<RunSummary> summary = co_await begin(*m_run);
    m_busy = false;
    // The run holds the session's writer lock; it goes once this coroutine is off the stack.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_busy) m_run.reset();
        },
        Qt::QueuedConnection);
    if (summary)
        Q_EMIT ended(summary->endedBy, summary->message);
    else
        Q_EMIT failed(summary.error());
}

QCoro::Task<Result<Answer>> EngineWorker::ask(Question question)
{
    if (m_stopping) co_return Answer{};
    Q_EMIT asked(question);
    co_return co_await qCoro(this, &EngineWorker::answered);
}

Result<Task> EngineWorker::taskOf(const CompileOrder &order)
{
    const QString key = order.sessionPath.isEmpty() ? order.taskFolder : order.sessionPath;
    if (m_compiledTask.first == key) return m_compiledTask.second.task;
    if (order.sessionPath.isEmpty()) {
        auto task = readTask(order.taskFolder);
        if (!task) return task;
        m_compiledTask = {key, SessionTask{*task, nullptr}};
        return task;
    }
    auto file = SessionFile::open(order.sessionPath, true);
    if (!file) return std::unexpected(file.error());
    auto events = file->events();
    if (!events) return std::unexpected(events.error());
    auto task = kernelskill::taskOf(*file, Trajectory::fold(*events));
    if (!task) return std::unexpected(task.error());
    m_compiledTask = {key, *task};
    return task->task;
}

QCoro::Task<Result<QList<Finding>>> EngineWorker::compiledBy(QString evaluator, EvaluationRequest request,
                                                             std::stop_token stop)
{
    auto made = m_players ? m_players->evaluator(evaluator) : m_plugins->createEvaluator(evaluator);
    if (!made) co_return std::unexpected(made.error());
    co_return co_await (*made)->compile(std::move(request), stop);
}

QCoro::Task<void> EngineWorker::compile(CompileOrder order)
{
    const Underway underway(this);
    m_compiling.request_stop();
    m_compiling = {};
    const std::stop_token stop = m_compiling.get_token();
    if (!m_plugins) m_plugins = std::make_unique<PluginManager>();
    CompileAnswer answer{order.ticket, {}, {}};
    EvaluationRequest request;
    if (const auto task = taskOf(order))
        request.task = *task;
    else
        answer.trouble = task.error().message;
    request.candidate = order.candidate;
    if (answer.trouble.isEmpty()) {
        auto findings = co_await compiledBy(order.evaluator, request, stop);
        if (!findings && findings.error().code == "evaluator.compile"_L1)
            findings = co_await compiledBy(u"simulator"_s, request, stop);
        if (findings)
            answer.findings = *findings;
        else
            answer.trouble = findings.error().message;
    }
    if (!stop.stop_requested()) Q_EMIT compiled(answer);
}

QCoro::Task<void> EngineWorker::listChoices(int ticket, QString agent, QString setting, QJsonObject settings)
{
    const Underway underway(this);
    if (!m_plugins) m_plugins = std::make_unique<PluginManager>();
    const auto choices = co_await m_plugins->choices(agent, setting, settings);
    if (choices)
        Q_EMIT choicesListed(ticket, *choices, {});
    else
        Q_EMIT choicesListed(ticket, {}, secrets::redacted(choices.error().message));
}

void EngineWorker::pause()
{
    if (m_run && m_busy) m_run->pause();
}

void EngineWorker::unpause()
{
    if (m_run && m_busy) m_run->unpause();
}

void EngineWorker::step()
{
    if (m_run && m_busy) m_run->stepOnce();
}

void EngineWorker::stop()
{
    if (!m_run || !m_busy) return;
    m_stopping = true;
    m_run->stop();
    Q_EMIT answered({}); // a pending question is declined, and so is what is asked on the way to the end
}

void EngineWorker::end()
{
    m_ending = true;
    stop();
    m_compiling.request_stop();
    if (m_underway == 0) Q_EMIT quiet();
}

void EngineWorker::applySkillState(const QString &skill, SkillState state, const QString &reason)
{
    if (m_run && m_busy) m_run->applySkillState(skill, state, reason);
}

void EngineWorker::applySkillText(const QString &skill, const QString &text, int revision, const QString &reason)
{
    if (!m_run || !m_busy) return;
    if (auto applied = m_run->applySkillText(skill, text, revision, reason); !applied) Q_EMIT refused(applied.error());
}

RunController::RunController(QObject *parent, std::optional<PlayerFactory> players)
    : QObject(parent), m_worker(new EngineWorker(std::move(players)))
{
    qRegisterMetaType<Event>();
    qRegisterMetaType<Error>();
    qRegisterMetaType<Question>();
    qRegisterMetaType<Answer>();
    qRegisterMetaType<EngineFacts>();
    qRegisterMetaType<CompileAnswer>();
    qRegisterMetaType<QList<QJsonObject>>();
    qRegisterMetaType<QHash<QString, QByteArray>>();
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(u"engine"_s);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &EngineWorker::factsFound, this, [this](const EngineFacts &facts) {
        m_facts = facts;
        Q_EMIT factsFound();
    });
    connect(m_worker, &EngineWorker::eventHappened, this,
            [this](const Event &event, const QHash<QString, QByteArray> &blobs) {
                if (event.kind == "run.paused"_L1)
                    setState(RunState::Paused);
                else if (event.kind == "run.resumed"_L1 || m_state == RunState::Starting)
                    setState(RunState::Running);
                Q_EMIT eventHappened(event, blobs);
            });
    connect(m_worker, &EngineWorker::progressed, this, &RunController::progressed);
    connect(m_worker, &EngineWorker::asked, this, &RunController::asked);
    connect(m_worker, &EngineWorker::refused, this, &RunController::refused);
    connect(m_worker, &EngineWorker::compiled, this, &RunController::compiled);
    connect(m_worker, &EngineWorker::choicesListed, this, &RunController::choicesListed);
    connect(m_worker, &EngineWorker::examined, this, &RunController::examined);
    connect(m_worker, &EngineWorker::ended, this, [this](const QString &by, const QString &message) {
        m_elapsedAtEnd_s = double(m_clock.elapsed()) / 1000;
        setState(RunState::Idle);
        Q_EMIT ended(by, message);
    });
    connect(m_worker, &EngineWorker::failed, this, [this](const Error &error) {
        m_elapsedAtEnd_s = double(m_clock.elapsed()) / 1000;
        setState(RunState::Idle);
        Q_EMIT failed(error);
    });
    m_thread.start();
    QMetaObject::invokeMethod(m_worker, &EngineWorker::lookAround, Qt::QueuedConnection);
}

RunController::~RunController()
{
    // The engine's thread has to end what it does itself: a coroutine must not be dropped under way.
    QEventLoop loop;
    connect(m_worker, &EngineWorker::quiet, &loop, &QEventLoop::quit);
    QMetaObject::invokeMethod(m_worker, &EngineWorker::end, Qt::QueuedConnection);
    loop.exec();
    m_thread.quit();
    m_thread.wait();
}

void RunController::setState(RunState state)
{
    if (state == m_state) return;
    m_state = state;
    Q_EMIT stateChanged();
}

double RunController::elapsed_s() const
{
    return isActive() ? double(m_clock.elapsed()) / 1000 : m_elapsedAtEnd_s;
}

void RunController::begin(const QString &sessionPath)
{
    m_sessionPath = sessionPath;
    m_clock.start();
    setState(RunState::Starting);
}

void RunController::start(const RunSettings &settings, const QString &sessionPath, const QString &memoryPath)
{
    if (isActive()) return;
    begin(sessionPath);
    QMetaObject::invokeMethod(
        m_worker,
        [worker = m_worker, settings, sessionPath, memoryPath] { worker->start(settings, sessionPath, memoryPath); },
        Qt::QueuedConnection);
}

void RunController::resume(const QString &sessionPath, const QString &memoryPath, const Changes &changes)
{
    if (isActive()) return;
    begin(sessionPath);
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, sessionPath, memoryPath, changes] { worker->resume(sessionPath, memoryPath, changes); },
        Qt::QueuedConnection);
}

void RunController::listChoices(int ticket, const QString &agent, const QString &setting, const QJsonObject &settings)
{
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, ticket, agent, setting, settings] { worker->listChoices(ticket, agent, setting, settings); },
        Qt::QueuedConnection);
}

void RunController::propose(const Proposal &proposal, const QString &sessionPath, const QString &memoryPath)
{
    if (isActive() && sessionPath == m_sessionPath) {
        QMetaObject::invokeMethod(
            m_worker, [worker = m_worker, proposal] { worker->propose(proposal); }, Qt::QueuedConnection);
        return;
    }
    if (isActive()) return;
    begin(sessionPath);
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, sessionPath, memoryPath, proposal] { worker->work(sessionPath, memoryPath, {proposal}); },
        Qt::QueuedConnection);
}

void RunController::annotate(const QString &sessionPath, int node, const QString &kind, const QJsonObject &data)
{
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, sessionPath, node, kind, data] { worker->annotate(sessionPath, node, kind, data); },
        Qt::QueuedConnection);
}

void RunController::examine()
{
    QMetaObject::invokeMethod(m_worker, &EngineWorker::examine, Qt::QueuedConnection);
}

void RunController::compile(const CompileOrder &order)
{
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, order] { worker->compile(order); }, Qt::QueuedConnection);
}

void RunController::togglePause()
{
    if (m_state == RunState::Running) {
        setState(RunState::Pausing);
        QMetaObject::invokeMethod(m_worker, &EngineWorker::pause, Qt::QueuedConnection);
    } else if (m_state == RunState::Paused || m_state == RunState::Pausing) {
        setState(RunState::Running);
        QMetaObject::invokeMethod(m_worker, &EngineWorker::unpause, Qt::QueuedConnection);
    }
}

void RunController::step()
{
    if (m_state == RunState::Running) { // a step from a running loop ends where a pause would
        togglePause();
    } else if (m_state == RunState::Paused) {
        setState(RunState::Pausing);
        QMetaObject::invokeMethod(m_worker, &EngineWorker::step, Qt::QueuedConnection);
    }
}

void RunController::stop()
{
    if (!isActive()) return;
    setState(RunState::Stopping);
    QMetaObject::invokeMethod(m_worker, &EngineWorker::stop, Qt::QueuedConnection);
}

void RunController::answer(const Answer &answer)
{
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, answer] { Q_EMIT worker->answered(answer); }, Qt::QueuedConnection);
}

void RunController::applySkillState(const QString &skill, SkillState state, const QString &reason)
{
    if (isActive())
        QMetaObject::invokeMethod(
            m_worker, [worker = m_worker, skill, state, reason] { worker->applySkillState(skill, state, reason); },
            Qt::QueuedConnection);
}

void RunController::applySkillText(const QString &skill, const QString &text, int revision, const QString &reason)
{
    if (!isActive()) return;
    QMetaObject::invokeMethod(
        m_worker,
        [worker = m_worker, skill, text, revision, reason] { worker->applySkillText(skill, text, revision, reason); },
        Qt::QueuedConnection);
}

} // namespace kernelskill
