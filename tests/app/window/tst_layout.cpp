// SPDX-License-Identifier: Apache-2.0
// Where things stand and how much room they have: in each perspective, after changing between them, in a comparison.
#include "diff/compare_panel.h"
#include "diff/diff_view.h"
#include "diff/node_part.h"
#include "example_memory.h"
#include "example_session.h"
#include "memory/skills_panel.h"
#include "memory/skill_actions.h"
#include "memory/skill_detail.h"
#include "memory/skill_list.h"
#include "memory/skill_table.h"
#include "trajectory/trajectory_panel.h"
#include "window_test.h"

#include <QDir>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QTableView>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestLayout : public WindowTest
{
    Q_OBJECT

    void open(QSize size)
    {
        m_window.reset();
        CommandLine options;
        options.files = {m_folder.filePath(u"evening.kss"_s)};
        options.size = size;
        m_window = std::make_unique<MainWindow>(options);
        if (!size.isValid()) m_window->resize(1500, 940);
        m_window->show();
        settle();
    }
    void settle() const
    {
        int quiet = 0;
        for (int i = 0; i < 600 && quiet < 4; ++i) {
            QTest::qWait(20);
            quiet = m_window->isSettled() && m_window->skillsPanel()->isSettled() ? quiet + 1 : 0;
        }
        QCOMPARE(quiet, 4);
    }
    void show(const QString &perspective) const
    {
        m_window->setPerspective(perspective);
        settle();
    }
    [[nodiscard]] QList<QDockWidget *> docks() const { return m_window->findChildren<QDockWidget *>(); }
    [[nodiscard]] QHash<QString, QSize> dockSizes() const
    {
        QHash<QString, QSize> sizes;
        for (QDockWidget *dock : docks()) { // two have the same name
            const bool below = m_window->dockWidgetArea(dock) == Qt::BottomDockWidgetArea;
            sizes.insert(dock->objectName() + (below ? u" below"_s : QString()), dock->isVisible() ? dock->size() : QSize());
        }
        return sizes;
    }
    // Rows that are whole in view.
    static int wholeRows(const QTreeView *view)
    {
        int rows = 0;
        for (QModelIndex index = view->model()->index(0, 0); index.isValid(); index = view->indexBelow(index)) {
            const QRect rect = view->visualRect(index);
            rows += rect.height() > 0 && rect.top() >= 0 && rect.bottom() < view->viewport()->height();
        }
        return rows;
    }

private Q_SLOTS:
    void initTestCase()
    {
        startAfresh();
        const QString path = m_folder.filePath(u"evening.kss"_s);
        QVERIFY(writeExampleSession(path, false));
        QVERIFY(QDir().mkpath(m_folder.filePath(u"kernelskill"_s)));
        const auto written = writeExampleMemory(m_folder.filePath(u"kernelskill/memory.db"_s), path);
        QVERIFY2(written.has_value(), written ? "" : qPrintable(written.error().message));
    }
    void reviewShowsWhatTheDrawingShows()
    {
        open({1600, 1000});
        show(u"Review"_s);
        m_window->skillsPanel()->selectSkill(u"vectorised-access"_s);
        settle();
        const SkillDetail *detail = m_window->skillsPanel()->detail();
        const SkillTable *ledger = detail->ledgerTable(), *revisions = detail->revisionTable();
        QVERIFY2(wholeRows(ledger) >= 7, qPrintable(QString::number(wholeRows(ledger))));
        QVERIFY2(wholeRows(revisions) >= 4, qPrintable(QString::number(wholeRows(revisions))));
    }
    void tuneShowsWholeCards()
    {
        open({1600, 1000});
        show(u"Tune"_s);
        QVERIFY(m_window->trajectoryPanel()->view()->zoom() >= 0.6); // nine rounds of cards side by side
        const QHash<QString, QSize> sizes = dockSizes();
        QCOMPARE(sizes[u"Tasks"_s].width(), themeSize("leftDock"));
        QCOMPARE(sizes[u"Memory"_s].width(), themeSize("rightDock"));
    }
    void docksReturnAsTheyWere_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("a size that was asked for") << QSize(1600, 1000);
        QTest::newRow("the person's own") << QSize();
    }
    void docksReturnAsTheyWere()
    {
        QFETCH(QSize, size);
        open(size);
        show(u"Tune"_s);
        QDockWidget *left = nullptr, *right = nullptr;
        for (QDockWidget *dock : docks()) {
            if (m_window->dockWidgetArea(dock) == Qt::LeftDockWidgetArea) left = dock;
            if (m_window->dockWidgetArea(dock) == Qt::RightDockWidgetArea) right = dock;
        }
        QVERIFY(left && right);
        m_window->resizeDocks({left, right}, {233, 377}, Qt::Horizontal);
        settle();
        const QHash<QString, QSize> before = dockSizes();
        QCOMPARE(left->width(), 233);
        QCOMPARE(right->width(), 377);
        for (const QString &other : {u"Review"_s, u"Teach"_s}) {
            show(other);
            QVERIFY(dockSizes() != before);
            show(u"Tune"_s);
            QCOMPARE(dockSizes(), before);
        }
        // The other perspectives keep what was made of them as well.
        show(u"Review"_s);
        m_window->resizeDocks({left}, {401}, Qt::Horizontal);
        settle();
        const QHash<QString, QSize> review = dockSizes();
        show(u"Tune"_s);
        show(u"Review"_s);
        QCOMPARE(dockSizes(), review);
    }
    void theFilterHasRoomForItsWords_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("perspective");
        for (const QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(1920, 1200)}) {
            for (const QString &perspective : {u"Tune"_s, u"Review"_s})
                QTest::addRow("%s %d", qPrintable(perspective), size.width()) << size << perspective;
        }
    }
    void theFilterHasRoomForItsWords()
    {
        QFETCH(QSize, size);
        QFETCH(QString, perspective);
        open(size);
        show(perspective);
        int seen = 0;
        for (const QLineEdit *line : m_window->findChildren<QLineEdit *>()) {
            if (!line->isVisible() || line->placeholderText().isEmpty()) continue;
            ++seen;
            QStyleOptionFrame option;
            option.initFrom(line);
            option.lineWidth = line->style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, line);
            const int inside = line->style()->subElementRect(QStyle::SE_LineEditContents, &option, line).width();
            const int icon = line->actions().isEmpty() ? 0 : 24;
            const int needed = line->fontMetrics().horizontalAdvance(line->placeholderText()) + 4 + icon;
            QVERIFY2(inside >= needed, qPrintable(u"“%1” needs %2 px and has %3"_s.arg(line->placeholderText()).arg(needed).arg(inside)));
        }
        QVERIFY(seen >= 2);
    }
    void undoIsOfferedWhereThereIsSomething()
    {
        open({1600, 1000});
        show(u"Review"_s);
        SkillsPanel *panel = m_window->skillsPanel();
        panel->selectSkill(u"online-softmax"_s); // as it was shipped
        settle();
        QTRY_COMPARE(panel->detail()->skill(), u"online-softmax"_s);
        QVERIFY(!panel->actions()->undo->isEnabled());
        panel->selectSkill(u"vectorised-access"_s); // edited twice and pinned
        QTRY_VERIFY(panel->actions()->undo->isEnabled());
        QVERIFY(panel->actions()->undo->text().endsWith(u"Vectorised access"_s));
        panel->selectSkill(u"guard-ragged-tail"_s); // a draft that nobody touched
        settle();
        QVERIFY(!panel->actions()->undo->isEnabled());
        // What was done here is taken back, whatever is looked at then; after that nothing is left.
        panel->selectSkill(u"online-softmax"_s);
        settle();
        panel->actions()->pin->trigger();
        QTRY_VERIFY(panel->actions()->undo->isEnabled());
        settle();
        panel->actions()->undo->trigger();
        QTRY_VERIFY(!panel->actions()->undo->isEnabled());
    }
    void comparedColumnsLineUp()
    {
        open({1600, 1000});
        show(u"Tune"_s);
        ComparePanel *panel = m_window->comparePanel();
        for (const QList<int> &nodes : {QList<int>{0, 6}, QList<int>{1, 4, 6}, QList<int>{0, 1, 4, 6}}) {
            m_window->compareNodes(nodes);
            settle();
            QVERIFY(panel->isVisible());
            const QHeaderView *header = panel->table()->horizontalHeader();
            const int count = int(nodes.size());
            QCOMPARE(header->count(), count + 1);
            for (int column = 0; column + 1 < count; ++column) {
                const int codeEnds = panel->view(column + 1)->mapTo(panel, QPoint()).x();
                const int figuresEnd = panel->table()->mapTo(panel, QPoint()).x() + header->sectionPosition(column + 2);
                QCOMPARE(figuresEnd, codeEnds);
                // All columns of the code are equally wide.
                QVERIFY(std::abs(panel->view(column)->width() - panel->view(column + 1)->width()) <= 1);
            }
            QCOMPARE(header->length(), panel->table()->viewport()->width());
            for (int section = 0; section <= count; ++section)
                QVERIFY2(header->sectionSize(section) >= 120, qPrintable(QString::number(header->sectionSize(section))));
        }
        // Narrower, they still do.
        m_window->resize(1300, 900);
        QTRY_COMPARE(panel->table()->horizontalHeader()->sectionPosition(2), panel->view(1)->x());
    }
    void comparedPartsCanBeChosen()
    {
        open({1600, 1000});
        ComparePanel *panel = m_window->comparePanel();
        m_window->compareNodes({0, 4, 6, 5});
        settle();
        const auto shown = [panel] {
            QStringList titles;
            for (int i = 0; i < panel->tabs()->count(); ++i)
                if (panel->tabs()->isTabVisible(i)) titles.append(panel->tabs()->tabText(i));
            return titles;
        };
        QCOMPARE(shown(), (QStringList{u"CUDA"_s, u"PTX"_s, u"Plan"_s, u"Profile"_s})); // the simulator makes no SASS
        QVERIFY(panel->view(3)->text().contains(u"rowSoftmax"_s));
        for (int i = 0; i < panel->tabs()->count(); ++i)
            if (panel->tabs()->tabText(i) == "PTX"_L1) panel->tabs()->setCurrentIndex(i);
        settle();
        QTRY_VERIFY(panel->view(2)->text().contains(u".version"_s) || panel->view(2)->text().contains(u".entry"_s));
        QCOMPARE(panel->view(3)->text(), u"Node 5 has no PTX."_s); // it was not built
    }
    void cleanupTestCase() { m_window.reset(); }
};

QTEST_MAIN(TestLayout)
#include "tst_layout.moc"
