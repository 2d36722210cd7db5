// SPDX-License-Identifier: Apache-2.0
// A person at work in the window, with the real simulator: runs the example for a round, edits a candidate with the
// compiler looking on, has it judged, names it, and goes on from another node.
#include "editor/code_editor.h"
#include "editor/edit_panel.h"
#include "memory/skills_panel.h"
#include "shell/bar.h"
#include "shell/node_actions.h"
#include "shell/question_panel.h"
#include "tasks/start_panel.h"
#include "watched_application.h"
#include "window_test.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestPerson : public WindowTest
{
    Q_OBJECT

    [[nodiscard]] QString status() const;
    static QAction *actionNamed(QMenu &menu, const QString &start);

private Q_SLOTS:
    void initTestCase();
    void runsTheExample();
    void seesTheCompilersWord();
    void handsTheCodeIn();
    void theSameCodeIsRefused();
    void cancelsWithEscape();
    void namesAndPins();
    void goesOnFromAnEarlierNode();
    void playsThePlanner();
    void aSkillDecidedOnMeanwhileCountsNextRound();
    void cleanupTestCase() { m_window.reset(); }
};

QString TestPerson::status() const
{
    for (const QLabel *label : m_window->editPanel()->findChildren<QLabel *>()) {
        if (!label->toolTip().isEmpty()) return label->toolTip();
    }
    return {};
}

QAction *TestPerson::actionNamed(QMenu &menu, const QString &start)
{
    for (QAction *action : menu.actions()) {
        if (action->text().remove(u'&').startsWith(start)) return action;
    }
    return nullptr;
}

void TestPerson::initTestCase()
{
    startAfresh();
    CommandLine options;
    options.files = {QStringLiteral(SOURCE_DIR "/resources/tasks/transpose")};
    options.size = QSize(1600, 1000);
    showWindow(options);
    WatchedApplication::instance()->arm();
}

void TestPerson::runsTheExample()
{
    QTRY_VERIFY(m_window->isSettled());
    auto *rounds = m_window->findChild<StartPanel *>()->findChild<QSpinBox *>();
    QVERIFY(rounds);
    rounds->setValue(1);
    m_window->startRun();
    QTRY_VERIFY_WITH_TIMEOUT(trajectory().endedBy == "rounds"_L1 && !m_window->runController()->isActive(), 240'000);
    QCOMPARE(trajectory().nodes.size(), 2);
}

void TestPerson::seesTheCompilersWord()
{
    m_window->editNode(0);
    QVERIFY(m_window->editPanel()->isVisible());
    CodeEditor *editor = m_window->editPanel()->editor();
    QTRY_VERIFY(editor->hasFocus());
    const QString before = editor->toPlainText();
    const int line = editor->document()->blockCount(); // after the last
    editor->moveCursor(QTextCursor::End);
    QTest::keyClicks(editor, u"int broken = ;"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(status().startsWith(u"error in line"_s), qPrintable(status()), 60'000);
    QVERIFY(editor->notes().contains(line - 1));
    QVERIFY(editor->notes().value(line - 1).isError);
    editor->undo();
    while (editor->toPlainText() != before && editor->document()->isUndoAvailable()) editor->undo();
    QCOMPARE(editor->toPlainText(), before);
    QTRY_COMPARE_WITH_TIMEOUT(status(), u"compiles"_s, 60'000);
    QVERIFY(editor->notes().isEmpty());
}

void TestPerson::handsTheCodeIn()
{
    CodeEditor *editor = m_window->editPanel()->editor();
    editor->moveCursor(QTextCursor::End);
    QTest::keyClicks(editor, u"__device__ int mine() { return 1; }"_s);
    QVERIFY(m_window->editPanel()->isModified());
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(trajectory().nodes.size() == 3 && !m_window->runController()->isActive(), 240'000);
    const TrajectoryNode &mine = trajectory().nodes.last();
    QVERIFY(mine.isHuman);
    QCOMPARE(mine.parent, 0);
    QVERIFY2(mine.state == NodeState::Verified, qPrintable(mine.why));
    QCOMPARE(trajectory().endedBy, u"rounds"_s); // as before
    QVERIFY(!m_window->editPanel()->isVisible());
}

void TestPerson::theSameCodeIsRefused()
{
    const qsizetype events = m_window->document()->events().size();
    m_window->editNode(0);
    m_window->editPanel()->editor()->moveCursor(QTextCursor::End);
    QTest::keyClicks(m_window->editPanel()->editor(), u"// only a remark"_s);
    QTest::keyClick(m_window->editPanel()->editor(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(!m_window->runController()->isActive());
    QCOMPARE(m_window->document()->events().size(), events);
    bool said = false;
    for (const ElidedLabel *label : m_window->findChildren<ElidedLabel *>())
        said = said || (label->isVisible() && label->text().contains(u"is the code of node 0"_s));
    QVERIFY(said);
}

void TestPerson::cancelsWithEscape()
{
    m_window->editNode(1);
    QVERIFY(m_window->editPanel()->isVisible());
    QTest::keyClick(m_window->editPanel()->editor(), Qt::Key_Escape);
    QVERIFY(!m_window->editPanel()->isVisible());
    QVERIFY(!m_window->editPanel()->isModified());
}

void TestPerson::namesAndPins()
{
    Q_EMIT m_window->nodeActions()->annotated(1, u"person.note"_s, {{u"text"_s, u"the good one"_s}});
    QTRY_COMPARE(trajectory().node(1)->note, u"the good one"_s);
    QMenu menu;
    m_window->nodeActions()->fill(&menu, 1);
    QAction *pin = actionNamed(menu, u"Pin"_s);
    QVERIFY(pin);
    pin->trigger();
    QTRY_VERIFY(trajectory().node(1)->pinned);
}

void TestPerson::goesOnFromAnEarlierNode()
{
    QCOMPARE(trajectory().base, 1);
    QMenu menu;
    m_window->nodeActions()->fill(&menu, 2);
    QAction *base = actionNamed(menu, u"Go on from here"_s);
    QVERIFY(base && base->isEnabled());
    base->trigger();
    QTRY_COMPARE(trajectory().base, 2);
    QTRY_VERIFY(!m_window->runController()->isActive());
}

void TestPerson::playsThePlanner()
{
    QComboBox *cast = nullptr;
    for (QComboBox *box : m_window->findChildren<QComboBox *>()) {
        if (box->accessibleName() == u"Cast"_s) cast = box;
    }
    QVERIFY(cast);
    QTRY_VERIFY(cast->findData(u"expert;planner=manual"_s) >= 0);
    cast->setCurrentIndex(cast->findData(u"expert;planner=manual"_s));
    m_window->startRun();
    QuestionPanel *panel = m_window->questionPanel();
    QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible(), 240'000);
    QCOMPARE(panel->question().role, u"planner"_s);
    auto *choices = panel->findChild<QListWidget *>();
    QTRY_VERIFY(choices->hasFocus());
    QVERIFY(choices->count() >= 3); // something allowed, an idea, the end
    QVERIFY(choices->item(0)->text().contains(u"–"_s)); // with its reason
    QTest::keyClick(choices, Qt::Key_Return);
    QVERIFY(!panel->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(trajectory().endedBy == "rounds"_L1 && !m_window->runController()->isActive(), 240'000);
    QCOMPARE(trajectory().settings["cast"_L1]["planner"_L1].toString(), u"manual"_s);
    QCOMPARE(trajectory().node(1)->plan.rationale, u"Chosen by the person."_s);
}

// While the planner's question of the first round waits, one skill is pinned, one rejected and one edited; the second
// round's question offers accordingly.
void TestPerson::aSkillDecidedOnMeanwhileCountsNextRound()
{
    QTRY_VERIFY(m_window->isSettled());
    m_window->findChild<StartPanel *>()->findChild<QSpinBox *>()->setValue(2);
    SkillsPanel *skills = m_window->skillsPanel();
    const auto state = [&](const QString &name) { return skills->model()->skill(name)->state; };
    m_window->startRun();
    QuestionPanel *panel = m_window->questionPanel();
    QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible(), 240'000);
    const Retrieval first = *m_window->document()->retrieval(1);
    QVERIFY(first.allowed.size() >= 4);
    const QString rejected = first.allowed[1].skill, pinned = first.allowed.last().skill, edited = first.allowed[2].skill;
    QVERIFY(!first.allowed.last().pinned);
    skills->selectSkill(pinned);
    skills->actions()->pin->trigger();
    QTRY_VERIFY(state(pinned) == SkillState::Pinned);
    skills->selectSkill(rejected);
    skills->actions()->reject->trigger();
    QTRY_VERIFY(skills->detail()->reason()->hasFocus());
    QTest::keyClicks(skills->detail()->reason(), u"not today"_s);
    QTest::keyClick(skills->detail()->reason(), Qt::Key_Return);
    QTRY_VERIFY(state(rejected) == SkillState::Rejected);
    // A gate that no candidate passes.
    skills->selectSkill(edited);
    skills->actions()->editGate->trigger();
    CodeEditor *text = skills->detail()->editor()->editor();
    QTRY_VERIFY(text->hasFocus());
    QString words = text->toPlainText();
    const QString before = words.contains(u"  gate: |\n"_s) ? u"  gate: |\n"_s : u"metadata:\n"_s;
    const QString never = before.contains(u"gate"_s) ? u"    registers_per_thread < 0\n"_s : u"  gate: registers_per_thread < 0\n"_s;
    text->setPlainText(words.replace(before, before + never));
    QVERIFY2(skills->detail()->canSave(), qPrintable(skills->detail()->editor()->status()));
    skills->actions()->save->trigger();
    QTRY_COMPARE(skills->model()->skill(edited)->requires_.value(0), u"registers_per_thread < 0"_s);
    QTest::keyClick(panel->findChild<QListWidget *>(), Qt::Key_Return);
    QTRY_VERIFY2_WITH_TIMEOUT(panel->isVisible() && panel->question().round == 2,
                              qPrintable(u"round %1, ended by “%2”, %3"_s.arg(panel->question().round)
                                             .arg(trajectory().endedBy, panel->isVisible() ? panel->question().title : QString())),
                              240'000);
    const Retrieval second = *m_window->document()->retrieval(2);
    QStringList offered;
    for (const RankedMethod &one : second.allowed)
        offered.append(one.skill);
    QVERIFY2(!offered.contains(rejected) && !offered.contains(edited), qPrintable(offered.join(u' ')));
    QCOMPARE(offered.first(), pinned);
    int told = 0;
    for (const Event &event : m_window->document()->events())
        told += event.kind == "person.skill"_L1;
    QCOMPARE(told, 3);
    m_window->runController()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runController()->isActive(), 60'000);
}

WATCHED_TEST_MAIN(TestPerson)
#include "tst_person.moc"
