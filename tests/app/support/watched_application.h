// SPDX-License-Identifier: Apache-2.0
// The application of the window tests: what holds the UI thread for longer than a person should wait fails the test that
// runs, with its name. Counted is the thread's own CPU time, so that a machine with other work to do fails nothing.
#pragma once

#include <QApplication>
#include <QPointer>
#include <QStringList>
#include <QTest>

namespace kernelskill {

class WatchedApplication : public QApplication
{
    Q_OBJECT
public:
    // What the issue asks; sanitizers make everything slower by about so much.
    static constexpr double limit_ms = 50;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr double slowdown = 8;
#else
    static constexpr double slowdown = 1;
#endif

    WatchedApplication(int &argc, char **argv);
    [[nodiscard]] static WatchedApplication *instance();

    bool notify(QObject *receiver, QEvent *event) override;

    // From now on an event whose handling takes longer than the limit fails the test that runs. Not while the window is
    // built: its start has a figure of its own.
    void arm() { m_armed = true; }
    void disarm() { m_armed = false; }
    // Since this was asked last: the event that took longest, and the turn of the loop, which is all events that it
    // handles before it looks for others. On a machine with other work to do more timers are due in one turn, so that
    // one may take twice the limit; and only where a test leaves everything to the loop does it say anything.
    struct Held
    {
        double event_ms = 0, turn_ms = 0;
        QString what; // in that turn: "31.2 ms Timer for QTimer in …, …"
        [[nodiscard]] bool isTolerable() const { return event_ms <= limit_ms * slowdown && turn_ms <= 2 * limit_ms * slowdown; }
    };
    [[nodiscard]] Held takeHeld();

    // For what a person waits for knowingly, with the reason.
    class Pardon
    {
    public:
        explicit Pardon(const char *reason);
        ~Pardon();
        Q_DISABLE_COPY_MOVE(Pardon)

    private:
        bool m_was;
    };

private:
    void endTurn();
    void count();

    bool m_armed = false;
    int m_depth = 0;
    QPointer<QObject> m_receiver; // of the outermost event; it may be gone afterwards
    const char *m_className = "";
    int m_type = 0;
    double m_since_ms = 0; // CPU time from which on the outermost event counts
    double m_turn_ms = 0;
    QList<std::pair<double, QString>> m_parts, m_longestParts; // of this turn and of the longest
    Held m_held;
};

} // namespace kernelskill

// As QTEST_MAIN, with such an application.
#define WATCHED_TEST_MAIN(TestClass)                                                                                   \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        kernelskill::WatchedApplication application(argc, argv);                                                       \
        TestClass test;                                                                                                \
        QTEST_SET_MAIN_SOURCE_PATH                                                                                     \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
