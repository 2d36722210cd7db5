// SPDX-License-Identifier: Apache-2.0
// The session the window shows: the fold over its events, with what the events refer to, decoded on demand and kept.
// Fed either by a file (read in a worker) or by a live run (events with their blobs). UI thread.
#pragma once

#include "base/result.h"
#include "retrieval/retrieval.h"
#include "session/event.h"
#include "session/session_file.h"
#include "session/trajectory.h"
#include "task/candidate.h"

#include <QCache>
#include <QElapsedTimer>
#include <QHash>
#include <QObject>

#include <memory>
#include <optional>

class QTimer;

namespace kernelskill {

// A whole session as values: safe to hand between threads.
struct SessionContents
{
    QString path;
    bool readOnly = false;
    std::optional<Error> damage; // the events end where it begins
    QList<Event> events;
    Trajectory trajectory;
    QHash<QString, QByteArray> blobs; // of a session without a file; else they are read from it when they are asked for
};

// Opens and folds; for a worker thread.
[[nodiscard]] Result<SessionContents> readSession(const QString &path);

class SessionDocument : public QObject
{
    Q_OBJECT
public:
    explicit SessionDocument(QObject *parent = nullptr);
    ~SessionDocument() override;

    void setContents(SessionContents contents);
    void clear();
    // One event of a live run, with the blobs it names.
    void apply(const Event &event, const QHash<QString, QByteArray> &blobs);
    // Transient: "checking 14 of 24" on a running node; total 0 when there is nothing to count.
    void setStage(int node, const QString &stage, int done, int total);

    [[nodiscard]] bool isEmpty() const { return m_contents.trajectory.nodes.isEmpty(); }
    [[nodiscard]] int generation() const { return m_generation; } // grows with each reset
    [[nodiscard]] QString path() const { return m_contents.path; }
    void setPath(const QString &path) { m_contents.path = path; }
    [[nodiscard]] const Trajectory &trajectory() const { return m_contents.trajectory; }
    [[nodiscard]] const QList<Event> &events() const { return m_contents.events; }
    [[nodiscard]] const TrajectoryNode *node(int id) const { return m_contents.trajectory.node(id); }
    // Null when the node has none yet. What they point to is good until the document is asked for a hundred others.
    [[nodiscard]] const Evaluation *evaluation(int node) const;
    [[nodiscard]] const Candidate *candidate(int node) const;
    [[nodiscard]] const Retrieval *retrieval(int round) const;
    [[nodiscard]] const RoundRecord *round(int number) const;
    // The candidate a node is compared with when nobody chose one: its parent.
    [[nodiscard]] QByteArray blob(const QString &digest) const;
    [[nodiscard]] QString deviceId() const;
    [[nodiscard]] QString stageText(int node) const;
    // What an agent tells of a call under way: "planner: asks …"; empty when there is none.
    [[nodiscard]] QString roleText() const { return m_stages.value(ofRoles); }
    [[nodiscard]] int stageDone() const { return m_done; }
    [[nodiscard]] int stageTotal() const { return m_total; }

Q_SIGNALS:
    void reset();        // another session, or none
    void nodeTouched(int node); // it came or changed: at once, for each event
    void nodesChanged();        // nodes came or changed: once for many events
    void stageChanged(int node);
    void roundsChanged(); // features, retrieval or plan of a round came; likewise
    void eventAppended(const kernelskill::Event &event);

private:
    template <class T> const T *decoded(QCache<QString, T> &cache, const QString &digest) const;
    void announce(bool rounds);
    void forget();

    SessionContents m_contents;
    int m_generation = 0;
    mutable QCache<QString, Evaluation> m_evaluations;
    mutable QCache<QString, Candidate> m_candidates;
    mutable QCache<QString, Retrieval> m_retrievals;
    mutable QCache<QString, QByteArray> m_blobs; // cost: KiB
    mutable std::optional<SessionFile> m_file;   // read-only, opened when a blob is first asked for
    QTimer *m_announce;
    QElapsedTimer m_announced;
    qint64 m_pause_ms = 0; // to the next time
    bool m_roundsChanged = false;
    static constexpr int ofRoles = -1; // in the place of a node
    QHash<int, QString> m_stages;
    int m_done = 0, m_total = 0;
};

// Which node the panels show (B) and which it is compared with (A).
class NodeSelection : public QObject
{
    Q_OBJECT
public:
    explicit NodeSelection(SessionDocument *document, QObject *parent = nullptr);

    [[nodiscard]] int selected() const { return m_selected; }
    [[nodiscard]] int compared() const; // chosen, else the parent of the selected node; −1 none
    [[nodiscard]] bool follows() const { return m_follow; }
    [[nodiscard]] int unseen() const { return m_unseen; } // nodes that came while not following

    [[nodiscard]] const QList<int> &marked() const { return m_marked; } // for a comparison of several, at most four
    void toggleMark(int node); // a fifth takes the place of the first
    void clearMarks();
    void select(int node);      // by a person: stops following a live run
    void compareWith(int node); // −1: the parent again
    void setFollow(bool follow);

Q_SIGNALS:
    void changed();
    void followChanged();
    void marksChanged();

private:
    void followNewest(int touched);
    [[nodiscard]] int newestWithCode() const;

    SessionDocument *m_document;
    int m_selected = -1, m_compared = -1;
    QList<int> m_marked;
    bool m_follow = true;
    int m_unseen = 0;
    qsizetype m_known = 0;
    int m_newest = -1;
    bool m_told = true; // of what following changed
};

} // namespace kernelskill
