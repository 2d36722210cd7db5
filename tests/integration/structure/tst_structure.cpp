// SPDX-License-Identifier: Apache-2.0
// The rules of the tree that a compiler does not keep: who needs whom, what stands in the root.
#include <QDir>
#include <QDirIterator>
#include <QProcess>
#include <QTest>

class tst_structure : public QObject
{
    Q_OBJECT

    static QStringList needed(const QString &file)
    {
        QProcess readelf;
        readelf.start(QStringLiteral("readelf"), {QStringLiteral("-d"), QStringLiteral("-W"), file});
        if (!readelf.waitForFinished() || readelf.exitCode() != 0) qFatal("readelf failed on %s", qPrintable(file));
        QStringList names;
        for (const QByteArray &line : readelf.readAllStandardOutput().split('\n'))
            if (line.contains("(NEEDED)")) names << QString::fromUtf8(line.mid(line.indexOf('[') + 1)).section(QLatin1Char(']'), 0, 0);
        return names;
    }

private Q_SLOTS:
    void engineNeedsNoGui_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("core") << QStringLiteral(BUILD_DIR "/lib/libkernelskill-core.so");
        QTest::newRow("cli") << QStringLiteral(BUILD_DIR "/bin/kernelskill");
        QDirIterator plugins(QStringLiteral(BUILD_DIR "/plugins"), {QStringLiteral("*.so")}, QDir::Files);
        while (plugins.hasNext()) {
            const QString file = plugins.next();
            QTest::newRow(qPrintable(QFileInfo(file).fileName())) << file;
        }
    }

    void engineNeedsNoGui()
    {
        QFETCH(QString, file);
        const QStringList libraries = needed(file);
        QVERIFY2(libraries.contains(QStringLiteral("libQt6Core.so.6")), qPrintable(file + QStringLiteral(" was not read")));
        for (const QString &library : libraries) {
            QVERIFY2(!library.startsWith(QLatin1String("libQt6Gui")), qPrintable(file + QStringLiteral(" needs ") + library));
            QVERIFY2(!library.startsWith(QLatin1String("libQt6Widgets")), qPrintable(file + QStringLiteral(" needs ") + library));
        }
    }

    void pluginsComeFromEveryFolder()
    {
        for (const QString &kind : {QStringLiteral("evaluators"), QStringLiteral("agents")}) {
            const QDir folder(QStringLiteral(SOURCE_DIR "/plugins/") + kind);
            for (const QString &name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
                if (!QFileInfo::exists(folder.filePath(name + QStringLiteral("/metadata.json"))) &&
                    !QFileInfo::exists(folder.filePath(name + QStringLiteral("/plugin/metadata.json"))))
                    continue;
                const QString library = QStringLiteral(BUILD_DIR "/plugins/%1-%2.so").arg(kind.chopped(1), name);
                QVERIFY2(QFileInfo::exists(library), qPrintable(library));
            }
        }
    }

    void programsLinkNoPlugin()
    {
        for (const QString &program : {QStringLiteral("kernelskill"), QStringLiteral("kernelskill-workbench")}) {
            const QString file = QStringLiteral(BUILD_DIR "/bin/") + program;
            if (!QFileInfo::exists(file)) continue;
            for (const QString &library : needed(file))
                QVERIFY2(!library.startsWith(QLatin1String("evaluator-")) && !library.startsWith(QLatin1String("agent-")), qPrintable(program + QStringLiteral(" needs ") + library));
        }
    }

    void rootHoldsFixedNamesOnly()
    {
        const QStringList fixed{QStringLiteral("CMakeLists.txt"), QStringLiteral("CMakePresets.json"), QStringLiteral("LICENSE"), QStringLiteral("README.md"),
                                QStringLiteral("app"), QStringLiteral("build"), QStringLiteral("core"), QStringLiteral("packaging"), QStringLiteral("plugins"),
                                QStringLiteral("resources"), QStringLiteral("skills"), QStringLiteral("tests")};
        for (const QString &name : QDir(QStringLiteral(SOURCE_DIR)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot))
            QVERIFY2(fixed.contains(name), qPrintable(QStringLiteral("the root holds ") + name));
    }

    void sourcesCarryTheirLicence()
    {
        for (const char *folder : {"core", "app", "plugins", "tests"}) {
            QDirIterator files(QStringLiteral(SOURCE_DIR "/") + QLatin1String(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                QVERIFY2(file.readLine().startsWith("// SPDX-License-Identifier: "), qPrintable(file.fileName()));
            }
        }
    }
};

QTEST_GUILESS_MAIN(tst_structure)
#include "tst_structure.moc"
