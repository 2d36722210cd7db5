// SPDX-License-Identifier: Apache-2.0
#include "watched_application.h"

#include <QAbstractEventDispatcher>
#include <QMetaEnum>

#include <algorithm>
#include <ctime>
#include <functional>
#include <utility>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr double worthTelling_ms = 1;

double cpuTime_ms()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

// "MetaCall for kernelskill::DiffPanel", with the object's name where it has one.
QString nameOf(const QObject *receiver, const char *className, int type)
{
    const char *event = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
    QString name = u"%1 for %2"_s.arg(event ? QString::fromLatin1(event) : u"event %1"_s.arg(type), QString::fromLatin1(className));
    if (receiver && !receiver->objectName().isEmpty()) name += u" “%1”"_s.arg(receiver->objectName());
    // A timer or a watcher says little without whose it is.
    if (receiver && receiver->parent()) name += u" in %1"_s.arg(QString::fromLatin1(receiver->parent()->metaObject()->className()));
    return name;
}

} // namespace

WatchedApplication::WatchedApplication(int &argc, char **argv) : QApplication(argc, argv)
{
    // A turn begins when the loop looks for events and ends when it looks again or waits; so does one of a loop within.
    const QAbstractEventDispatcher *loop = QAbstractEventDispatcher::instance();
    connect(loop, &QAbstractEventDispatcher::awake, this, &WatchedApplication::endTurn);
    connect(loop, &QAbstractEventDispatcher::aboutToBlock, this, &WatchedApplication::endTurn);
}

WatchedApplication *WatchedApplication::instance()
{
    return static_cast<WatchedApplication *>(QCoreApplication::instance());
}

bool WatchedApplication::notify(QObject *receiver, QEvent *event)
{
    if (QThread::currentThread() != thread()) return QApplication::notify(receiver, event);
    if (m_depth > 0) {
        ++m_depth;
        const bool taken = QApplication::notify(receiver, event);
        --m_depth;
        return taken;
    }
    m_receiver = receiver;
    m_className = receiver->metaObject()->className();
    m_type = event->type();
    m_since_ms = cpuTime_ms();
    ++m_depth;
    const bool taken = QApplication::notify(receiver, event);
    --m_depth;
    count();
    return taken;
}

// What the outermost event took since it was counted last.
void WatchedApplication::count()
{
    const double now_ms = cpuTime_ms(), took_ms = now_ms - std::exchange(m_since_ms, now_ms);
    m_turn_ms += took_ms;
    m_held.event_ms = std::max(m_held.event_ms, took_ms);
    if (took_ms >= worthTelling_ms) m_parts.append({took_ms, nameOf(m_receiver, m_className, m_type)});
    if (!m_armed || took_ms <= limit_ms * slowdown) return;
    const QString text = u"the UI thread was held for %1 ms of CPU time by %2"_s.arg(took_ms, 0, 'f', 1).arg(m_parts.last().second);
    QTest::qFail(qPrintable(text), __FILE__, __LINE__);
}

void WatchedApplication::endTurn()
{
    if (m_depth > 0) count(); // a loop within an event: what was before it belongs to this turn
    if (m_turn_ms > m_held.turn_ms) {
        m_held.turn_ms = m_turn_ms;
        m_longestParts = m_parts;
    }
    m_turn_ms = 0;
    m_parts.clear();
}

WatchedApplication::Held WatchedApplication::takeHeld()
{
    endTurn();
    auto parts = std::exchange(m_longestParts, {});
    std::ranges::stable_sort(parts, std::greater());
    QStringList words;
    for (const auto &[ms, name] : std::as_const(parts))
        words.append(u"%1 ms %2"_s.arg(ms, 0, 'f', 1).arg(name));
    m_held.what = words.join(u", "_s);
    return std::exchange(m_held, {});
}

WatchedApplication::Pardon::Pardon(const char *) : m_was(instance()->m_armed)
{
    instance()->endTurn(); // what came before is not forgiven
    instance()->m_armed = false;
}

WatchedApplication::Pardon::~Pardon()
{
    instance()->endTurn();
    instance()->m_armed = m_was;
}

} // namespace kernelskill
