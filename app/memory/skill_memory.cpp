// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_memory.h"

#include <QFutureWatcher>
#include <QtConcurrentRun>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

Result<MemoryContents> readContents(const SkillStore &store)
{
    MemoryContents contents;
    auto skills = store.skills();
    if (!skills) return std::unexpected(skills.error());
    auto statistics = store.statistics();
    if (!statistics) return std::unexpected(statistics.error());
    auto uses = store.lastUses();
    if (!uses) return std::unexpected(uses.error());
    auto problems = store.problems();
    if (!problems) return std::unexpected(problems.error());
    contents.skills = std::move(*skills);
    contents.statistics = std::move(*statistics);
    contents.lastUses = std::move(*uses);
    contents.problems = std::move(*problems);
    if (auto policy = policyInForce()) contents.policy = std::move(policy->policy);
    return contents;
}

Result<SkillDossier> readDossier(const SkillStore &store, const QString &name)
{
    SkillDossier dossier;
    dossier.name = name;
    auto skill = store.skill(name);
    if (!skill) return std::unexpected(skill.error());
    if (*skill) {
        dossier.revision = (*skill)->revision;
        dossier.text = (*skill)->text;
    }
    auto ledger = store.ledger(name);
    if (!ledger) return std::unexpected(ledger.error());
    auto history = store.history(name);
    if (!history) return std::unexpected(history.error());
    auto states = store.stateHistory(name);
    if (!states) return std::unexpected(states.error());
    auto canUndo = store.canUndo(name);
    if (!canUndo) return std::unexpected(canUndo.error());
    dossier.canUndo = *canUndo;
    dossier.ledger = std::move(*ledger);
    dossier.history = std::move(*history);
    dossier.states = std::move(*states);
    return dossier;
}

} // namespace

QString personName()
{
    const QString user = qEnvironmentVariable("USER");
    return user.isEmpty() ? u"person"_s : user;
}

SkillMemory::SkillMemory(QObject *parent) : QObject(parent), m_store(std::make_shared<std::unique_ptr<SkillStore>>())
{
    m_pool.setMaxThreadCount(1);
    m_pool.setExpiryTimeout(-1); // a thread keeps its connection to the database
}

SkillMemory::~SkillMemory()
{
    m_pool.waitForDone();
}

// `job` gets the store on the memory's thread; `then` its answer here.
template <class T, class Job, class Then> void SkillMemory::work(Job job, Then then)
{
    ++m_underway;
    auto *watcher = new QFutureWatcher<T>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, then = std::move(then)] {
        watcher->deleteLater();
        then(watcher->result());
        if (--m_underway == 0) Q_EMIT settled();
    });
    watcher->setFuture(QtConcurrent::run(&m_pool, [store = m_store, job = std::move(job)]() -> T {
        if (!*store) return failure(u"memory.closed"_s, u"the skill memory is not open, so nothing was done"_s);
        return job(**store);
    }));
}

void SkillMemory::open(const QString &memoryPath, const QString &skillsFolder)
{
    ++m_underway;
    auto *watcher = new QFutureWatcher<Result<void>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher] {
        watcher->deleteLater();
        if (const Result<void> opened = watcher->result())
            reload();
        else
            Q_EMIT failed(opened.error(), {});
        if (--m_underway == 0) Q_EMIT settled();
    });
    watcher->setFuture(QtConcurrent::run(&m_pool, [store = m_store, memoryPath, skillsFolder]() -> Result<void> {
        auto opened = SkillStore::open(memoryPath, skillsFolder);
        if (!opened) return std::unexpected(opened.error());
        *store = std::make_unique<SkillStore>(std::move(*opened));
        return {};
    }));
}

void SkillMemory::reload()
{
    if (m_reloadAsked) return;
    m_reloadAsked = true;
    // What is asked for while the reading is under way is read after it.
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_reloadAsked = false;
            work<Result<MemoryContents>>(readContents, [this](const Result<MemoryContents> &contents) {
                if (contents)
                    Q_EMIT contentsRead(*contents);
                else if (contents.error().code != "memory.closed"_L1)
                    Q_EMIT failed(contents.error(), {});
            });
            --m_underway; // of the waiting
        },
        Qt::QueuedConnection);
    ++m_underway;
}

void SkillMemory::askDossier(const QString &name)
{
    work<Result<SkillDossier>>([name](const SkillStore &store) { return readDossier(store, name); },
                               [this, name](const Result<SkillDossier> &dossier) {
                                   if (dossier)
                                       Q_EMIT dossierRead(*dossier);
                                   else if (dossier.error().code != "memory.closed"_L1)
                                       Q_EMIT failed(dossier.error(), name);
                               });
}

void SkillMemory::change(const QString &name, const QString &reason, std::function<Result<void>(SkillStore &)> what,
                         bool undone)
{
    work<Result<SkillChange>>(
        [name, reason, undone, what = std::move(what)](SkillStore &store) -> Result<SkillChange> {
            SkillChange change{name, {}, {}, reason, undone};
            auto before = store.skill(name);
            if (!before) return std::unexpected(before.error());
            change.before = std::move(*before);
            if (auto done = what(store); !done) return std::unexpected(done.error());
            auto after = store.skill(name);
            if (!after) return std::unexpected(after.error());
            if (!*after) return failure(u"memory.no_skill"_s, u"there is no skill “%1” any more"_s.arg(name));
            change.after = std::move(**after);
            return change;
        },
        [this, name](const Result<SkillChange> &change) {
            if (!change) {
                Q_EMIT failed(change.error(), name);
                return;
            }
            reload();
            Q_EMIT changed(*change);
        });
}

void SkillMemory::setState(const QString &name, SkillState state, const QString &reason)
{
    change(name, reason,
           [=](SkillStore &store) { return store.setState(name, state, reason, personName()); });
}

void SkillMemory::restoreState(const QString &name)
{
    change(name, {}, [name](SkillStore &store) -> Result<void> {
        auto before = store.stateBeforeRejection(name);
        if (!before) return std::unexpected(before.error());
        return store.setState(name, *before, {}, personName());
    });
}

void SkillMemory::edit(const QString &name, const QString &text, const QString &reason)
{
    change(name, reason, [=](SkillStore &store) -> Result<void> {
        auto edited = store.edit(name, text, reason, personName());
        if (!edited) return std::unexpected(edited.error());
        return {};
    });
}

void SkillMemory::restore(const QString &name, int revision)
{
    change(name, {}, [=](SkillStore &store) -> Result<void> {
        auto restored = store.restore(name, revision, {}, personName());
        if (!restored) return std::unexpected(restored.error());
        return {};
    });
}

void SkillMemory::undo(const QString &name)
{
    change(
        name, {},
        [name](SkillStore &store) -> Result<void> {
            auto undone = store.undo(name, personName());
            if (!undone) return std::unexpected(undone.error());
            return {};
        },
        true);
}

void SkillMemory::importFrom(const QString &path)
{
    work<Result<QList<ImportedSkill>>>(
        [path](SkillStore &store) { return store.importSkills(path, personName()); },
        [this](const Result<QList<ImportedSkill>> &skills) {
            if (!skills) {
                Q_EMIT failed(skills.error(), {});
                return;
            }
            reload();
            Q_EMIT imported(*skills);
        });
}

void SkillMemory::exportTo(const QString &folder, const QStringList &names)
{
    work<Result<QStringList>>([=](const SkillStore &store) { return store.exportSkills(folder, names); },
                              [this](const Result<QStringList> &folders) {
                                  if (folders)
                                      Q_EMIT exported(*folders);
                                  else
                                      Q_EMIT failed(folders.error(), {});
                              });
}

} // namespace kernelskill
