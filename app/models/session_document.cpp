// SPDX-License-Identifier: Apache-2.0
#include "models/session_document.h"

#include "session/session_file.h"

#include <QJsonDocument>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// Decodes a blob once per digest.
template <class T>
const T *decoded(QHash<QString, std::shared_ptr<const T>> &cache, const QHash<QString, QByteArray> &blobs,
                 const QString &digest)
{
    if (digest.isEmpty()) return nullptr;
    const auto known = cache.constFind(digest);
    if (known != cache.constEnd()) return known->get();
    const auto blob = blobs.constFind(digest);
    if (blob == blobs.constEnd()) return nullptr;
    auto value = std::make_shared<const T>(T::fromJson(QJsonDocument::fromJson(*blob).object()));
    const T *result = value.get();
    cache.insert(digest, std::move(value));
    return result;
}

} // namespace

QStringList blobsOf(const Event &event)
{
    QStringList digests;
    for (auto field = event.data.begin(); field != event.data.end(); ++field) {
        if (field.key().endsWith("_blob"_L1) && !field->toString().isEmpty()) digests.append(field->toString());
    }
    return digests;
}

Result<SessionContents> readSession(const QString &path)
{
    auto file = SessionFile::open(path, true);
    if (!file) return std::unexpected(file.error());
    auto events = file->events();
    if (!events) return std::unexpected(events.error());
    SessionContents contents;
    contents.path = path;
    contents.readOnly = file->isReadOnly();
    contents.trajectory = Trajectory::fold(*events);
    for (const Event &event : std::as_const(*events)) {
        for (const QString &digest : blobsOf(event)) {
            if (contents.blobs.contains(digest)) continue;
            if (auto blob = file->blob(digest)) contents.blobs.insert(digest, *blob);
        }
    }
    contents.events = std::move(*events);
    return contents;
}

SessionDocument::SessionDocument(QObject *parent) : QObject(parent) {}
SessionDocument::~SessionDocument() = default;

void SessionDocument::setContents(SessionContents contents)
{
    m_contents = std::move(contents);
    m_evaluations.clear();
    m_candidates.clear();
    m_retrievals.clear();
    m_stages.clear();
    m_done = m_total = 0;
    Q_EMIT reset();
    Q_EMIT nodesChanged();
    Q_EMIT roundsChanged();
}

void SessionDocument::clear()
{
    setContents({});
}

void SessionDocument::apply(const Event &event, const QHash<QString, QByteArray> &blobs)
{
    if (event.sequence != 0 && event.sequence <= m_contents.trajectory.lastSequence)
        return; // already part of the file this run continues
    for (auto blob = blobs.begin(); blob != blobs.end(); ++blob)
        m_contents.blobs.insert(blob.key(), blob.value());
    m_contents.trajectory.apply(event);
    m_contents.events.append(event);
    if (event.kind == "node.evaluated"_L1 || event.kind == "node.dropped"_L1)
        m_stages.remove(event.data["node"_L1].toInt());
    if (event.kind.startsWith("round."_L1)) Q_EMIT roundsChanged();
    Q_EMIT nodesChanged();
    Q_EMIT eventAppended(event);
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
    return entry ? decoded(m_evaluations, m_contents.blobs, entry->evaluationBlob) : nullptr;
}

const Candidate *SessionDocument::candidate(int id) const
{
    const TrajectoryNode *entry = node(id);
    return entry ? decoded(m_candidates, m_contents.blobs, entry->candidateBlob) : nullptr;
}

const RoundRecord *SessionDocument::round(int number) const
{
    for (const RoundRecord &record : m_contents.trajectory.rounds) {
        if (record.round == number) return &record;
    }
    return nullptr;
}

const Retrieval *SessionDocument::retrieval(int number) const
{
    const RoundRecord *record = round(number);
    return record ? decoded(m_retrievals, m_contents.blobs, record->retrievalBlob) : nullptr;
}

QString SessionDocument::deviceId() const
{
    for (const TrajectoryNode &entry : m_contents.trajectory.nodes) {
        if (const Evaluation *result = evaluation(entry.id); result && !result->profile.device.isEmpty())
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
        m_unseen = 0;
        m_newest = newestWithCode();
        const Trajectory &trajectory = m_document->trajectory();
        m_known = trajectory.nodes.size();
        if (!trajectory.nodes.isEmpty())
            m_selected = trajectory.best >= 0 ? trajectory.best : trajectory.nodes.last().id;
        Q_EMIT changed();
    });
    connect(document, &SessionDocument::nodesChanged, this, &NodeSelection::followNewest);
}

int NodeSelection::newestWithCode() const
{
    // The newest node that has code to show; while the first is being made, that one.
    const auto &nodes = m_document->trajectory().nodes;
    int newest = nodes.isEmpty() ? -1 : nodes.first().id;
    for (const TrajectoryNode &node : nodes) {
        if (!node.candidateBlob.isEmpty()) newest = node.id;
    }
    return newest;
}

void NodeSelection::followNewest()
{
    const qsizetype count = m_document->trajectory().nodes.size();
    const int newest = newestWithCode();
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
    Q_EMIT changed();
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
        followNewest();
    }
}

} // namespace kernelskill
