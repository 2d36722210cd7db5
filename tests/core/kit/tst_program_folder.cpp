// SPDX-License-Identifier: Apache-2.0
#include "kit/program_folder.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <string>

using namespace kernelskill::kit;

class tst_program_folder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ofThisProgram()
    {
        QCOMPARE(QString::fromStdString(programFolder()), QCoreApplication::applicationDirPath());
        QVERIFY(bundleFolder().empty());
    }

    void started_data()
    {
        QTest::addColumn<QByteArray>("executable");
        QTest::addColumn<QByteArray>("firstArgument");
        QTest::addColumn<QByteArray>("folder");
        QTest::addColumn<QByteArray>("bundle");
        const auto row = [](const char *name, const char *executable, const char *first, const char *folder,
                            const char *bundle) {
            QTest::newRow(name) << QByteArray(executable) << QByteArray(first) << QByteArray(folder)
                                << QByteArray(bundle);
        };
        row("as usual", "/opt/k/bin/kernelskill", "kernelskill", "/opt/k/bin", "");
        row("by a bundle's script", "/opt/k/lib/ld-linux-x86-64.so.2", "/opt/k/bin/kernelskill", "/opt/k/bin",
            "/opt/k");
        row("a helper of it", "/opt/k/lib/ld-linux-x86-64.so.2", "/opt/k/plugins/cuda/worker", "/opt/k/plugins/cuda",
            "/opt/k");
        // somebody else's linker says nothing about a bundle
        row("by hand", "/usr/lib/ld-linux-x86-64.so.2", "/home/me/kernelskill", "/home/me", "");
        row("by hand, from somewhere", "/usr/lib/ld-linux-x86-64.so.2", "./kernelskill", "/usr/lib", "");
        row("a neighbour's name", "/opt/k/lib/ld-linux-x86-64.so.2", "/opt/k2/bin/kernelskill", "/opt/k2/bin", "");
    }

    void started()
    {
        QFETCH(QByteArray, executable);
        QFETCH(QByteArray, firstArgument);
        QTEST(QByteArray::fromStdString(programFolder(executable.toStdString(), firstArgument.toStdString())),
              "folder");
        QTEST(QByteArray::fromStdString(bundleFolder(executable.toStdString(), firstArgument.toStdString())), "bundle");
    }

    // This program itself, started as a bundle's script starts one.
    void startedByALinker()
    {
        QFile self(QStringLiteral("/proc/self/maps"));
        QVERIFY(self.open(QIODevice::ReadOnly));
        const QRegularExpressionMatch linker =
            QRegularExpression(QStringLiteral("(/\\S*/ld-linux[^/\\s]*)")).match(QString::fromUtf8(self.readAll()));
        if (!linker.hasMatch()) QSKIP("this system's linker has another name");
        QTemporaryDir bundle;
        const QString root = QFileInfo(bundle.path()).canonicalFilePath();
        QVERIFY(QDir(root).mkpath(QStringLiteral("lib")));
        const QString copy = root + QStringLiteral("/lib/ld-linux-x86-64.so.2");
        QVERIFY(QFile::copy(linker.captured(1), copy));
        QProcess child;
        child.start(copy, {QStringLiteral("--argv0"), root + QStringLiteral("/plugins/cuda/worker"),
                           QCoreApplication::applicationFilePath(), QStringLiteral("--say-folder")});
        QVERIFY(child.waitForFinished());
        QCOMPARE(QString::fromUtf8(child.readAllStandardOutput()), root + QStringLiteral("/plugins/cuda ") + root);
    }
};

int main(int argc, char **argv)
{
    if (argc == 2 && std::string(argv[1]) == "--say-folder") {
        std::printf("%s %s", programFolder().c_str(), bundleFolder().c_str());
        return 0;
    }
    QCoreApplication application(argc, argv);
    tst_program_folder test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_program_folder.moc"
