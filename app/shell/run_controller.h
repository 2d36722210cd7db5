// SPDX-License-Identifier: Apache-2.0
// Runs the engine on a thread of its own. Everything crosses over as values in queued signals, so the window never
// waits for the engine and the engine never for the window.
#pragma once

#include "agent/question.h"
#include "engine/run.h"
#include "engine/snapshot.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QThread>

#include <optional>

namespace kernelskill {

enum class RunState { Idle, Starting, Running, Pausing, Paused, Stopping };

// What the compiler says of code somebody is writing for a task: the session's, else that of a folder.
struct CompileOrder
{
    int ticket = 0;
    QString sessionPath, taskFolder;
    QString evaluator; // where it cannot compile alone, the simulator is asked
    Candidate candidate;
};
struct CompileAnswer
{
    int ticket = 0;
    QList<Finding> findings;
    QString trouble; // why it was not compiled; empty: it was
};

struct EngineFacts
{
    QList<PluginInfo> plugins;
    QHash<QString, QList<DeviceInfo>> devices; // evaluator id → its devices
};

// Lives on the engine's thread.
class EngineWorker : public QObject
{
    Q_OBJECT
public:
    // Players come from the plugins, unless a factory gives others.
    explicit EngineWorker(std::optional<PlayerFactory> players);
    ~EngineWorker() override;

    void lookAround();
    void examine();
    void start(const RunSettings &settings, const QString &sessionPath, const QString &memoryPath);
    void resume(const QString &sessionPath, const QString &memoryPath, const Changes &changes);
    void work(const QString &sessionPath, const QString &memoryPath, const QList<Proposal> &proposals);
    void propose(const Proposal &proposal);
    void annotate(const QString &sessionPath, int node, const QString &kind, const QJsonObject &data);
    void pause();
    void unpause();
    void step();
    void stop();
    void applySkillState(const QString &skill, SkillState state, const QString &reason);
    void applySkillText(const QString &skill, const QString &text, int revision, const QString &reason);
    QCoro::Task<void> compile(CompileOrder order); // ends the one before
    QCoro::Task<void> listChoices(int ticket, QString agent, QString setting, QJsonObject settings);
    void end(); // stops everything; `quiet` follows when nothing is under way any more

Q_SIGNALS:
    void compiled(const kernelskill::CompileAnswer &answer);
    void choicesListed(int ticket, const QStringList &choices, const QString &trouble);
    void refused(const kernelskill::Error &error); // a proposal
    void quiet();
    void factsFound(const kernelskill::EngineFacts &facts);
    void examined(const QList<QJsonObject> &lines);
    void eventHappened(const kernelskill::Event &event, const QHash<QString, QByteArray> &blobs);
    void progressed(int node, const QString &stage, int done, int total);
    void asked(const kernelskill::Question &question);
    void answered(const kernelskill::Answer &answer);
    void ended(const QString &by, const QString &message);
    void failed(const kernelskill::Error &error);

private:
    using Begin = std::function<QCoro::Task<Result<RunSummary>>(Run &)>;
    QCoro::Task<void> play(Begin begin);
    [[nodiscard]] Result<Task> taskOf(const CompileOrder &order);
    QCoro::Task<Result<QList<Finding>>> compiledBy(QString evaluator, EvaluationRequest request, std::stop_token stop);
    QCoro::Task<Result<Answer>> ask(Question question);
    [[nodiscard]] bool prepare(const QString &memoryPath);

    std::optional<PlayerFactory> m_players;
    std::unique_ptr<PluginManager> m_plugins;
    std::unique_ptr<SkillStore> m_store;
    std::unique_ptr<Run> m_run;
    class Underway;
    bool m_busy = false, m_stopping = false, m_ending = false;
    int m_underway = 0; // coroutines
    std::stop_source m_compiling;
    std::pair<QString, SessionTask> m_compiledTask; // session or folder → its task
};

// Lives on the window's thread.
class RunController : public QObject
{
    Q_OBJECT
public:
    explicit RunController(QObject *parent = nullptr, std::optional<PlayerFactory> players = std::nullopt);
    ~RunController() override; // stops what runs and waits for its end

    [[nodiscard]] RunState state() const { return m_state; }
    [[nodiscard]] bool isActive() const { return m_state != RunState::Idle; }
    [[nodiscard]] double elapsed_s() const;
    [[nodiscard]] const EngineFacts &facts() const { return m_facts; }
    [[nodiscard]] QString sessionPath() const { return m_sessionPath; }

    void start(const RunSettings &settings, const QString &sessionPath, const QString &memoryPath);
    void resume(const QString &sessionPath, const QString &memoryPath, const Changes &changes = {});
    // What may stand in a setting of an agent; `choicesListed` follows.
    void listChoices(int ticket, const QString &agent, const QString &setting, const QJsonObject &settings);
    // To the run in flight when it is the session's, else in a run that does only this.
    void propose(const Proposal &proposal, const QString &sessionPath, const QString &memoryPath);
    void examine(); // `examined` follows, with what plugin/doctor.h says
    // A pin or a note on a node; the event comes back as any other.
    void annotate(const QString &sessionPath, int node, const QString &kind, const QJsonObject &data);
    void compile(const CompileOrder &order);
    void togglePause();
    void step();
    void stop();
    void answer(const Answer &answer);
    void applySkillState(const QString &skill, SkillState state, const QString &reason);
    void applySkillText(const QString &skill, const QString &text, int revision, const QString &reason);

Q_SIGNALS:
    void stateChanged();
    void factsFound();
    void eventHappened(const kernelskill::Event &event, const QHash<QString, QByteArray> &blobs);
    void progressed(int node, const QString &stage, int done, int total);
    void asked(const kernelskill::Question &question);
    void ended(const QString &by, const QString &message);
    void failed(const kernelskill::Error &error);
    void refused(const kernelskill::Error &error);
    void compiled(const kernelskill::CompileAnswer &answer);
    void choicesListed(int ticket, const QStringList &choices, const QString &trouble); // no trouble: empty
    void examined(const QList<QJsonObject> &lines);

private:
    void setState(RunState state);
    void begin(const QString &sessionPath);

    QThread m_thread;
    EngineWorker *m_worker;
    RunState m_state = RunState::Idle;
    EngineFacts m_facts;
    QString m_sessionPath;
    QElapsedTimer m_clock;
    double m_elapsedAtEnd_s = 0;
};

} // namespace kernelskill
