// SPDX-License-Identifier: Apache-2.0
// What the window costs with a long session, a large diff and a large memory: prints a line a figure, with what is asked of it.
// Run it with QT_QPA_PLATFORM=offscreen: software raster, no window manager.
//   bench_workbench [NODES] [repairs]      repairs: most of them failed ones, which fold
#include "charts/chart_pane.h"
#include "diff/diff_panel.h"
#include "example_session.h"
#include "memory/skill_list.h"
#include "models/skill_model.h"
#include "settings/theme.h"
#include "shell/command_line.h"
#include "shell/main_window.h"
#include "trajectory/trajectory_panel.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <malloc.h>

using namespace Qt::StringLiterals;
using namespace kernelskill;

namespace {

// The longest time the event loop was held up since it was asked last.
class Watchdog : public QObject
{
public:
    Watchdog()
    {
        m_timer.setInterval(0);
        QObject::connect(&m_timer, &QTimer::timeout, this, [this] {
            m_longest = std::max(m_longest, double(m_clock.nsecsElapsed()) / 1e6);
            m_clock.restart();
        });
        m_clock.start();
        m_timer.start();
    }
    double take_ms()
    {
        QCoreApplication::processEvents();
        m_longest = std::max(m_longest, double(m_clock.nsecsElapsed()) / 1e6);
        return std::exchange(m_longest, 0);
    }
    void restart()
    {
        m_longest = 0;
        m_clock.restart();
    }

private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_longest = 0;
};

double residentMegabytes()
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:")) return line.simplified().split(' ').value(1).toDouble() / 1024;
    }
    return 0;
}

void say(const char *what, double value, const char *unit, const char *asked)
{
    std::printf("%-58s %9.1f %-4s (%s)\n", what, value, unit, asked);
    std::fflush(stdout);
}

template <class Condition> double waitFor(Condition &&done, int limit_ms = 120'000)
{
    QElapsedTimer timer;
    timer.start();
    while (!done() && timer.elapsed() < limit_ms)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    return double(timer.nsecsElapsed()) / 1e6;
}

void opening(MainWindow &window, const QString &path, int nodes, Watchdog &watchdog)
{
    const double before = residentMegabytes();
    watchdog.restart();
    QElapsedTimer timer;
    timer.start();
    window.openSession(path);
    waitFor([&] { return window.document()->trajectory().nodes.size() >= nodes && window.isSettled(); });
    say("opens a session of so many nodes", double(timer.nsecsElapsed()) / 1e6, "ms", "1500");
    say("  longest hold of the window meanwhile", watchdog.take_ms(), "ms", "50");
    say("  memory it takes", residentMegabytes() - before, "MiB", "400 in all");
    say("  memory in all", residentMegabytes(), "MiB", "400");
}

void panning(MainWindow &window)
{
    TrajectoryView *view = window.trajectoryPanel()->view();
    for (const double zoom : {0.02, 0.1, 0.4, 0.8}) {
        view->setZoom(zoom, QPointF(view->viewport()->rect().center()));
        QScrollBar *bar = view->horizontalScrollBar();
        constexpr int frames = 60;
        double longest = 0;
        QElapsedTimer all;
        all.start();
        for (int i = 0; i < frames; ++i) {
            QElapsedTimer one;
            one.start();
            bar->setValue(bar->maximum() * i / frames);
            view->viewport()->repaint();
            longest = std::max(longest, double(one.nsecsElapsed()) / 1e6);
        }
        say(qPrintable(u"pans at zoom %1"_s.arg(zoom)), frames / (double(all.nsecsElapsed()) / 1e9), "fps", "30");
        say("  longest frame", longest, "ms", "50");
    }
    QElapsedTimer zooming;
    zooming.start();
    constexpr int steps = 40;
    for (int i = 0; i < steps; ++i) {
        view->zoomBy(i < steps / 2 ? 1.1 : 1 / 1.1);
        view->viewport()->repaint();
    }
    say("zooms", steps / (double(zooming.nsecsElapsed()) / 1e9), "fps", "30");
}

void selecting(MainWindow &window, int nodes, Watchdog &watchdog)
{
    double sum = 0, longest = 0;
    constexpr int count = 20;
    for (int i = 1; i <= count; ++i) {
        QElapsedTimer timer;
        timer.start();
        window.selection()->select(nodes * i / (count + 1));
        waitFor([&] { return window.isSettled(); });
        window.repaint();
        const double took = double(timer.nsecsElapsed()) / 1e6;
        sum += took;
        longest = std::max(longest, took);
    }
    say("selection to diff and charts, mean", sum / count, "ms", "100");
    say("  longest", longest, "ms", "100");
    (void)watchdog.take_ms();
}

void streaming(MainWindow &window, const ExampleSession &session, Watchdog &watchdog)
{
    const QList<Event> &events = session.events;
    constexpr int perSecond = 200, seconds = 5;
    window.document()->clear();
    SessionContents contents;
    contents.trajectory = Trajectory::fold(events.first(events.size() - perSecond * seconds));
    contents.events = events.first(events.size() - perSecond * seconds);
    contents.blobs = session.blobs;
    window.document()->setContents(contents);
    waitFor([&] { return window.isSettled(); });
    (void)watchdog.take_ms();
    qsizetype next = contents.events.size();
    const qsizetype first = next;
    QElapsedTimer since;
    since.start();
    // As an engine does, which does not wait for the window: what is due comes, whenever it is let.
    QTimer source;
    source.setTimerType(Qt::PreciseTimer);
    source.setInterval(1000 / perSecond);
    QObject::connect(&source, &QTimer::timeout, &source, [&] {
        const qsizetype due = first + since.elapsed() * perSecond / 1000;
        while (next < std::min(due, events.size()))
            window.document()->apply(events[next++], {});
    });
    source.start();
    const double took = waitFor([&] { return next >= events.size(); });
    say("streams events", perSecond * seconds / (took / 1000), "/s", "200");
    say("  longest hold of the window meanwhile", watchdog.take_ms(), "ms", "50");
}

void diffing(Watchdog &watchdog)
{
    QString left, right;
    for (int i = 0; i < 5000; ++i) {
        const QString line = u"    const float value%1 = in[%1 * stride] + __ldg(weights + %1); // element %1\n"_s.arg(i);
        left += line;
        right += i % 7 == 0 ? u"    const float4 value%1 = in4[%1];\n"_s.arg(i) : line;
    }
    DiffView view;
    view.resize(1000, 700);
    view.show();
    for (const int lines : {2000, 5000}) {
        const auto part = [lines](const QString &text) { return text.section(u'\n', 0, lines - 1); };
        const DiffSide a{part(left), {}}, b{part(right), {}};
        waitFor([] { return false; }, 100);
        (void)watchdog.take_ms();
        QElapsedTimer timer;
        timer.start();
        view.compare(a, b, CodeLanguage::Cuda, false);
        waitFor([&] { return view.isSettled(); });
        view.viewport()->repaint();
        say(qPrintable(u"shows a diff of %1 lines"_s.arg(lines)), double(timer.nsecsElapsed()) / 1e6, "ms", "50 for 2000");
        say("  longest hold of the window meanwhile", watchdog.take_ms(), "ms", "50");
    }
}

void filtering()
{
    QList<Skill> skills;
    for (int i = 0; i < 5000; ++i) {
        Skill skill;
        skill.name = u"skill-%1"_s.arg(i);
        skill.title = u"Skill %1 of %2"_s.arg(i).arg(i % 97);
        skill.description = u"What skill %1 does when loads are narrow and rows are long"_s.arg(i);
        skills.append(skill);
    }
    SkillModel model;
    SkillList list(&model);
    list.resize(300, 600);
    list.show();
    QElapsedTimer timer;
    timer.start();
    model.setContents(skills, {});
    QCoreApplication::processEvents();
    say("lists 5000 skills", double(timer.nsecsElapsed()) / 1e6, "ms", "-");
    double longest = 0;
    QString typed;
    for (const QChar key : u"skill 12 of"_s) {
        typed += key;
        timer.restart();
        list.setFilter(typed);
        list.repaint();
        longest = std::max(longest, double(timer.nsecsElapsed()) / 1e6);
    }
    say("  longest wait for a key of the filter", longest, "ms", "50");
}

} // namespace

int main(int argc, char **argv)
{
    QElapsedTimer start;
    start.start();
    QTemporaryDir home;
    for (const char *variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
        qputenv(variable, home.path().toLocal8Bit());
    QApplication application(argc, argv);
    const int nodes = application.arguments().value(1, u"10000"_s).toInt();
    const ExampleSession turn = application.arguments().value(2) == "repairs"_L1 ? sessionWithFailedRepairs() : exampleSession(false);
    theme().setMode(ThemeMode::Light);
    theme().applyToApplication();
    CommandLine options;
    options.size = QSize(1600, 1000);
    MainWindow window(options);
    window.show();
    window.repaint();
    say("start to first paint", double(start.nsecsElapsed()) / 1e6, "ms", "1000");
    waitFor([&] { return window.isSettled(); });

    // Not kept: the window's memory is measured.
    const QString path = home.filePath(u"long.kss"_s);
    if (const auto written = writeSession(path, longSession(nodes, turn)); !written) {
        std::fprintf(stderr, "%s\n", qPrintable(written.error().message));
        return 3;
    }
    malloc_trim(0); // what making it took is not the window's
    Watchdog watchdog;
    opening(window, path, nodes, watchdog);
    panning(window);
    selecting(window, nodes, watchdog);
    streaming(window, longSession(nodes, turn), watchdog);
    diffing(watchdog);
    filtering();
    return 0;
}
