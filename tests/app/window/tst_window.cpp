// SPDX-License-Identifier: Apache-2.0
// The window as a person uses it, on a display with a window manager.
#include "charts/chart.h"
#include "charts/chart_pane.h"
#include "diff/compare_panel.h"
#include "diff/diff_panel.h"
#include "example_session.h"
#include "settings/theme.h"
#include "shell/node_actions.h"
#include "shell/palette_line.h"
#include "trajectory/trajectory_panel.h"
#include "watched_application.h"
#include "window_test.h"

#include <QAccessible>
#include <QHeaderView>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestWindow : public WindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        startAfresh();
        const QString path = m_folder.filePath(u"example.kss"_s);
        const auto written = writeExampleSession(path, false);
        QVERIFY2(written.has_value(), written ? "" : qPrintable(written.error().message));
        CommandLine options;
        options.files = {path};
        options.size = QSize(1600, 960);
        showWindow(options);
        QCOMPARE(m_window->document()->trajectory().nodes.size(), 11);
        WatchedApplication::instance()->arm();
    }
    void opensOnTheBest()
    {
        QCOMPARE(m_window->selection()->selected(), 6);
        QCOMPARE(m_window->selection()->compared(), 4);
        QVERIFY(m_window->windowTitle().startsWith("row_softmax"_L1));
        QTRY_VERIFY(m_window->diffPanel()->view()->hunkCount() > 0);
    }
    void theChartsShowTheNodes()
    {
        const QList<ChartPane *> panes = m_window->findChildren<ChartPane *>();
        QCOMPARE(panes.size(), 2);
        for (ChartPane *pane : panes) {
            QTRY_VERIFY(pane->current()->emptySentence().isEmpty() && pane->current()->isVisible());
            QVERIFY(pane->current()->plottableCount() > 0);
        }
        // What was never chosen is made when it is.
        panes.first()->setChartIndex(2);
        QTRY_VERIFY(panes.first()->current()->isVisible() && panes.first()->current()->plottableCount() > 0);
        panes.first()->setChartIndex(0);
    }
    void arrowKeysWalkTheGraph()
    {
        TrajectoryView *view = m_window->trajectoryPanel()->view();
        view->setFocus();
        QTRY_VERIFY(view->hasFocus());
        QTest::keyClick(view, Qt::Key_Left);
        QCOMPARE(m_window->selection()->selected(), 4);
        QTest::keyClick(view, Qt::Key_Left);
        QCOMPARE(m_window->selection()->selected(), 3);
        QTest::keyClick(view, Qt::Key_Right);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(m_window->selection()->selected(), 6);
        QTest::keyClick(view, Qt::Key_Home);
        QCOMPARE(m_window->selection()->selected(), 0);
        QTest::keyClick(view, Qt::Key_End);
        QCOMPARE(m_window->selection()->selected(), 6);
    }
    void clickSelectsAndControlClickCompares()
    {
        TrajectoryView *view = m_window->trajectoryPanel()->view();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->nodeRect(7).center().toPoint());
        QCOMPARE(m_window->selection()->selected(), 7);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ControlModifier, view->nodeRect(1).center().toPoint());
        QCOMPARE(m_window->selection()->selected(), 7);
        QCOMPARE(m_window->selection()->compared(), 1);
    }
    void severalNodesSideBySide()
    {
        TrajectoryView *view = m_window->trajectoryPanel()->view();
        ComparePanel *panel = m_window->comparePanel();
        for (const int node : {1, 4, 6})
            QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ShiftModifier, view->nodeRect(node).center().toPoint());
        QCOMPARE(m_window->selection()->marked(), (QList<int>{1, 4, 6}));
        QMenu menu;
        m_window->nodeActions()->fill(&menu, 0);
        QAction *compare = nullptr;
        for (QAction *action : menu.actions()) {
            if (action->text().remove(u'&') == u"Compare 4 nodes side by side"_s) compare = action;
        }
        QVERIFY(compare);
        compare->trigger();
        QVERIFY(panel->isVisible() && !view->isVisible()); // the whole window
        QCOMPARE(panel->model()->nodes(), (QList<int>{1, 4, 6, 0}));
        QTRY_VERIFY(panel->view(0)->hasFocus());
        for (int column = 0; column < 4; ++column)
            QTRY_VERIFY(panel->view(column)->isVisible() && panel->view(column)->isSettled());
        const auto *figures = panel->table()->horizontalHeader();
        QTRY_COMPARE(figures->length(), panel->table()->viewport()->width());
        QVERIFY(figures->sectionSize(4) > 200);
        // Scrolled as one, as far as each reaches.
        QScrollBar *first = panel->view(0)->verticalScrollBar(), *other = panel->view(2)->verticalScrollBar();
        if (first->maximum() > 0 && other->maximum() > 0) {
            first->setValue(1);
            QCOMPARE(other->value(), 1);
        }
        if (const QString folder = qEnvironmentVariable("KERNELSKILL_TEST_PICTURES"); !folder.isEmpty())
            m_window->grab().save(folder + u"/compare.png"_s);
        QTest::keyClick(panel->view(0), Qt::Key_Escape);
        QVERIFY(!panel->isVisible() && view->isVisible());
        QVERIFY(m_window->diffPanel()->isVisible());
        // From the table, too.
        QTest::keyClick(m_window.get(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(panel->isVisible());
        QCOMPARE(panel->model()->nodes().size(), 3);
        auto *table = panel->findChild<QTableView *>();
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Escape);
        QTRY_VERIFY(!panel->isVisible());
        m_window->selection()->clearMarks();
        QVERIFY(m_window->selection()->marked().isEmpty());
    }
    void hunksAreWalked()
    {
        m_window->selection()->select(6);
        DiffView *view = m_window->diffPanel()->view();
        QTRY_VERIFY(view->isSettled() && view->hunkCount() > 1);
        QCOMPARE(view->currentHunk(), 0);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_N);
        QCOMPARE(view->currentHunk(), 1);
        QTest::keyClick(view, Qt::Key_P);
        QCOMPARE(view->currentHunk(), 0);
    }
    void diffTurnsUnifiedWhenNarrow()
    {
        QVERIFY(!m_window->diffPanel()->view()->isUnified());
        m_window->resize(1150, 900);
        QTRY_VERIFY(m_window->diffPanel()->view()->isUnified());
        m_window->resize(1600, 960);
        QTRY_VERIFY(!m_window->diffPanel()->view()->isUnified());
    }
    void zoomLevelsKeepTheNodesThere()
    {
        TrajectoryView *view = m_window->trajectoryPanel()->view();
        for (const double zoom : {0.1, 0.4, 1.0}) {
            view->setZoom(zoom, view->viewport()->rect().center());
            QCOMPARE(view->zoom(), zoom);
            view->ensureVisible(6);
            QCOMPARE(view->nodeAt(view->nodeRect(6).center().toPoint()), 6);
        }
        view->fit();
    }
    void themeSwitches()
    {
        theme().setMode(ThemeMode::Dark);
        // Widgets take a new application palette only inside exec(); what is painted from the theme changes at once.
        QCOMPARE(QApplication::palette().color(QPalette::Window), theme().color(u"surface.window"_s, true));
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->grab().toImage().pixelColor(800, 500).lightness() < 90);
        theme().setMode(ThemeMode::Light);
        QCOMPARE(QApplication::palette().color(QPalette::Window), theme().color(u"surface.window"_s, false));
    }
    void perspectivesRearrange()
    {
        for (const QString &name : {u"Review"_s, u"Teach"_s, u"Tune"_s}) {
            m_window->setPerspective(name);
            QCOMPARE(m_window->perspective(), name);
        }
    }
    void thePaletteFindsAndDoes()
    {
        PaletteLine *line = m_window->paletteLine();
        m_window->selection()->select(6);
        m_window->trajectoryPanel()->view()->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(line->hasFocus());
        QVERIFY(line->list()->isVisible());
        QTest::keyClicks(line, u"select base"_s);
        QCOMPARE(line->model()->index(0).data().toString(), u"Select base"_s);
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(!line->list()->isVisible());
        QVERIFY(!line->hasFocus());
        QCOMPARE(m_window->selection()->selected(), m_window->document()->trajectory().base);
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(line, u"no such thing at all"_s);
        QVERIFY(!line->list()->isVisible()); // nothing found
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(line->text().isEmpty());
    }
    void everyActionIsInThePalette()
    {
        PaletteLine *line = m_window->paletteLine();
        line->open();
        QStringList found;
        for (int row = 0; row < line->model()->rowCount(); ++row)
            found.append(line->model()->index(row).data().toString());
        QTest::keyClick(line, Qt::Key_Escape);
        int walked = 0;
        for (QMenu *menu : m_window->menuBar()->findChildren<QMenu *>()) {
            for (QAction *action : menu->actions()) {
                if (action->isSeparator() || action->menu() || !action->isVisible()) continue;
                const QString name = action->text().remove(u'&').remove(u'…');
                QVERIFY2(std::ranges::any_of(found, [&](const QString &entry) { return entry.endsWith(name); }), qPrintable(name));
                ++walked;
            }
        }
        QVERIFY(walked > 20);
    }
    void everyControlHasAName()
    {
        QStringList nameless;
        for (QWidget *widget : m_window->findChildren<QWidget *>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(m_window.get())) continue;
            QAccessibleInterface *face = QAccessible::queryAccessibleInterface(widget);
            if (face && face->text(QAccessible::Name).isEmpty() && widget->toolTip().isEmpty() && widget->parentWidget() &&
                !qobject_cast<QTabBar *>(widget) && !widget->inherits("QSplitter"))
                nameless.append(QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->objectName());
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u", "_s)));
    }
    void brokenFileShowsABanner()
    {
        const QString path = m_folder.filePath(u"broken.kss"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("no session");
        file.close();
        m_window->openSession(path);
        QTRY_VERIFY(m_window->isSettled());
        QCOMPARE(m_window->document()->trajectory().nodes.size(), 11); // what was open stays
    }
    void cleanupTestCase() { m_window.reset(); }
};

WATCHED_TEST_MAIN(TestWindow)
#include "tst_window.moc"
