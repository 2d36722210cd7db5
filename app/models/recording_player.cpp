// SPDX-License-Identifier: Apache-2.0
#include "models/recording_player.h"

#include <QFutureWatcher>
#include <QTimer>
#include <QtConcurrentRun>

#include <algorithm>
#include <utility>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int longestPause_ms = 3000; // a night between two events is no show
constexpr int shortestPause_ms = 15;
constexpr int mostTicks = 1500;       // of a show as fast as can be seen
constexpr int mostAtOnce = 60;        // events that are applied one by one; more are folded in a worker

bool showsSomething(const Event &event)
{
    static const QStringList kinds{u"round.start"_s,    u"round.plan"_s,      u"person.prediction"_s, u"node.candidate"_s,
                                   u"node.evaluated"_s, u"repair.diagnosis"_s, u"run.ended"_s};
    return kinds.contains(event.kind);
}

} // namespace

RecordingPlayer::RecordingPlayer(SessionDocument *document, QObject *parent)
    : QObject(parent), m_document(document), m_timer(new QTimer(this))
{
    m_timer->setSingleShot(true);
    connect(m_timer, &QTimer::timeout, this, &RecordingPlayer::advance);
}

void RecordingPlayer::begin(SessionContents contents)
{
    m_contents = std::move(contents);
    m_active = true;
    m_playing = false;
    m_position = 0;
    m_wanted = -1;
    ++m_generation;
    SessionContents nothing;
    nothing.path = m_contents.path;
    nothing.readOnly = true;
    nothing.blobs = m_contents.blobs;
    m_document->setContents(std::move(nothing));
    while (m_position < count() && m_document->isEmpty()) // there is something to look at
        m_document->apply(m_contents.events[m_position++], {});
    Q_EMIT changed();
}

void RecordingPlayer::end()
{
    if (!m_active) return;
    SessionContents whole = std::exchange(m_contents, {});
    forget();
    m_document->setContents(std::move(whole));
}

void RecordingPlayer::forget()
{
    if (!m_active) return;
    m_active = m_playing = false;
    m_contents = {};
    m_position = 0;
    ++m_generation;
    m_timer->stop();
    Q_EMIT changed();
}

void RecordingPlayer::play()
{
    if (!m_active || m_playing) return;
    m_playing = true;
    if (m_position >= count()) jump(1); // once more
    schedule();
    Q_EMIT changed();
}

void RecordingPlayer::pause()
{
    if (!m_playing) return;
    m_playing = false;
    m_timer->stop();
    Q_EMIT changed();
}

void RecordingPlayer::step()
{
    if (!m_active) return;
    pause();
    int target = m_position;
    while (target < count() && !showsSomething(m_contents.events[target]))
        ++target;
    seek(target + 1);
}

void RecordingPlayer::setSpeed(double factor)
{
    m_speed = factor;
    if (m_playing) schedule();
}

int RecordingPlayer::delay_ms(int position) const
{
    if (position <= 0 || position >= count() || m_speed <= 0) return shortestPause_ms;
    const double recorded_ms = double(m_contents.events[position].time_ms - m_contents.events[position - 1].time_ms);
    return int(std::clamp(recorded_ms / m_speed, double(shortestPause_ms), double(longestPause_ms)));
}

void RecordingPlayer::schedule()
{
    if (m_position >= count()) {
        pause();
        return;
    }
    m_timer->start(delay_ms(m_position));
}

void RecordingPlayer::advance()
{
    if (!m_playing || m_folding) return;
    // As fast as can be seen: a long session takes no longer than half a minute.
    const int several = m_speed <= 0 ? 1 + count() / mostTicks : 1;
    for (int i = 0; i < several && m_position < count(); ++i)
        m_document->apply(m_contents.events[m_position++], {});
    Q_EMIT changed();
    schedule();
}

void RecordingPlayer::seek(int position)
{
    if (!m_active) return;
    position = std::clamp(position, 1, std::max(1, count()));
    const bool forward = position >= m_position && position - m_position <= mostAtOnce && !m_folding;
    if (!forward) {
        jump(position);
        return;
    }
    while (m_position < std::min(position, count()))
        m_document->apply(m_contents.events[m_position++], {});
    Q_EMIT changed();
    if (m_playing) schedule();
}

// One fold at a time; of the places asked for meanwhile the last one counts.
void RecordingPlayer::jump(int position)
{
    m_wanted = position;
    if (m_folding) return;
    m_folding = true;
    const int generation = m_generation;
    auto *watcher = new QFutureWatcher<SessionContents>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        m_folding = false;
        if (generation != m_generation || !m_active) return;
        SessionContents part = watcher->result();
        m_position = int(part.events.size());
        m_document->setContents(std::move(part));
        Q_EMIT changed();
        if (m_wanted != m_position)
            jump(m_wanted);
        else if (m_playing)
            schedule();
    });
    watcher->setFuture(QtConcurrent::run([contents = m_contents, position] {
        SessionContents part;
        part.path = contents.path;
        part.readOnly = true;
        part.blobs = contents.blobs;
        part.events = contents.events.first(std::min<qsizetype>(position, contents.events.size()));
        part.trajectory = Trajectory::fold(part.events);
        return part;
    }));
}

} // namespace kernelskill
