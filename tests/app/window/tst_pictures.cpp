// SPDX-License-Identifier: Apache-2.0
// The window looks as it did: three perspectives in two themes against the pictures in pictures/. After a wanted change,
//   KERNELSKILL_RENEW_PICTURES=1 ctest -R tst_pictures
// writes them anew; look at them before they are committed.
#include "charts/chart.h"
#include "example_memory.h"
#include "example_session.h"
#include "memory/skills_panel.h"
#include "picture_comparison.h"
#include "settings/theme.h"
#include "window_test.h"

#include <QDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestPictures : public WindowTest
{
    Q_OBJECT

    ThemeMode m_mode = ThemeMode::Light;
    QHash<QString, QImage> m_seen; // by name

    static QString referencePath(const QString &name) { return u"" TEST_DIR "/pictures/%1.png"_s.arg(name); }
    static QString nameOf(const QString &perspective, ThemeMode mode)
    {
        return perspective.toLower() + (mode == ThemeMode::Dark ? u"-dark"_s : u"-light"_s);
    }
    // What is tested is the window, not how many skills and tasks are shipped.
    void shipSomeSkills() const
    {
        const QDir all(u"" SOURCE_DIR "/skills"_s);
        const QString few = m_folder.filePath(u"skills"_s);
        QVERIFY(QDir().mkpath(few));
        QVERIFY(QFile::copy(all.filePath(u"policy.yaml"_s), few + u"/policy.yaml"_s));
        for (const QString &skill : {u"vectorised-access"_s, u"shared-memory-tiling"_s, u"approximate-transcendentals"_s, u"online-softmax"_s,
                                     u"warp-shuffle-reduction"_s, u"memory-coalescing"_s, u"launch-tuning"_s}) {
            QVERIFY2(all.exists(skill), qPrintable(skill));
            QVERIFY(QDir().mkpath(few + u'/' + skill));
            QVERIFY(QFile::copy(all.filePath(skill + u"/SKILL.md"_s), few + u'/' + skill + u"/SKILL.md"_s));
        }
        qputenv("KERNELSKILL_SKILLS", few.toLocal8Bit());
        const QString tasks = m_folder.filePath(u"resources/tasks"_s);
        QVERIFY(QDir().mkpath(tasks));
        const QDir resources(u"" SOURCE_DIR "/resources"_s);
        for (const QString &entry : resources.entryList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
            if (entry != "tasks"_L1) QVERIFY(QFile::link(resources.filePath(entry), m_folder.filePath(u"resources/"_s + entry)));
        }
        for (const QString &task : {u"row_softmax"_s, u"layer_norm"_s, u"matmul"_s})
            QVERIFY(QFile::link(resources.filePath(u"tasks/"_s + task), tasks + u'/' + task));
        qputenv("KERNELSKILL_RESOURCES", m_folder.filePath(u"resources"_s).toLocal8Bit());
    }
    // Widgets take a new palette as they are made; a theme that changes is another test's.
    void open(ThemeMode mode)
    {
        m_window.reset();
        theme().setMode(mode);
        theme().applyToApplication();
        CommandLine options;
        options.files = {m_folder.filePath(u"evening.kss"_s)};
        options.size = QSize(1600, 1000);
        m_window = std::make_unique<MainWindow>(options);
        m_mode = mode;
        m_window->show();
        settle();
    }
    // Several times quiet in a row: the first quiet moment may be the one between two steps.
    void settle() const
    {
        int quiet = 0;
        for (int i = 0; i < 600 && quiet < 6; ++i) {
            QTest::qWait(30);
            quiet = m_window->isSettled() && m_window->skillsPanel()->isSettled() ? quiet + 1 : 0;
        }
        QCOMPARE(quiet, 6);
    }
    [[nodiscard]] QImage look() const { return reducedPicture(m_window->grab().toImage()); }
    // A slow machine may need a moment more for what is drawn last.
    PictureDifference lookUntilLike(const QImage &reference, QImage &seen) const
    {
        PictureDifference difference;
        for (int i = 0; i < 20; ++i) {
            seen = look();
            difference = comparePictures(seen, reference);
            if (difference.isTolerable()) break;
            QTest::qWait(100);
        }
        return difference;
    }

private Q_SLOTS:
    void initTestCase()
    {
        startAfresh();
        qputenv("KERNELSKILL_PLUGIN_PATH", m_folder.filePath(u"none"_s).toLocal8Bit()); // whatever this machine has
        qputenv("USER", "person");
        shipSomeSkills();
        const QString path = m_folder.filePath(u"evening.kss"_s);
        const auto written = writeExampleSession(path, false);
        QVERIFY2(written.has_value(), written ? "" : qPrintable(written.error().message));
        const QString memory = m_folder.filePath(u"kernelskill/memory.db"_s);
        QVERIFY(QDir().mkpath(m_folder.filePath(u"kernelskill"_s)));
        const auto remembered = writeExampleMemory(memory, path);
        QVERIFY2(remembered.has_value(), remembered ? "" : qPrintable(remembered.error().message));
        QApplication::setCursorFlashTime(0);
    }
    void looksAsItDid_data()
    {
        QTest::addColumn<QString>("perspective");
        QTest::addColumn<ThemeMode>("mode");
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            for (const QString &perspective : {u"Tune"_s, u"Teach"_s, u"Review"_s})
                QTest::newRow(qPrintable(nameOf(perspective, mode))) << perspective << mode;
        }
    }
    void looksAsItDid()
    {
        QFETCH(QString, perspective);
        QFETCH(ThemeMode, mode);
        const QString name = nameOf(perspective, mode);
        if (!m_window || m_mode != mode) open(mode);
        m_window->setPerspective(perspective);
        settle();
        if (qEnvironmentVariableIsSet("KERNELSKILL_RENEW_PICTURES")) {
            m_seen[name] = look();
            QVERIFY(m_seen[name].save(referencePath(name), "PNG", 0));
            return;
        }
        const QImage reference(referencePath(name));
        QVERIFY2(!reference.isNull(), qPrintable(referencePath(name)));
        const PictureDifference difference = lookUntilLike(reference, m_seen[name]);
        qInfo("%s: %s", qPrintable(name), qPrintable(difference.text()));
        if (difference.isTolerable()) return;
        m_folder.setAutoRemove(false);
        const QString seen = m_folder.filePath(name + u".png"_s), what = m_folder.filePath(name + u"-difference.png"_s),
                      whole = m_folder.filePath(name + u"-whole.png"_s);
        QVERIFY(m_seen[name].save(seen) && difference.picture.save(what) && m_window->grab().save(whole));
        QFAIL(qPrintable(u"%1: %2; see %3, %4 and %5"_s.arg(name, difference.text(), seen, what, whole)));
    }
    // What the comparison is for: it would have told any of them from any other, and far smaller changes.
    void everyOtherPictureIsTold()
    {
        QCOMPARE(m_seen.size(), 6);
        for (auto one = m_seen.cbegin(); one != m_seen.cend(); ++one) {
            for (auto other = m_seen.cbegin(); other != m_seen.cend(); ++other) {
                const PictureDifference difference = comparePictures(*one, QImage(referencePath(other.key())));
                QVERIFY2(difference.isTolerable() == (one.key() == other.key()),
                         qPrintable(one.key() + u" and "_s + other.key() + u": "_s + difference.text()));
            }
        }
    }
    void smallChangesAreTold()
    {
        open(ThemeMode::Light);
        m_window->setPerspective(u"Tune"_s);
        const QImage reference(referencePath(u"tune-light"_s));
        settle();
        QImage seen;
        QVERIFY2(lookUntilLike(reference, seen).isTolerable(), "as it was");
        m_window->selection()->select(4); // another node: its diff, its ring, its reasons
        settle();
        PictureDifference difference = comparePictures(look(), reference);
        qInfo("another node: %s", qPrintable(difference.text()));
        QVERIFY2(!difference.isTolerable(), qPrintable(difference.text()));
        open(ThemeMode::Light);
        QVERIFY2(lookUntilLike(reference, seen).isTolerable(), "as it was again");
        const QList<Chart *> charts = m_window->findChildren<Chart *>();
        const auto chart = std::ranges::find_if(charts, &QWidget::isVisible);
        QVERIFY(chart != charts.end());
        (*chart)->hide(); // one of two charts is gone
        settle();
        difference = comparePictures(look(), reference);
        qInfo("a chart less: %s", qPrintable(difference.text()));
        QVERIFY2(!difference.isTolerable(), qPrintable(difference.text()));
    }
    void cleanupTestCase() { m_window.reset(); }
};

QTEST_MAIN(TestPictures)
#include "tst_pictures.moc"
