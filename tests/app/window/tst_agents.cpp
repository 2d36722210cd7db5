// SPDX-License-Identifier: Apache-2.0
// A person and language models: sets an agent up, casts it, watches what it spends and waits for, raises a limit and goes on,
// reads what was said. The service is a server of the test's own.
#include "agents/agent_settings_panel.h"
#include "agents/choice_list.h"
#include "agents/key_row.h"
#include "base/paths.h"
#include "evidence/row_view.h"
#include "plugin/plugin_settings.h"
#include "raw_server.h"
#include "secrets/secrets.h"
#include "settings/theme.h"
#include "shell/banner.h"
#include "shell/bar.h"
#include "shell/doctor_panel.h"
#include "shell/palette_line.h"
#include "shell/question_panel.h"
#include "shell/state_label.h"
#include "tasks/cast_panel.h"
#include "tasks/limit_field.h"
#include "tasks/progress_panel.h"
#include "tasks/resume_panel.h"
#include "tasks/start_panel.h"
#include "trajectory/trajectory_panel.h"
#include "transcript/transcript_panel.h"
#include "transcript/usage_strip.h"
#include "window_test.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;
using namespace kernelskill::test;
using limits::Limit;

namespace {

const QString key = u"sk-test-0123456789abcdefghijklmnop"_s;

// A whole answer of a chat model, with what it took.
Script chat(const QString &text)
{
    const QJsonObject answer{{u"id"_s, u"1"_s},
                             {u"object"_s, u"chat.completion"_s},
                             {u"choices"_s, QJsonArray{QJsonObject{{u"index"_s, 0},
                                                                    {u"message"_s, QJsonObject{{u"role"_s, u"assistant"_s}, {u"content"_s, text}}},
                                                                    {u"finish_reason"_s, u"stop"_s}}}},
                             {u"usage"_s, QJsonObject{{u"prompt_tokens"_s, 1200}, {u"completion_tokens"_s, 80}, {u"total_tokens"_s, 1280}}}};
    return {sends(httpAnswer("200 OK", "application/json", QJsonDocument(answer).toJson()))};
}

QString plan(const QString &skill)
{
    return u"Sectors are wasted, so:\n"_s + QString::fromUtf8(QJsonDocument(QJsonObject{{u"skill"_s, skill},
                                                                    {u"parameters"_s, QJsonArray()},
                                                                    {u"rationale"_s, u"Twelve sectors a request where four would do."_s},
                                                                    {u"promises"_s, QJsonArray()},
                                                                    {u"idea"_s, QJsonValue::Null}}).toJson());
}

} // namespace

class TestAgents : public WindowTest
{
    Q_OBJECT
    RawServer m_server;

    [[nodiscard]] AgentSettingsPanel *panel() const { return m_window->agentSettings(); }
    [[nodiscard]] bool isActive() const { return m_window->runController()->isActive(); }
    [[nodiscard]] QString state() const { return m_window->findChild<StateLabel *>()->accessibleName(); }
    [[nodiscard]] static QString textOf(const QWidget *widget)
    {
        const auto *label = widget->findChild<ElidedLabel *>();
        return label ? label->text() : QString();
    }
    QLineEdit *line(const QString &name) const { return qobject_cast<QLineEdit *>(panel()->field(name)->editor()); }
    void type(const QString &name, const QString &text) const;
    [[nodiscard]] bool showsAnywhere(const QString &text) const;
    void picture(const QString &name);
    void newRun(const QString &calls) const;

private Q_SLOTS:
    void initTestCase();
    void opensFromThePalette();
    void badValuesAreMarked();
    void saysWhichKey();
    void keysComeAndGo();
    void listsTheModels();
    void saysWhyThereIsNoList();
    void keepsWhatItDoesNotKnow();
    void unsavedOnesAreNotLost();
    void doctorKnowsTheModel();
    void castsByRole();
    void limitsAreMarked();
    void asksAndSpends();
    void raisesTheLimit();
    void showsWhatWasSaid();
    void countsByRole();
    void waitsAndStops();
    void asksForAPrice();
    void endsWithoutAService();
    void cleanupTestCase() { m_window.reset(); }
};

void TestAgents::type(const QString &name, const QString &text) const
{
    QLineEdit *edit = line(name);
    edit->setFocus();
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, text);
}

// A label or field that a person could read it in.
bool TestAgents::showsAnywhere(const QString &text) const
{
    for (const QWidget *widget : m_window->findChildren<QWidget *>()) {
        const auto *edit = qobject_cast<const QLineEdit *>(widget);
        const auto *label = qobject_cast<const QLabel *>(widget);
        const QString words = label ? label->text() : edit ? edit->displayText() : QString();
        if ((words + widget->toolTip() + widget->accessibleName() + widget->accessibleDescription()).contains(text)) return true;
    }
    return false;
}

// For looking at, where a folder for pictures is named.
void TestAgents::picture(const QString &name)
{
    const QString folder = qEnvironmentVariable("KERNELSKILL_TEST_PICTURES");
    if (folder.isEmpty()) return;
    for (const bool dark : {true, false}) {
        theme().setMode(dark ? ThemeMode::Dark : ThemeMode::Light);
        for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
            m_window->resize(size);
            QTest::qWait(250);
            m_window->grab().save(u"%1/%2-%3-%4.png"_s.arg(folder, name, dark ? u"dark"_s : u"light"_s).arg(size.width()));
        }
    }
}

void TestAgents::newRun(const QString &calls) const
{
    StartPanel *start = m_window->startPanel();
    start->show();
    start->limitField(Limit::Calls)->setText(calls);
    start->findChild<QSpinBox *>()->setValue(2);
    start->castPanel()->box(Role::Planner)->setCurrentText(u"llm"_s);
    m_window->startRun();
}

void TestAgents::initTestCase()
{
    startAfresh();
    for (const char *name : {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY",
                             "OLLAMA_API_KEY", "DBUS_SESSION_BUS_ADDRESS", "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"})
        qunsetenv(name);
    QVERIFY(storeSettings(u"agent"_s, u"llm"_s, {{u"retries"_s, u"0"_s}}).has_value());
    CommandLine options;
    options.files = {QStringLiteral(SOURCE_DIR "/resources/tasks/transpose")};
    options.size = QSize(1600, 1000);
    showWindow(options);
    QTRY_VERIFY(!m_window->runController()->facts().plugins.isEmpty());
}

void TestAgents::opensFromThePalette()
{
    QVERIFY(!panel()->isVisible());
    PaletteLine *search = m_window->paletteLine();
    search->open();
    QTest::keyClicks(search, u"agent settings"_s);
    QTest::keyClick(search, Qt::Key_Return);
    QTRY_VERIFY(panel()->isVisible());
    panel()->showAgent(u"llm"_s);
    QCOMPARE(panel()->agent(), u"llm"_s);
    QVERIFY(panel()->field(u"provider"_s) && panel()->field(u"model"_s));
    panel()->showAgent(u"process"_s);
    QVERIFY(!panel()->field(u"provider"_s) && panel()->field(u"command"_s));
    QVERIFY(!panel()->keyRow());
    panel()->showAgent(u"llm"_s);
    QVERIFY(panel()->keyRow());
    QCOMPARE(panel()->keyRow()->stateText(), u"Choose a provider first."_s);
    for (const QPushButton *button : panel()->keyRow()->findChildren<QPushButton *>())
        QVERIFY(!button->isEnabled());
    for (const QWidget *field : panel()->findChildren<QLineEdit *>())
        QVERIFY(!field->accessibleName().isEmpty());
}

void TestAgents::badValuesAreMarked()
{
    type(u"context_tokens"_s, u"12"_s);
    QCOMPARE(panel()->field(u"context_tokens"_s)->hint(), u"Window is a whole number from 4096 on"_s);
    QCOMPARE(panel()->status(), u"Window is a whole number from 4096 on"_s);
    QVERIFY(!panel()->saveButton()->isEnabled());
    const auto ground = [&] {
        const QImage image = line(u"context_tokens"_s)->grab().toImage();
        return image.pixelColor(image.width() - 20, image.height() / 2);
    };
    QCOMPARE(ground(), themeColor("severity.errorFill"));
    picture(u"form-mistake"_s);
    QTest::keyClicks(line(u"context_tokens"_s), u"000"_s);
    QVERIFY(!panel()->field(u"context_tokens"_s)->hint().contains(u"whole number"_s));
    QCOMPARE(ground(), themeColor("surface.raised"));
    QVERIFY(panel()->saveButton()->isEnabled());
    // What it is for stands below it while it has the focus.
    line(u"price"_s)->setFocus();
    QTRY_VERIFY(panel()->field(u"price"_s)->hint().startsWith(u"US dollars for a million tokens"_s));
    QTRY_COMPARE(panel()->field(u"context_tokens"_s)->hint(), QString());
    panel()->revert();
    QCOMPARE(line(u"context_tokens"_s)->text(), QString());
    QVERIFY(!panel()->saveButton()->isEnabled());
}

void TestAgents::saysWhichKey()
{
    qputenv("OPENAI_API_KEY", key.toLatin1());
    panel()->field(u"provider"_s)->setText(u"openai-chat"_s);
    Q_EMIT panel()->field(u"provider"_s)->edited();
    QTRY_COMPARE_WITH_TIMEOUT(panel()->keyRow()->stateText(), u"environment variable OPENAI_API_KEY, ends with mnop"_s, 15'000);
    // It is for its own address only.
    type(u"base_url"_s, u"https://models.example.org/v1"_s);
    QTRY_VERIFY_WITH_TIMEOUT(panel()->keyRow()->stateText().startsWith(u"none: set OPENAI_API_KEY"_s), 15'000);
    QVERIFY(!showsAnywhere(key.mid(0, 20)));
    qunsetenv("OPENAI_API_KEY");
}

void TestAgents::keysComeAndGo()
{
    KeyRow *row = panel()->keyRow();
    const QList<QPushButton *> buttons = row->findChildren<QPushButton *>();
    QCOMPARE(buttons.size(), 3); // keychain, session, forget
    QVERIFY(!buttons[1]->isEnabled());
    QTest::keyClicks(row->edit(), u"sk-test-abcdefghijklmnop9876"_s);
    QVERIFY(!showsAnywhere(u"abcdefghijklmnop"_s));
    picture(u"form-key"_s);
    buttons[1]->click();
    QTRY_COMPARE_WITH_TIMEOUT(row->stateText(), u"this session, ends with 9876"_s, 15'000);
    QCOMPARE(secrets::sessionOrigins(), QStringList{u"https://models.example.org"_s});
    QVERIFY(row->edit()->text().isEmpty());
    // There is no keychain here; that is said, and what to do.
    QTest::keyClicks(row->edit(), u"sk-test-another-key-of-mine"_s);
    buttons[0]->click();
    QLabel *note = row->findChildren<QLabel *>().last();
    QTRY_VERIFY_WITH_TIMEOUT(note->isVisible() && !note->text().isEmpty(), 15'000);
    QVERIFY2(note->text().contains(u"keychain"_s), qPrintable(note->text()));
    QVERIFY(!showsAnywhere(u"another-key"_s));
    buttons[2]->click();
    QTRY_VERIFY_WITH_TIMEOUT(secrets::sessionOrigins().isEmpty(), 15'000);
}

void TestAgents::listsTheModels()
{
    m_server.answerWith(Script{sends(httpAnswer("200 OK", "application/json", R"({"data": [{"id": "peer-large"}, {"id": "peer-model"}, {"id": "other"}]})"))});
    type(u"base_url"_s, m_server.url(u"/v1"_s).toString());
    QTRY_COMPARE_WITH_TIMEOUT(panel()->keyRow()->stateText(), u"none, and none is needed on this machine"_s, 15'000);
    SettingField *field = panel()->field(u"model"_s);
    QAbstractItemModelTester tester(field->list()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto *button = field->findChild<QPushButton *>();
    QCOMPARE(button->text(), u"List"_s);
    button->click();
    QVERIFY(field->list()->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(field->list()->model()->rowCount(), 3, 30'000);
    QCOMPARE(m_server.requests().size(), 1);
    QVERIFY2(m_server.requests().first().startsWith("GET /v1/models"), m_server.requests().first());
    QTRY_VERIFY(field->list()->search()->hasFocus());
    picture(u"form-list"_s);
    QTest::keyClicks(field->list()->search(), u"PEER"_s);
    QCOMPARE(field->list()->model()->rowCount(), 2);
    QTest::keyClick(field->list()->search(), Qt::Key_Down);
    QTest::keyClick(field->list()->search(), Qt::Key_Return);
    QCOMPARE(field->text(), u"peer-model"_s);
    QVERIFY(!field->list()->isVisible());
}

void TestAgents::saysWhyThereIsNoList()
{
    m_server.answerWith(Script{sends(httpAnswer("403 Forbidden", "application/json", R"({"error": {"message": "not for you"}})"))});
    SettingField *field = panel()->field(u"model"_s);
    field->findChild<QPushButton *>()->click();
    QLabel *said = field->list()->findChild<QLabel *>();
    QTRY_VERIFY_WITH_TIMEOUT(said->text().contains(u"not for you"_s), 30'000);
    QVERIFY(said->text().contains(u"403"_s));
    picture(u"form-no-list"_s);
    field->findChild<QPushButton *>()->click();
    QVERIFY(!field->list()->isVisible());
}

void TestAgents::keepsWhatItDoesNotKnow()
{
    panel()->saveButton()->click();
    QCOMPARE(panel()->status(), u"saved, for the next run"_s);
    const QJsonObject stored = storedSettings(u"agent"_s, u"llm"_s);
    QCOMPARE(stored["model"_L1].toString(), u"peer-model"_s);
    QCOMPARE(stored["provider"_L1].toString(), u"openai-chat"_s);
    QCOMPARE(stored["retries"_L1].toString(), u"0"_s); // no field of the form
    QVERIFY(!stored.contains("price"_L1));
    QFile file(paths::configFolder() + u"/plugins.ini"_s);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!file.readAll().contains("sk-test"));
}

void TestAgents::unsavedOnesAreNotLost()
{
    type(u"price"_s, u"0/0"_s);
    panel()->showAgent(u"process"_s);
    QCOMPARE(panel()->agent(), u"llm"_s);
    QCOMPARE(panel()->status(), u"Save or revert this first."_s);
    panel()->revert();
    panel()->showAgent(u"process"_s);
    QCOMPARE(panel()->agent(), u"process"_s);
    picture(u"form-process"_s);
    panel()->showAgent(u"llm"_s);
    QCOMPARE(line(u"model"_s)->text(), u"peer-model"_s);
}

void TestAgents::doctorKnowsTheModel()
{
    for (QAction *action : m_window->findChildren<QAction *>()) {
        if (action->text() == "&Doctor"_L1) action->trigger();
    }
    const TreeRowsModel *lines = m_window->findChild<DoctorPanel *>()->findChild<RowView *>()->rows();
    QTRY_VERIFY_WITH_TIMEOUT(lines->rowCount() > 0, 60'000);
    QHash<QString, QString> said;
    const QModelIndex there = lines->index(lines->rowCount() - 1, 0);
    QCOMPARE(there.data().toString(), u"There"_s);
    for (int row = 0; row < lines->rowCount(there); ++row) {
        const QModelIndex line = lines->index(row, 0, there);
        said.insert(line.data().toString().mid(2), lines->index(0, 0, line).data().toString());
    }
    QCOMPARE(said.value(u"language model"_s), u"peer-model at 127.0.0.1"_s);
    QVERIFY2(said.value(u"key of the language model"_s).endsWith(u"needs none"_s), qPrintable(said.value(u"key of the language model"_s)));
    picture(u"doctor"_s);
    m_window->showAgentSettings();
}

void TestAgents::castsByRole()
{
    StartPanel *start = m_window->startPanel();
    start->show();
    start->showCast(true);
    QVERIFY(start->castPanel()->isVisible());
    for (const Role role : allRoles())
        QVERIFY(start->castPanel()->box(role)->findText(u"llm"_s) > 0);
    QCOMPARE(start->castPanel()->box(Role::Distiller)->findText(u"expert"_s), -1); // it has no such part
    start->castPanel()->box(Role::Planner)->setCurrentText(u"llm"_s);
    start->castPanel()->box(Role::Distiller)->setCurrentText(u"llm"_s);
    picture(u"start"_s);
    RunSettings settings;
    start->fill(settings);
    QCOMPARE(settings.cast, (QMap<Role, QString>{{Role::Planner, u"llm"_s}, {Role::Distiller, u"llm"_s}}));
    start->castPanel()->box(Role::Distiller)->setCurrentIndex(0);
}

void TestAgents::limitsAreMarked()
{
    StartPanel *start = m_window->startPanel();
    const auto set = [&](Limit limit, const QString &text) { start->limitField(limit)->setText(text); };
    set(Limit::Money, u"plenty"_s);
    QVERIFY(start->mistake().startsWith(u"Money is an amount in US dollars"_s));
    m_window->startRun();
    QVERIFY(!isActive());
    set(Limit::Money, u"0.50"_s);
    set(Limit::Tokens, u"100k"_s);
    set(Limit::Calls, u"40"_s);
    set(Limit::Time, u"30 min"_s);
    QCOMPARE(start->mistake(), QString());
    RunSettings settings;
    start->fill(settings);
    QCOMPARE(settings.budget, (Budget{1800, 0.5, 100'000, 40}));
    for (const Limit limit : limits::all())
        set(limit, {});
    start->fill(settings);
    QCOMPARE(settings.budget, Budget{});
}

void TestAgents::asksAndSpends()
{
    Script slow = chat(plan(u"shared-memory-tiling"_s));
    slow.prepend(holds());
    m_server.answerWith(slow);
    newRun(u"1"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_server.held() == 1, 240'000);
    QTRY_VERIFY2_WITH_TIMEOUT(state().contains(u"planner: asks peer-model"_s), qPrintable(state()), 10'000);
    QVERIFY(m_window->findChild<ProgressPanel *>()->accessibleDescription().contains(u"asks peer-model"_s));
    QVERIFY2(m_window->findChild<ProgressPanel *>()->accessibleDescription().contains(u"Calls 0 of 1"_s),
             qPrintable(m_window->findChild<ProgressPanel *>()->accessibleDescription()));
    picture(u"asks"_s);
    m_server.release();
    QTRY_VERIFY_WITH_TIMEOUT(!isActive(), 240'000);
    QCOMPARE(trajectory().endedBy, u"calls"_s);
    QCOMPARE(trajectory().llmCalls, 1);
    QVERIFY(m_window->findChild<ProgressPanel *>()->accessibleDescription().contains(u"Calls 1 of 1"_s));
    QVERIFY(showsAnywhere(u"1.3k tokens · 1 of 1 calls"_s));
    QCOMPARE(trajectory().settings["cast"_L1].toObject()["planner"_L1].toString(), u"llm"_s);
}

void TestAgents::raisesTheLimit()
{
    ResumePanel *resume = m_window->resumePanel();
    QTRY_VERIFY(resume->isVisible());
    QVERIFY2(resume->sentence().contains(u"calls"_s), qPrintable(resume->sentence()));
    QCOMPARE(resume->field()->text(), u"2"_s);
    picture(u"ended-calls"_s);
    resume->field()->setText(u"1"_s);
    QVERIFY(!resume->resumeButton()->isEnabled());
    QCOMPARE(resume->field()->mistake(), u"More than 1 is needed"_s);
    // Dismissed, it comes again before a resume that would end at once.
    resume->hide();
    for (QAction *action : m_window->findChildren<QAction *>()) {
        if (action->shortcut() == QKeySequence(u"F5"_s)) action->trigger();
    }
    QVERIFY(!isActive() && resume->isVisible());
    resume->field()->setText(u"3"_s);
    m_server.answerWith(chat(plan(u"memory-coalescing"_s)));
    resume->resumeButton()->click();
    QVERIFY(!resume->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!isActive(), 240'000);
    QCOMPARE(trajectory().settings["budget"_L1].toObject()["calls"_L1].toInt(), 3);
    QVERIFY(trajectory().llmCalls > 1);
    QCOMPARE(resume->isVisible(), trajectory().endedBy == "calls"_L1);
}

void TestAgents::showsWhatWasSaid()
{
    int node = -1;
    for (const TrajectoryNode &one : trajectory().nodes) {
        if (one.round == 1) node = one.id;
    }
    QVERIFY(node > 0);
    m_window->selection()->select(node);
    m_window->findChild<QAction *>(); // the menus are there
    for (QAction *action : m_window->findChildren<QAction *>()) {
        if (action->shortcut() == QKeySequence(u"Ctrl+T"_s)) action->trigger();
    }
    TranscriptPanel *transcript = m_window->transcriptPanel();
    QTRY_VERIFY(transcript->isVisible());
    TranscriptModel *model = transcript->model();
    QTRY_VERIFY(model->rowCount() > 1);
    QModelIndex call;
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->index(row, 0).data().toString() == u"Planner · llm"_s) call = model->index(row, 0);
    }
    QVERIFY(call.isValid());
    QStringList names;
    for (int row = 0; row < model->rowCount(call); ++row)
        names.append(model->index(row, 0, call).data().toString());
    QVERIFY2(names.contains(u"System"_s) && names.contains(u"User"_s) && names.contains(u"Assistant"_s), qPrintable(names.join(u'\n')));
    QVERIFY2(names.first().startsWith(u"openai-chat · peer-model · prompt planner version 1 ("_s), qPrintable(names.first()));
    const QModelIndex system = model->index(int(names.indexOf(u"System"_s)), 0, call);
    const QModelIndex assistant = model->index(int(names.indexOf(u"Assistant"_s)), 0, call);
    QVERIFY(!transcript->rows()->isExpanded(system));
    QVERIFY(transcript->rows()->isExpanded(assistant));
    QVERIFY(transcript->model()->textOf(assistant).contains(u"Twelve sectors a request"_s));
    transcript->rows()->scrollTo(call, QAbstractItemView::PositionAtTop);
    picture(u"transcript"_s);
    transcript->rows()->setExpanded(model->index(int(names.indexOf(u"User"_s)), 0, call), true);
    transcript->rows()->scrollTo(model->index(int(names.indexOf(u"User"_s)), 0, call), QAbstractItemView::PositionAtTop);
    picture(u"transcript-user"_s);
}

void TestAgents::countsByRole()
{
    UsageStrip *usage = m_window->transcriptPanel()->usage();
    QVERIFY(usage->isVisible());
    usage->setUnfolded(true);
    QCOMPARE(usage->model()->rowCount(), 2);
    QCOMPARE(usage->model()->index(0, 0).data().toString(), u"planner"_s);
    picture(u"usage"_s);
    usage->copyCsv();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"role,calls,"_s));
    QVERIFY(QGuiApplication::clipboard()->text().contains(u"\nplanner,%1,"_s.arg(trajectory().llmCalls)));
}

void TestAgents::waitsAndStops()
{
    m_server.answerWith(Script{sends(httpAnswer("429 Too Many Requests", "application/json",
                                                R"({"error": {"message": "slow down", "type": "rate_limit_error"}})", {"Retry-After: 95"}))});
    QVERIFY(storeSettings(u"agent"_s, u"llm"_s, {{u"retries"_s, u"3"_s}}).has_value());
    newRun({});
    Banner *banner = m_window->waitingBanner();
    QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), 240'000);
    QVERIFY2(textOf(banner).startsWith(u"Waits until "_s) && textOf(banner).contains(u"slow down"_s) &&
                 textOf(banner).endsWith(u"— everything so far is saved"_s), qPrintable(textOf(banner)));
    const QString before = textOf(banner);
    QTRY_VERIFY_WITH_TIMEOUT(textOf(banner) != before, 10'000); // it counts
    QVERIFY2(state().contains(u"waits until "_s), qPrintable(state()));
    picture(u"waits"_s);
    QElapsedTimer taken;
    taken.start();
    m_window->runController()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!isActive(), 30'000);
    QVERIFY(taken.elapsed() < 20'000);
    QCOMPARE(trajectory().endedBy, u"person"_s);
    QVERIFY(!banner->isVisible());
    QVERIFY(!m_window->resumePanel()->isVisible());
}

// No service is behind the address: the price is asked for first.
void TestAgents::asksForAPrice()
{
    QVERIFY(storeSettings(u"agent"_s, u"llm"_s, {{u"retries"_s, u"0"_s}, {u"base_url"_s, u"https://models.invalid/v1"_s}}).has_value());
    secrets::keepForSession(u"https://models.invalid"_s, key);
    newRun({});
    QuestionPanel *question = m_window->questionPanel();
    QTRY_VERIFY_WITH_TIMEOUT(question->isVisible(), 240'000);
    QCOMPARE(question->question().title, u"What does peer-model at models.invalid cost?"_s);
    auto *edit = question->findChild<QPlainTextEdit *>();
    QTRY_VERIFY(edit->hasFocus());
    QTest::keyClicks(edit, u"3/0.3/15"_s);
    picture(u"price"_s);
    QTest::keyClick(edit, Qt::Key_Return); // a line is enough
    QVERIFY(!question->isVisible());
    QTRY_VERIFY(m_window->trajectoryPanel()->view()->hasFocus());
}

void TestAgents::endsWithoutAService()
{
    QTRY_VERIFY_WITH_TIMEOUT(!isActive(), 240'000);
    QCOMPARE(trajectory().endedBy, u"provider"_s);
    ResumePanel *resume = m_window->resumePanel();
    QTRY_VERIFY(resume->isVisible());
    QVERIFY2(resume->sentence().contains(u"models.invalid"_s), qPrintable(resume->sentence()));
    QVERIFY(!resume->field()->isVisible() && resume->settingsButton()->isVisible() && resume->resumeButton()->isEnabled());
    QVERIFY(!showsAnywhere(key.mid(0, 20)));
    picture(u"ended-provider"_s);
    resume->settingsButton()->click();
    QTRY_VERIFY(panel()->isVisible());
}

QTEST_MAIN(TestAgents)
#include "tst_agents.moc"
