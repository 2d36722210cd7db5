// SPDX-License-Identifier: Apache-2.0
#include "kit/program_folder.h"

#include <QCoreApplication>
#include <QTest>

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
};

QTEST_GUILESS_MAIN(tst_program_folder)
#include "tst_program_folder.moc"
