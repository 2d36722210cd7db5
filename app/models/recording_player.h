// SPDX-License-Identifier: Apache-2.0
// Plays a session's events into the document at a pace: a show of what happened, nothing is evaluated or written. UI
// thread; a jump is folded in a worker.
#pragma once

#include "models/session_document.h"

#include <QObject>

class QTimer;

namespace kernelskill {

class RecordingPlayer : public QObject
{
    Q_OBJECT
public:
    explicit RecordingPlayer(SessionDocument *document, QObject *parent = nullptr);

    void begin(SessionContents contents); // at its first event, standing
    void end();                           // the whole session stands again
    void forget();                        // the document has gone on to something else
    void play();
    void pause();
    void step();               // to the next event that shows something
    void seek(int position);   // so many events are shown; `changed` follows when they are
    void setSpeed(double factor); // on the recorded pace; 0: as fast as can be seen

    [[nodiscard]] bool isActive() const { return m_active; }
    [[nodiscard]] bool isPlaying() const { return m_playing; }
    [[nodiscard]] int position() const { return m_position; }
    [[nodiscard]] int count() const { return int(m_contents.events.size()); }
    [[nodiscard]] QString path() const { return m_contents.path; }
    [[nodiscard]] int delay_ms(int position) const; // before the event there; pure

Q_SIGNALS:
    void changed();

private:
    void advance();
    void schedule();
    void jump(int position);

    SessionDocument *m_document;
    SessionContents m_contents; // the whole session
    QTimer *m_timer;
    double m_speed = 1;
    int m_position = 0, m_wanted = -1; // wanted: of a jump under way
    int m_generation = 0;
    bool m_active = false, m_playing = false, m_folding = false;
};

} // namespace kernelskill
