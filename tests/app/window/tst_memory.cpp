// SPDX-License-Identifier: Apache-2.0
// A person at work with the skill memory, in a window with a real store: edits a skill, reviews drafts, reads the
// history, opens the node a skill shaped, takes skills in.
#include "diff/diff_view.h"
#include "editor/code_editor.h"
#include "example_memory.h"
#include "example_session.h"
#include "memory/draft_card.h"
#include "memory/skill_table.h"
#include "memory/skills_panel.h"
#include "models/skill_rows.h"
#include "shell/bar.h"
#include "watched_application.h"
#include "window_test.h"

#include <QAction>
#include <QCloseEvent>
#include <QDir>
#include <QDropEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestMemory : public WindowTest
{
    Q_OBJECT
    SkillsPanel *m_panel = nullptr;
    SkillDetail *m_detail = nullptr;

    static constexpr auto m_tiling = "shared-memory-tiling";
    static constexpr auto m_pinned = "vectorised-access";
    static constexpr auto m_draft = "guard-ragged-tail";

    [[nodiscard]] QString memory() const { return m_folder.filePath(u"kernelskill/memory.db"_s); }
    [[nodiscard]] SkillStore store() const { return std::move(*SkillStore::open(memory(), {})); }
    [[nodiscard]] Skill stored(const QString &name) const { return store().skill(name)->value(); }
    [[nodiscard]] const Skill *listed(const char *name) const { return m_panel->model()->skill(QString::fromLatin1(name)); }
    [[nodiscard]] CodeEditor *text() const { return m_detail->editor()->editor(); }
    void choose(const char *name);
    void typeAtEndOfGate(const QString &words);
    [[nodiscard]] QString bannerText() const;
    void drop(const QString &path);
    QString makeSkill(const QString &folder, const QString &name, const QString &front);
    static QModelIndex rowWith(QAbstractItemModel *model, int role, const QVariant &value);

private Q_SLOTS:
    void initTestCase();
    void aBrokenGateIsToldAtItsPlace();
    void whatWasTypedStays();
    void mendedItIsSaved();
    void undoTakesItBack();
    void escapeGivesUp();
    void namesAreOffered();
    void narrowsTheList();
    void anyTwoRevisions();
    void anEarlierRevisionComesBack();
    void opensANodeItShaped();
    void draftsTellWhereTheyComeFrom();
    void acceptBringsTheNextDraft();
    void rejectsWithAReason();
    void restoresWhatWasRejected();
    void takesADroppedFolderIn();
    void saysWhatIsWrongWithADroppedFolder();
    void cleanupTestCase() { m_window.reset(); }
};

void TestMemory::choose(const char *name)
{
    m_panel->selectSkill(QString::fromLatin1(name));
    QCOMPARE(m_detail->skill(), QString::fromLatin1(name));
    QTRY_VERIFY(m_panel->isSettled());
}

// Behind the last line of the gate.
void TestMemory::typeAtEndOfGate(const QString &words)
{
    QTextCursor cursor = text()->textCursor();
    cursor.setPosition(int(text()->toPlainText().indexOf(u"\n    NOT has_shared_memory_tile"_s) + 1));
    cursor.movePosition(QTextCursor::EndOfBlock);
    text()->setTextCursor(cursor);
    QTest::keyClicks(text(), words);
}

QString TestMemory::bannerText() const
{
    for (const ElidedLabel *label : m_window->centralWidget()->findChildren<ElidedLabel *>()) {
        if (label->isVisible() && label->parentWidget()->metaObject()->className() == QByteArray("kernelskill::Banner"))
            return label->text();
    }
    return {};
}

void TestMemory::drop(const QString &path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &event);
}

QString TestMemory::makeSkill(const QString &folder, const QString &name, const QString &front)
{
    const QString path = m_folder.filePath(folder + u'/' + name);
    QDir().mkpath(path);
    QFile file(path + u"/SKILL.md"_s);
    if (file.open(QIODevice::WriteOnly))
        file.write(u"---\nname: %1\n%2---\nDo it carefully.\n"_s.arg(name, front).toUtf8());
    return path;
}

QModelIndex TestMemory::rowWith(QAbstractItemModel *model, int role, const QVariant &value)
{
    const QModelIndexList found = model->match(model->index(0, 0), role, value, 1, Qt::MatchExactly | Qt::MatchRecursive);
    return found.value(0);
}

void TestMemory::initTestCase()
{
    startAfresh();
    qputenv("USER", "tester");
    const QString session = m_folder.filePath(u"example.kss"_s);
    QVERIFY(writeExampleSession(session, false));
    QDir().mkpath(m_folder.filePath(u"kernelskill"_s));
    const auto written = writeExampleMemory(memory(), session);
    QVERIFY2(written.has_value(), written ? "" : qPrintable(written.error().message));
    CommandLine options;
    options.size = QSize(1600, 1000);
    options.perspective = u"Review"_s;
    showWindow(options);
    m_panel = m_window->skillsPanel();
    m_detail = m_panel->detail();
    QTRY_VERIFY(m_window->isSettled() && !m_panel->model()->skills().isEmpty());
    WatchedApplication::instance()->arm();
}

void TestMemory::aBrokenGateIsToldAtItsPlace()
{
    choose(m_tiling);
    QCOMPARE(listed(m_tiling)->revision, 1);
    m_panel->list()->setFocus();
    QTest::keyClick(m_window.get(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(text()->hasFocus());
    QVERIFY(text()->textCursor().block().text().contains(u"gate:"_s)); // where "edit gate" leads
    typeAtEndOfGate(u" AND reuse_posible"_s);
    QTRY_COMPARE(m_detail->editor()->problems()->count(), 1);
    const int line = text()->textCursor().blockNumber();
    const SkillFinding finding = m_detail->editor()->check().findings.first();
    QCOMPARE(finding.line, line);
    QCOMPARE(text()->textCursor().block().text().mid(finding.column, finding.length), u"reuse_posible"_s);
    QVERIFY2(finding.message.contains(u"did you mean 'reuse_possible'?"_s), qPrintable(finding.message));
    QVERIFY2(finding.allowed.contains(u"reuse_possible"_s), qPrintable(finding.allowed));
    QVERIFY(text()->notes().contains(line));
    QVERIFY(m_detail->editor()->problems()->item(0)->text().contains(u"Allowed here"_s));
    QVERIFY(!m_panel->actions()->save->isEnabled());
    QTest::keyClick(text(), Qt::Key_Return, Qt::ControlModifier); // saves nothing
    QTest::keyClick(text(), Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(m_panel->isSettled());
    QCOMPARE(stored(QString::fromLatin1(m_tiling)).revision, 1);
    QVERIFY(m_detail->isEditing());
}

void TestMemory::whatWasTypedStays()
{
    const QString typed = text()->toPlainText();
    choose(m_pinned);
    QVERIFY(!m_detail->isEditing());
    const QModelIndex row = m_panel->model()->find(SkillModel::NameRole, QString::fromLatin1(m_tiling));
    QVERIFY(row.data(SkillModel::UnsavedRole).toBool());
    QVERIFY(row.data(Qt::AccessibleTextRole).toString().contains(u"unsaved"_s));
    // The next window has it, too.
    QCloseEvent closing;
    QApplication::sendEvent(m_window.get(), &closing);
    {
        CommandLine options;
        options.size = QSize(1200, 800);
        MainWindow second(options);
        QTRY_VERIFY(second.isSettled());
        QVERIFY(second.skillsPanel()->detail()->unsaved().contains(QString::fromLatin1(m_tiling)));
    }
    choose(m_tiling);
    QTRY_VERIFY(m_detail->isEditing());
    QCOMPARE(text()->toPlainText(), typed);
    QVERIFY(!m_detail->canSave());
}

void TestMemory::mendedItIsSaved()
{
    text()->setFocus();
    QTextCursor cursor = text()->document()->find(u"reuse_posible"_s);
    text()->setTextCursor(cursor);
    QTest::keyClicks(text(), u"reuse_possible"_s);
    QCOMPARE(m_detail->editor()->problems()->count(), 0);
    QVERIFY(m_panel->actions()->save->isEnabled());
    QTest::keyClick(text(), Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(!m_detail->isEditing());
    QTRY_COMPARE(listed(m_tiling)->revision, 2);
    const auto history = store().history(QString::fromLatin1(m_tiling));
    QCOMPARE(history->size(), 2);
    QCOMPARE(history->last().author, u"tester"_s);
    QVERIFY(listed(m_tiling)->requires_.last().endsWith(u"AND reuse_possible"_s));
    const QModelIndex row = m_panel->model()->find(SkillModel::NameRole, QString::fromLatin1(m_tiling));
    QVERIFY(!row.data(SkillModel::UnsavedRole).toBool());
}

void TestMemory::undoTakesItBack()
{
    const QByteArray first = *store().textOf(QString::fromLatin1(m_tiling), 1);
    m_panel->list()->setFocus();
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(listed(m_tiling)->revision, 3); // which is the first again: nothing is ever lost
    QCOMPARE(*store().textOf(QString::fromLatin1(m_tiling), 3), first);
    QCOMPARE(listed(m_tiling)->requires_.last(), u"NOT has_shared_memory_tile"_s);
    QCOMPARE(store().history(QString::fromLatin1(m_tiling))->last().reason, u"undo of revision 2"_s);
}

void TestMemory::escapeGivesUp()
{
    QTRY_VERIFY(m_panel->isSettled());
    m_panel->actions()->edit->trigger();
    QTRY_VERIFY(text()->hasFocus());
    QTest::keyClicks(text(), u"nonsense"_s);
    QVERIFY(m_detail->unsaved().contains(QString::fromLatin1(m_tiling)));
    QTest::keyClick(text(), Qt::Key_Escape);
    QVERIFY(!m_detail->isEditing());
    QVERIFY(m_detail->unsaved().isEmpty());
    QCOMPARE(stored(QString::fromLatin1(m_tiling)).revision, 3);
}

void TestMemory::namesAreOffered()
{
    m_panel->actions()->editGate->trigger();
    QTRY_VERIFY(text()->hasFocus());
    typeAtEndOfGate(u" AND dram_thr"_s);
    QTest::keyClick(text(), Qt::Key_Space, Qt::ControlModifier);
    QTRY_VERIFY(QApplication::activePopupWidget());
    QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Return);
    QTRY_VERIFY(text()->textCursor().block().text().endsWith(u"AND dram_throughput_pct"_s));
    QVERIFY(m_detail->canSave());
    QTest::keyClick(text(), Qt::Key_Escape);
    QVERIFY(!m_detail->isEditing());
}

void TestMemory::narrowsTheList()
{
    QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier);
    QTRY_VERIFY(m_panel->filter()->hasFocus());
    QTest::keyClicks(m_panel->filter(), u"state:pinned won>=2 gpu:sm_89"_s);
    QAbstractItemModel *rows = m_panel->list()->model();
    QCOMPARE(rows->rowCount(), 1);
    QCOMPARE(rows->rowCount(rows->index(0, 0)), 1);
    QCOMPARE(rows->index(0, 0, rows->index(0, 0)).data(SkillModel::NameRole).toString(), QString::fromLatin1(m_pinned));
    QTest::keyClicks(m_panel->filter(), u" lost<1"_s);
    QCOMPARE(rows->rowCount(), 0);
    m_panel->filter()->clear();
    QTest::keyClicks(m_panel->filter(), u"used:soon"_s);
    QVERIFY(m_panel->list()->filterTrouble().contains(u"used:7d"_s));
    QTest::keyClick(m_panel->filter(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(m_panel->filter(), Qt::Key_Delete);
    QVERIFY(rows->rowCount() > 3);
}

void TestMemory::anyTwoRevisions()
{
    choose(m_pinned);
    m_panel->actions()->showRevisions->trigger();
    SkillTable *table = m_detail->revisionTable();
    QTRY_VERIFY(table->hasFocus());
    const QModelIndex first = rowWith(table->model(), skill_rows::RevisionRole, 1);
    const QModelIndex last = rowWith(table->model(), skill_rows::RevisionRole, 3);
    QVERIFY(first.isValid() && last.isValid());
    QVERIFY(last.data(skill_rows::CurrentRole).toBool());
    QCOMPARE(last.siblingAtColumn(skill_rows::WhoColumn).data().toString(), u"ana"_s);
    QCOMPARE(last.siblingAtColumn(skill_rows::WhyColumn).data().toString(), u"ragged rows"_s);
    table->scrollTo(first);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(first).center());
    QCOMPARE(m_detail->restorableRevision(), 1);
    table->scrollTo(last);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, table->visualRect(last).center());
    QTRY_VERIFY(m_detail->difference()->isSettled());
    QCOMPARE(m_detail->difference()->hunkCount(), 1);
    QCOMPARE(m_detail->restorableRevision(), 0); // two are chosen
    QVERIFY(!m_panel->actions()->restoreRevision->isEnabled());
}

void TestMemory::anEarlierRevisionComesBack()
{
    SkillTable *table = m_detail->revisionTable();
    const QModelIndex first = rowWith(table->model(), skill_rows::RevisionRole, 1);
    table->scrollTo(first);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(first).center());
    QCOMPARE(m_panel->actions()->restoreRevision->text(), u"Restore re&vision 1"_s);
    m_panel->actions()->restoreRevision->trigger();
    QTRY_COMPARE(listed(m_pinned)->revision, 4);
    QCOMPARE(*store().textOf(QString::fromLatin1(m_pinned), 4), *store().textOf(QString::fromLatin1(m_pinned), 1));
}

void TestMemory::opensANodeItShaped()
{
    QVERIFY(m_window->document()->isEmpty());
    choose(m_pinned);
    SkillTable *nodes = m_detail->nodeTable();
    const QModelIndex there = rowWith(nodes->model(), skill_rows::SessionPathRole, m_folder.filePath(u"example.kss"_s));
    QVERIFY(there.isValid());
    QCOMPARE(there.data(skill_rows::NodeRole).toInt(), 6);
    nodes->setFocus();
    nodes->setCurrentIndex(there);
    QTest::keyClick(nodes, Qt::Key_Return);
    QTRY_COMPARE(m_window->document()->path(), m_folder.filePath(u"example.kss"_s));
    QTRY_COMPARE(m_window->selection()->selected(), 6);
    m_window->selection()->select(2);
    choose(m_pinned);
    // In the ledger the same node; a click in the other table.
    const QModelIndex use = rowWith(m_detail->ledgerTable()->model(), skill_rows::NodeRole, 6);
    m_detail->ledgerTable()->setFocus();
    m_detail->ledgerTable()->setCurrentIndex(use);
    QTest::keyClick(m_detail->ledgerTable(), Qt::Key_Return);
    QCOMPARE(m_window->selection()->selected(), 6);
    m_window->selection()->select(2);
    choose(m_pinned);
    const QModelIndex again = rowWith(nodes->model(), skill_rows::NodeRole, 6);
    nodes->scrollTo(again);
    QTest::mouseClick(nodes->viewport(), Qt::LeftButton, {}, nodes->visualRect(again).center());
    QCOMPARE(m_window->selection()->selected(), 6);
    // A file that is gone is said to be.
    const QModelIndex lost = rowWith(nodes->model(), skill_rows::SessionPathRole, u"/nowhere/layer_norm.kss"_s);
    nodes->setCurrentIndex(lost);
    QTest::keyClick(nodes, Qt::Key_Return);
    QTRY_VERIFY2(bannerText().contains(u"layer_norm.kss is gone"_s), qPrintable(bannerText()));
}

void TestMemory::draftsTellWhereTheyComeFrom()
{
    QCOMPARE(m_panel->model()->waiting(), QStringList({QString::fromLatin1(m_draft), u"persistent-blocks"_s}));
    m_panel->list()->setFocus();
    QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier);
    QTRY_COMPARE(m_panel->draftCard()->draft(), QString::fromLatin1(m_draft));
    QVERIFY(m_panel->draftCard()->isVisible());
    QTRY_VERIFY2(m_panel->draftCard()->origin().contains(u"row_softmax example 3"_s),
                 qPrintable(m_panel->draftCard()->origin()));
    QVERIFY(m_panel->draftCard()->origin().contains(u"memory latency S3 sm_90"_s));
    QVERIFY(m_panel->draftCard()->origin().contains(u"2 won, 0 lost"_s));
    m_panel->actions()->onlyDrafts->trigger();
    QCOMPARE(m_panel->list()->model()->rowCount(), 1);
    m_panel->actions()->onlyDrafts->trigger();
}

void TestMemory::acceptBringsTheNextDraft()
{
    choose(m_draft);
    QTest::keyClick(m_window.get(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(listed(m_draft)->state == SkillState::Active);
    QTRY_COMPARE(m_detail->skill(), u"persistent-blocks"_s);
    QTRY_COMPARE(m_panel->draftCard()->draft(), u"persistent-blocks"_s);
    QCOMPARE(stored(QString::fromLatin1(m_draft)).stateReason, u"accepted"_s);
}

void TestMemory::rejectsWithAReason()
{
    QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(m_detail->reason()->hasFocus());
    QTest::keyClick(m_detail->reason(), Qt::Key_Return); // without a reason nothing happens
    QVERIFY(m_detail->reason()->isVisible());
    QTest::keyClicks(m_detail->reason(), u"needs a grid barrier"_s);
    QTest::keyClick(m_detail->reason(), Qt::Key_Return);
    QTRY_VERIFY(listed("persistent-blocks")->state == SkillState::Rejected);
    QCOMPARE(stored(u"persistent-blocks"_s).stateReason, u"needs a grid barrier"_s);
    QTRY_VERIFY(!m_panel->draftCard()->isVisible()); // nothing waits any more
}

void TestMemory::restoresWhatWasRejected()
{
    choose("persistent-blocks");
    m_panel->actions()->restore->trigger();
    QTRY_VERIFY(listed("persistent-blocks")->state == SkillState::Draft); // it waits again
    choose("approximate-transcendentals");
    m_panel->actions()->restore->trigger();
    QTRY_VERIFY(listed("approximate-transcendentals")->state == SkillState::Active);
}

void TestMemory::takesADroppedFolderIn()
{
    makeSkill(u"gift"_s, u"hoist-the-scale"_s, u"description: Hoist a scale out of the loop. Use when it does not change.\n"_s);
    makeSkill(u"gift"_s, u"halve-the-block"_s, u"description: Halve the block. Use when occupancy is low.\n"_s);
    drop(m_folder.filePath(u"gift"_s));
    QTRY_VERIFY(listed("hoist-the-scale") && listed("halve-the-block"));
    QVERIFY(listed("hoist-the-scale")->state == SkillState::Draft);
    QTRY_VERIFY2(bannerText().contains(u"2 skills added"_s), qPrintable(bannerText()));
    QTRY_VERIFY(m_panel->draftCard()->isVisible());
    drop(m_folder.filePath(u"gift"_s));
    QTRY_VERIFY2(bannerText().contains(u"has all 2 skills already"_s), qPrintable(bannerText()));
}

void TestMemory::saysWhatIsWrongWithADroppedFolder()
{
    QDir().mkpath(m_folder.filePath(u"empty"_s));
    drop(m_folder.filePath(u"empty"_s));
    QTRY_VERIFY2(bannerText().contains(u"holds neither a task.json"_s), qPrintable(bannerText()));
    const QString broken = makeSkill(u"bad"_s, u"broken-skill"_s, u"metadata:\n  method: M1\n"_s); // no description
    drop(broken);
    QTRY_VERIFY2(bannerText().contains(u"'description' must say what the skill does"_s), qPrintable(bannerText()));
    QVERIFY(!listed("broken-skill"));
}

WATCHED_TEST_MAIN(TestMemory)
#include "tst_memory.moc"
