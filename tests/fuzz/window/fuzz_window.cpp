// SPDX-License-Identifier: Apache-2.0
// Random use of the window. Exits with 0 when every case ended by itself. Options: loop/fuzz_loop.h.
#include "example_session.h"
#include "fuzz_loop.h"
#include "random.h"
#include "settings/theme.h"
#include "shell/command_line.h"
#include "shell/main_window.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <cstdio>
#include <cstdlib>
#include <map>

using namespace Qt::StringLiterals;
using namespace kernelskill;
using fuzz::Random;

namespace {

constexpr int stepsOfACase = 60;

void endOnWarning(QtMsgType type, const QMessageLogContext &, const QString &text)
{
    static const QStringList ofThePlatform{u"This plugin does not support"_s}; // offscreen has no window manager
    for (const QString &known : ofThePlatform)
        if (text.startsWith(known)) return;
    std::fprintf(stderr, "%s\n", qPrintable(text));
    if (type != QtDebugMsg && type != QtInfoMsg) std::abort();
}

// What opens on top waits for a person: it gets Escape instead.
class Closer : public QObject
{
public:
    Closer()
    {
        m_timer.setInterval(15);
        QObject::connect(&m_timer, &QTimer::timeout, this, [] {
            if (QWidget *popup = QApplication::activePopupWidget())
                popup->close();
            else if (QWidget *dialog = QApplication::activeModalWidget())
                dialog->close();
        });
        m_timer.start();
    }

private:
    QTimer m_timer;
};

template <class T> T pick(const QList<T> &list, Random &random)
{
    return list[qsizetype(random.below(size_t(list.size())))];
}

class Person
{
public:
    Person(MainWindow &window, Random &random, std::map<std::string, int> &done)
        : m_window(window), m_random(random), m_done(done),
          m_sessions{exampleSession(false),      exampleSession(true), longSession(600),
                     sessionWithFailedRepairs(), longSession(600, sessionWithFailedRepairs()), {}}
    {
    }

    void step()
    {
        struct Deed
        {
            const char *name;
            unsigned weight;
            void (Person::*what)();
        };
        static constexpr Deed deeds[] = {
            {"action", 25, &Person::triggerAction}, {"click", 25, &Person::click},   {"key", 15, &Person::pressKey},
            {"text", 5, &Person::type},             {"wheel", 5, &Person::wheel},    {"events", 8, &Person::takeEvents},
            {"session", 4, &Person::exchange},      {"select", 8, &Person::select},  {"size", 3, &Person::resize},
            {"theme", 2, &Person::changeTheme},
        };
        std::size_t at = m_random.below(100);
        for (const Deed &deed : deeds) {
            if (at < deed.weight) {
                ++m_done[deed.name];
                (this->*deed.what)();
                break;
            }
            at -= deed.weight;
        }
        QTest::qWait(int(m_random.below(25)));
    }

private:
    [[nodiscard]] QWidget *anyWidget()
    {
        QList<QWidget *> visible;
        for (QWidget *widget : m_window.findChildren<QWidget *>())
            if (widget->isVisible() && widget->isEnabled() && !widget->size().isEmpty()) visible.append(widget);
        return visible.isEmpty() ? &m_window : pick(visible, m_random);
    }
    [[nodiscard]] QPoint placeIn(const QWidget *widget)
    {
        return {int(m_random.below(size_t(widget->width()))), int(m_random.below(size_t(widget->height())))};
    }
    [[nodiscard]] Qt::KeyboardModifiers anyModifiers()
    {
        return m_random.chance(75) ? Qt::NoModifier : m_random.chance(50) ? Qt::ControlModifier : Qt::ShiftModifier;
    }

    void triggerAction()
    {
        QList<QAction *> actions;
        for (QAction *action : m_window.findChildren<QAction *>())
            if (action->isEnabled() && action->menuRole() != QAction::QuitRole && !action->isSeparator() && !action->menu() &&
                action->shortcut() != QKeySequence(QKeySequence::Quit) && action->shortcut() != QKeySequence(QKeySequence::Close))
                actions.append(action);
        if (!actions.isEmpty()) pick(actions, m_random)->trigger();
    }
    void click()
    {
        QWidget *widget = anyWidget();
        const QPoint where = placeIn(widget);
        const auto button = m_random.chance(80) ? Qt::LeftButton : Qt::RightButton;
        if (m_random.chance(15))
            QTest::mouseDClick(widget, Qt::LeftButton, anyModifiers(), where);
        else
            QTest::mouseClick(widget, button, anyModifiers(), where);
        if (button == Qt::RightButton && m_window.isVisible()) {
            QContextMenuEvent event(QContextMenuEvent::Mouse, where, widget->mapToGlobal(where));
            QCoreApplication::sendEvent(widget, &event);
        }
    }
    void pressKey()
    {
        static constexpr Qt::Key keys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,  Qt::Key_Down,   Qt::Key_Home,   Qt::Key_End,
                                           Qt::Key_Tab,  Qt::Key_Return, Qt::Key_N,  Qt::Key_P,      Qt::Key_Escape, Qt::Key_Space,
                                           Qt::Key_Plus, Qt::Key_Minus,  Qt::Key_F,  Qt::Key_Delete, Qt::Key_Menu,   Qt::Key_PageDown};
        QWidget *widget = QApplication::focusWidget() ? QApplication::focusWidget() : anyWidget();
        QTest::keyClick(widget, keys[m_random.below(std::size(keys))], anyModifiers());
    }
    void type()
    {
        QWidget *widget = QApplication::focusWidget() ? QApplication::focusWidget() : anyWidget();
        static const QStringList texts{u"soft"_s, u"*&^%$"_s, u"ärger 漢字"_s, u"[(\\"_s, u"__global__ void f() {"_s};
        for (const QChar letter : pick(texts, m_random)) {
            QKeyEvent event(QEvent::KeyPress, Qt::Key_unknown, Qt::NoModifier, QString(letter));
            QCoreApplication::sendEvent(QApplication::focusWidget() ? QApplication::focusWidget() : widget, &event);
        }
    }
    void wheel()
    {
        QWidget *widget = anyWidget();
        const QPoint where = placeIn(widget);
        const int turn = m_random.chance(50) ? 120 : -120;
        QWheelEvent event(where, widget->mapToGlobal(where), {}, {0, turn}, Qt::NoButton, anyModifiers(), Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(widget, &event);
    }
    // The next of the session's own events, as a run sends them; now and then one it has sent, or one of another session.
    void takeEvents()
    {
        const ExampleSession &session = m_sessions[m_random.chance(90) ? m_shown : m_random.below(std::size(m_sessions))];
        for (std::size_t i = m_random.below(30); i > 0 && !session.events.isEmpty(); --i) {
            const qsizetype next = m_random.chance(95) ? m_next++ : qsizetype(m_random.below(size_t(session.events.size())));
            if (next < session.events.size()) m_window.document()->apply(session.events[next], session.blobs);
        }
    }
    void exchange()
    {
        m_shown = m_random.below(std::size(m_sessions));
        const ExampleSession &session = m_sessions[m_shown];
        m_next = qsizetype(m_random.below(size_t(session.events.size() + 1)));
        SessionContents contents;
        contents.events = session.events.first(m_next);
        contents.trajectory = Trajectory::fold(contents.events);
        contents.blobs = session.blobs;
        m_window.document()->setContents(contents);
    }
    void select()
    {
        const int node = int(m_random.below(30)) - 3;
        if (m_random.chance(60))
            m_window.selection()->select(node);
        else if (m_random.chance(70))
            m_window.selection()->compareWith(node);
        else
            m_window.selection()->setFollow(m_random.chance(50));
    }
    void resize()
    {
        m_window.resize(600 + int(m_random.below(1400)), 400 + int(m_random.below(900)));
    }
    void changeTheme()
    {
        theme().setMode(m_random.chance(50) ? ThemeMode::Light : ThemeMode::Dark);
    }

    MainWindow &m_window;
    Random &m_random;
    std::map<std::string, int> &m_done;
    ExampleSession m_sessions[6];
    std::size_t m_shown = 0;
    qsizetype m_next = 0;
};

void runCase(const fuzz::Case &one, std::map<std::string, int> &done)
{
    QTemporaryDir folder;
    for (const char *variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
        qputenv(variable, folder.path().toLocal8Bit());
    Random random(one.seed * 1'000'003 + one.number);
    CommandLine options;
    options.size = QSize(1400, 900);
    if (random.chance(70)) {
        options.files = {folder.filePath(u"example.kss"_s)};
        (void)writeExampleSession(options.files.first(), random.chance(30));
    }
    MainWindow window(options);
    window.show();
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (QAbstractItemModel *model : window.findChildren<QAbstractItemModel *>())
        testers.push_back(std::make_unique<QAbstractItemModelTester>(model, QAbstractItemModelTester::FailureReportingMode::Fatal));
    const Closer closer;
    Person person(window, random, done);
    for (int i = 0; i < stepsOfACase; ++i)
        person.step();
    window.close();
    QTest::qWait(10);
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication::setAttribute(Qt::AA_DontUseNativeMenuBar);
    QApplication::setQuitOnLastWindowClosed(false);
    theme().setMode(ThemeMode::Light);
    theme().applyToApplication();
    qInstallMessageHandler(endOnWarning);
    std::map<std::string, int> done;
    return fuzz::runCases(
        "fuzz_window", argc, argv, [&](const fuzz::Case &one) { runCase(one, done); },
        [&] {
            std::string summary;
            for (const auto &[name, count] : done)
                summary += (summary.empty() ? "" : ", ") + std::to_string(count) + " " + name;
            return summary;
        });
}
