// SPDX-License-Identifier: Apache-2.0
// The bundle on a machine that has compilers and no Qt: packed from this build, unpacked elsewhere, run in a root whose
// copies of the libraries we need are covered up, without the source tree and the build folder.
#include "program.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace kernelskill::test;

class tst_bundle : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        const QString archive = m_folder.filePath(QStringLiteral("bundle.tar.gz"));
        ProgramEnd end = runHere(QStringLiteral(SOURCE_DIR "/packaging/bundle-parts/collect"),
                                 {QStringLiteral(BUILD_DIR), archive, QStringLiteral("1")});
        QVERIFY2(end.exitCode == 0, end.err);
        QVERIFY2(QFileInfo(archive).size() < 60'000'000, qPrintable(QString::number(QFileInfo(archive).size())));
        end = runHere(QStringLiteral("tar"), {QStringLiteral("-xzf"), archive, QStringLiteral("-C"), m_folder.path()});
        QVERIFY2(end.exitCode == 0, end.err);
        const QStringList made = QDir(m_folder.path()).entryList({QStringLiteral("kernelskill-*")}, QDir::Dirs);
        QCOMPARE(made.size(), 1);
        m_bundle = m_folder.filePath(made.first());
    }

    void holdsWhatIsPromised()
    {
        const QStringList expected{QStringLiteral("bin/kernelskill"),
                                   QStringLiteral("bin/kernelskill-reference-runner"),
                                   QStringLiteral("lib/start/bwrap"),
                                   QStringLiteral("lib/libQt6Core.so.6"),
                                   QStringLiteral("lib/libc.so.6"),
                                   QStringLiteral("lib/qt6/plugins/sqldrivers/libqsqlite.so"),
                                   QStringLiteral("plugins/evaluator-simulator.so"),
                                   QStringLiteral("plugins/simulator/kernelskill-sim-host"),
                                   QStringLiteral("share/kernelskill/resources/tasks/matmul/task.json"),
                                   QStringLiteral("share/kernelskill/skills/policy.yaml"),
                                   QStringLiteral("share/doc/LICENSE")};
        for (const QString &path : expected)
            QVERIFY2(QFileInfo::exists(m_bundle + u'/' + path), qPrintable(path));
        // nothing of a window
        QVERIFY(!QFileInfo::exists(m_bundle + QStringLiteral("/lib/libQt6Gui.so.6")));
        QVERIFY(!QFileInfo::exists(m_bundle + QStringLiteral("/lib/programs/kernelskill-workbench")));
    }

    void coversLibraries()
    {
        // what this test relies on: the machine's own Qt and bubblewrap are out of reach
        const ProgramEnd end = runInside({QStringLiteral("/bin/sh"), QStringLiteral("-c"),
                                          QStringLiteral("ls " SOURCE_DIR " " BUILD_DIR "; cat ") +
                                              QStringLiteral("/usr/lib/*/libQt6Core.so.6; bwrap true")});
        QVERIFY(end.exitCode != 0);
        QVERIFY2(end.out.isEmpty(), end.out);
    }

    void tellsWhatIsThere()
    {
        const ProgramEnd plugins = kernelskill({QStringLiteral("plugins")});
        QVERIFY2(plugins.exitCode == 0, plugins.err);
        QVERIFY2(plugins.out.contains("simulator") && plugins.out.contains("expert"), plugins.out);
        const ProgramEnd doctor = kernelskill({QStringLiteral("doctor")});
        QVERIFY2(doctor.exitCode == 0, doctor.out + doctor.err);
        QVERIFY2(doctor.out.contains("sandbox"), doctor.out);
        const ProgramEnd skills = kernelskill({QStringLiteral("skills"), QStringLiteral("list")});
        QVERIFY2(skills.exitCode == 0 && skills.out.contains("shared-memory-tiling"), skills.out + skills.err);
    }

    void evaluatesOnTheSimulator()
    {
        const QString task = m_bundle + QStringLiteral("/share/kernelskill/resources/tasks/transpose");
        const ProgramEnd end = kernelskill(
            {QStringLiteral("evaluate"), task, task + QStringLiteral("/baseline.cu"), QStringLiteral("--json")});
        QVERIFY2(end.exitCode == 0, end.out + end.err);
        QCOMPARE(end.json().value(QLatin1String("verdict")).toString(), QStringLiteral("verified"));
        QVERIFY(end.json().value(QLatin1String("time_us")).toDouble() > 0);
    }

private:
    static QStringList words(const char *text) { return QString::fromLatin1(text).split(u' '); }

    static ProgramEnd runHere(const QString &program, const QStringList &arguments)
    {
        QProcess process;
        process.start(program, arguments);
        ProgramEnd end;
        end.timedOut = !process.waitForFinished(240'000);
        end.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        end.out = process.readAllStandardOutput();
        end.err = process.readAllStandardError();
        return end;
    }

    // A root with this system's files, less what only we need of them; of the rest of the disk the bundle alone.
    ProgramEnd runInside(const QStringList &command)
    {
        // /proc as it is: the sandbox inside could not mount one of its own below one that is partly covered.
        QStringList arguments =
            words("--ro-bind /usr /usr --ro-bind /etc/alternatives /etc/alternatives --bind /proc /proc "
                  "--dev-bind /dev /dev --tmpfs /tmp");
        for (const QString &name : words("bin sbin lib lib64")) {
            if (QFileInfo::exists(u'/' + name))
                arguments += {QStringLiteral("--symlink"), QStringLiteral("usr/") + name, u'/' + name};
        }
        arguments += {QStringLiteral("--ro-bind"), m_bundle, m_bundle};
        for (const QString &path : covered())
            arguments += {QStringLiteral("--ro-bind"), QStringLiteral("/dev/null"), path};
        if (getuid() == 0) arguments += words("--cap-add ALL");
        arguments += words("--clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp --chdir / --");
        return runHere(QStringLiteral("bwrap"), arguments + command);
    }

    ProgramEnd kernelskill(const QStringList &arguments)
    {
        return runInside(QStringList{m_bundle + QStringLiteral("/bin/kernelskill")} + arguments);
    }

    // Compilers use many of the libraries that a bundle carries; these are for us alone.
    QStringList covered() const
    {
        static const QStringList ours{QStringLiteral("libQt6*"),     QStringLiteral("libyaml-cpp*"),
                                      QStringLiteral("libseccomp*"), QStringLiteral("libarchive*"),
                                      QStringLiteral("libsqlite3*"), QStringLiteral("libdouble-conversion*")};
        QStringList paths{QStandardPaths::findExecutable(QStringLiteral("bwrap"))};
        for (const QString &folder :
             QDir(QStringLiteral("/usr/lib")).entryList({QStringLiteral("*-linux-gnu")}, QDir::Dirs)) {
            const QDir libraries(QStringLiteral("/usr/lib/") + folder);
            for (const QString &name : libraries.entryList(ours, QDir::Files | QDir::NoSymLinks))
                paths.append(libraries.filePath(name));
        }
        return paths;
    }

    QTemporaryDir m_folder{QDir::tempPath() + QStringLiteral("/bundle-XXXXXX")};
    QString m_bundle;
};

QTEST_GUILESS_MAIN(tst_bundle)
#include "tst_bundle.moc"
