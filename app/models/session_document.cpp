// SPDX-License-Identifier: Apache-2.0
#include "models/session_document.h"

#include <QJsonDocument>
#include <QTimer>

#include <algorithm>
#include <utility>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int mostDecoded = 200;           // of each kind
constexpr int mostBlobs_KiB = 96 * 1024;
constexpr int announceEvery_ms = 33;       // a burst of events is shown once a frame
constexpr qsizetype mostProfilesRead = 500; // of an older session, whose events do not hold what the roofline needs

// Older sessions have a node's work only in its profile. Read for the newest ones and the best path.
void fillWork(const SessionFile &file, Trajectory &trajectory)
{
    const QList<int> path = trajectory.bestPath();
    const QSet<int> wanted(path.begin(), path.end());
    const qsizetype newest = trajectory.nodes.size() - mostProfilesRead;
    for (qsizetype i = 0; i < trajectory.nodes.size(); ++i) {
        TrajectoryNode &node = trajectory.nodes[i];
        if (node.work || node.evaluationBlob.isEmpty() || (i < newest && !wanted.contains(node.id))) continue;
        if (const auto blob = file.blob(node.evaluationBlob))
            node.work = workOf(Evaluation::fromJson(QJsonDocument::fromJson(*blob).object()).profile);
    }
}

} // namespace

Result<SessionContents> readSession(const QString &path)
{
    auto file = SessionFile::open(path, true);
    if (!file) return std::unexpected(file.error());
    SessionFile::ReadableEvents readable = file->readableEvents();
    if (readable.damage && readable.events.isEmpty()) return std::unexpected(*readable.damage);
    SessionContents contents;
    contents.path = path;
    contents.readOnly = file->isReadOnly() || readable.damage;
    contents.damage = readable.damage;
    contents.trajectory = Trajectory::fold(readable.events);
    fillWork(*file, contents.trajectory);
    contents.events = std::move(readable.events);
    return contents;
}

SessionDocument::SessionDocument(QObject *parent) : QObject(parent), m_announce(new QTimer(this))
{
    m_evaluations.setMaxCost(mostDecoded);
    m_candidates.setMaxCost(mostDecoded);
    m_retrievals.setMaxCost(mostDecoded);
    m_blobs.setMaxCost(mostBlobs_KiB);
    m_announce->setSingleShot(true);
    connect(m_announce, &QTimer::timeout, this, [this] {
        QElapsedTimer taken;
        taken.start();
        if (std::exchange(m_roundsChanged, false)) Q_EMIT roundsChanged();
        Q_EMIT nodesChanged();
        // Whatever it takes to show it: the window has two thirds of its time for the person.
        m_pause_ms = std::max<qint64>(announceEvery_ms, 2 * taken.elapsed());
        m_announced.start();
    });
}

SessionDocument::~SessionDocument() = default;

void SessionDocument::forget()
{
    m_evaluations.clear();
    m_candidates.clear();
    m_retrievals.clear();
    m_blobs.clear();
    m_file.reset();
    m_stages.clear();
    m_done = m_total = 0;
    m_announce->stop();
    m_roundsChanged = false;
}

void SessionDocument::setContents(SessionContents contents)
{
    m_contents = std::move(contents);
    ++m_generation;
    forget();
    Q_EMIT reset();
    Q_EMIT nodesChanged();
    Q_EMIT roundsChanged();
}

void SessionDocument::clear()
{
    setContents({});
}

// At once when the last time was long enough ago, else when it will be.
void SessionDocument::announce(bool rounds)
{
    m_roundsChanged = m_roundsChanged || rounds;
    if (m_announce->isActive()) return;
    const qint64 since_ms = m_announced.isValid() ? m_announced.elapsed() : m_pause_ms;
    m_announce->start(int(std::max<qint64>(0, m_pause_ms - since_ms)));
}

void SessionDocument::apply(const Event &event, const QHash<QString, QByteArray> &blobs)
{
    if (event.sequence != 0 && event.sequence <= m_contents.trajectory.lastSequence)
        return; // already part of the file this run continues
    for (auto blob = blobs.begin(); blob != blobs.end(); ++blob) {
        if (m_contents.path.isEmpty())
            m_contents.blobs.insert(blob.key(), blob.value());
        else
            m_blobs.insert(blob.key(), new QByteArray(blob.value()), int(blob->size() / 1024) + 1);
    }
    const int baseBefore = m_contents.trajectory.base, bestBefore = m_contents.trajectory.best;
    m_contents.trajectory.apply(event);
    m_contents.events.append(event);
    const bool ofNode = event.data.contains("node"_L1);
    const int touched = ofNode ? event.data["node"_L1].toInt() : -1;
    if (event.kind == "role.call"_L1 || event.kind.startsWith("run."_L1)) m_stages.remove(ofRoles);
    if (event.kind == "node.evaluated"_L1 || event.kind == "node.dropped"_L1) {
        m_stages.remove(touched);
        m_done = m_total = 0;
    }
    if (ofNode && node(touched)) Q_EMIT nodeTouched(touched);
    if (baseBefore != m_contents.trajectory.base && node(baseBefore)) Q_EMIT nodeTouched(baseBefore);
    if (bestBefore != m_contents.trajectory.best && node(bestBefore)) Q_EMIT nodeTouched(bestBefore);
    announce(event.kind.startsWith("round."_L1));
    Q_EMIT eventAppended(event);
}

QByteArray SessionDocument::blob(const QString &digest) const
{
    if (digest.isEmpty()) return {};
    if (const auto given = m_contents.blobs.constFind(digest); given != m_contents.blobs.constEnd()) return *given;
    if (const QByteArray *known = m_blobs.object(digest)) return *known;
    if (!m_file && !m_contents.path.isEmpty()) {
        if (auto file = SessionFile::open(m_contents.path, true)) m_file = std::move(*file);
    }
    if (!m_file) return {};
    const auto read = m_file->blob(digest);
    if (!read) return {};
    m_blobs.insert(digest, new QByteArray(*read), int(read->size() / 1024) + 1);
    return *read;
}

template <class T> const T *SessionDocument::decoded(QCache<QString, T> &cache, const QString &digest) const
{
    if (digest.isEmpty()) return nullptr;
    if (const T *known = cache.object(digest)) return known;
    const QByteArray content = blob(digest);
    if (content.isEmpty()) return nullptr;
    auto *value = new T(T::fromJson(QJsonDocument::fromJson(content).object()));
    cache.insert(digest, value);
    return value;
}

void SessionDocument::setStage(int node, const QString &stage, int done, int total)
{
    m_done = done;
    m_total = total;
    m_stages[node] = total > 0 && !stage.contains(u" of "_s) ? u"%1 %2 of %3"_s.arg(stage).arg(done).arg(total) : stage;
    Q_EMIT stageChanged(node);
}

const Evaluation *SessionDocument::evaluation(int id) const
{
    const TrajectoryNode *entry = node(id);
    return entry ? decoded(m_evaluations, entry->evaluationBlob) : nullptr;
}

const Candidate *SessionDocument::candidate(int id) const
{
    const TrajectoryNode *entry = node(id);
    return entry ? decoded(m_candidates, entry->candidateBlob) : nullptr;
}

const RoundRecord *SessionDocument::round(int number) const
{
    const auto &rounds = m_contents.trajectory.rounds;
    const auto found = std::ranges::lower_bound(rounds, number, {}, &RoundRecord::round);
    return found == rounds.end() || found->round != number ? nullptr : &*found;
}

const Retrieval *SessionDocument::retrieval(int number) const
{
    const RoundRecord *record = round(number);
    return record ? decoded(m_retrievals, record->retrievalBlob) : nullptr;
}

QString SessionDocument::deviceId() const
{
    for (const int entry : {0, m_contents.trajectory.best}) {
        if (const Evaluation *result = evaluation(entry); result && !result->profile.device.isEmpty())
            return result->profile.device;
    }
    return m_contents.trajectory.settings["device"_L1].toString();
}

QString SessionDocument::stageText(int id) const
{
    const auto stage = m_stages.constFind(id);
    if (stage != m_stages.constEnd()) return *stage;
    const TrajectoryNode *entry = node(id);
    return entry ? entry->stage : QString();
}

NodeSelection::NodeSelection(SessionDocument *document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(document, &SessionDocument::reset, this, [this] {
        m_selected = m_compared = -1;
        clearMarks();
        m_unseen = 0;
        m_newest = newestWithCode();
        const Trajectory &trajectory = m_document->trajectory();
        m_known = trajectory.nodes.size();
        if (!trajectory.nodes.isEmpty())
            m_selected = trajectory.best >= 0 ? trajectory.best : trajectory.nodes.last().id;
        Q_EMIT changed();
    });
    connect(document, &SessionDocument::nodeTouched, this, &NodeSelection::followNewest);
    connect(document, &SessionDocument::nodesChanged, this, [this] {
        if (!std::exchange(m_told, true)) Q_EMIT changed();
    });
}

int NodeSelection::newestWithCode() const
{
    // The newest node that has code to show; while the first is being made, that one.
    const auto &nodes = m_document->trajectory().nodes;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        if (!node->candidateBlob.isEmpty()) return node->id;
    }
    return nodes.isEmpty() ? -1 : nodes.first().id;
}

void NodeSelection::followNewest(int touched)
{
    const qsizetype count = m_document->trajectory().nodes.size();
    const int newest = newestWithCode();
    const int before = m_selected;
    if (m_follow && newest != m_newest) {
        m_selected = newest;
        m_compared = -1;
    }
    if (m_selected < 0) m_selected = newest;
    if (!m_follow && count > m_known) {
        m_unseen += int(count - m_known);
        Q_EMIT followChanged();
    }
    m_known = count;
    m_newest = newest;
    m_told = m_told && m_selected == before && touched != m_selected && touched != compared();
}

void NodeSelection::toggleMark(int node)
{
    if (!m_document->node(node)) return;
    if (!m_marked.removeOne(node)) {
        if (m_marked.size() >= 4) m_marked.removeFirst();
        m_marked.append(node);
    }
    Q_EMIT marksChanged();
}

void NodeSelection::clearMarks()
{
    if (m_marked.isEmpty()) return;
    m_marked.clear();
    Q_EMIT marksChanged();
}

int NodeSelection::compared() const
{
    if (m_compared >= 0 && m_compared != m_selected) return m_compared;
    const TrajectoryNode *node = m_document->node(m_selected);
    return node ? node->parent : -1;
}

void NodeSelection::select(int node)
{
    if (!m_document->node(node)) return;
    if (m_follow && m_document->trajectory().endedBy.isEmpty() && !m_document->isEmpty()) {
        m_follow = false;
        Q_EMIT followChanged();
    }
    if (node == m_selected) return;
    m_selected = node;
    m_compared = -1;
    Q_EMIT changed();
}

void NodeSelection::compareWith(int node)
{
    if (m_compared == node) return;
    m_compared = node;
    Q_EMIT changed();
}

void NodeSelection::setFollow(bool follow)
{
    if (follow == m_follow) return;
    m_follow = follow;
    m_unseen = 0;
    Q_EMIT followChanged();
    if (follow) {
        m_newest = -1;
        followNewest(-1);
        if (!std::exchange(m_told, true)) Q_EMIT changed();
    }
}

} // namespace kernelskill
