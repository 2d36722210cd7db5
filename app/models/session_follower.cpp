// SPDX-License-Identifier: Apache-2.0
#include "models/session_follower.h"

#include "session/session_file.h"

#include <QFileInfo>
#include <QFutureWatcher>
#include <QtConcurrentRun>

namespace kernelskill {

namespace {

constexpr int look_ms = 700;
constexpr int fresh_ms = 60'000; // an evaluation can take that long without an event

// None where the file cannot be read just now: whoever opened it was told, and the next look may succeed.
QList<Event> eventsAfter(const QString &path, qint64 sequence)
{
    const auto file = SessionFile::open(path, true);
    if (!file) return {};
    return file->events(sequence).value_or(QList<Event>());
}

} // namespace

SessionFollower::SessionFollower(SessionDocument *document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&m_timer, &QTimer::timeout, this, &SessionFollower::look);
    connect(document, &SessionDocument::reset, this, [this] {
        m_written = {};
        m_size = -1;
        m_lastEvents.invalidate();
    });
    m_timer.start(look_ms);
}

bool SessionFollower::isWorkedOnElsewhere() const
{
    return !m_paused && m_lastEvents.isValid() && m_lastEvents.elapsed() < fresh_ms;
}

void SessionFollower::look()
{
    const QString path = m_document->path();
    if (m_paused || m_reading || path.isEmpty()) return;
    const QFileInfo file(path);
    if (!file.exists() || (file.lastModified() == m_written && file.size() == m_size)) return;
    m_written = file.lastModified();
    m_size = file.size();
    m_reading = true;
    auto *watcher = new QFutureWatcher<QList<Event>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, path] {
        watcher->deleteLater();
        m_reading = false;
        take(path, watcher->result());
    });
    watcher->setFuture(QtConcurrent::run(eventsAfter, path, m_document->trajectory().lastSequence));
}

void SessionFollower::take(const QString &path, const QList<Event> &events)
{
    if (events.isEmpty() || m_paused || path != m_document->path()) return;
    m_lastEvents.start();
    for (const Event &event : events)
        m_document->apply(event, {});
    Q_EMIT followed(int(events.size()));
}

} // namespace kernelskill
