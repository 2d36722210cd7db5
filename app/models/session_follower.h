// SPDX-License-Identifier: Apache-2.0
// Shows what another program writes to the session that is open here: a run at the command line, or one that was left to go on
// without the window.
#pragma once

#include "models/session_document.h"

#include <QDateTime>
#include <QTimer>

namespace kernelskill {

class SessionFollower : public QObject
{
    Q_OBJECT
public:
    explicit SessionFollower(SessionDocument *document, QObject *parent = nullptr);

    // Not while this window works on the session itself: its events come as they happen.
    void setPaused(bool paused) { m_paused = paused; }
    // Somebody wrote to the file within the last seconds.
    [[nodiscard]] bool isWorkedOnElsewhere() const;

Q_SIGNALS:
    void followed(int events);

private:
    void look();
    void take(const QString &path, const QList<Event> &events);

    SessionDocument *m_document;
    QTimer m_timer;
    QDateTime m_written; // the file's time when it was last read
    qint64 m_size = -1;
    QElapsedTimer m_lastEvents;
    bool m_paused = false, m_reading = false;
};

} // namespace kernelskill
