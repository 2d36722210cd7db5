// SPDX-License-Identifier: Apache-2.0
// Libraries made by the compiler of this machine, and what they define that is not theirs.
#include "kit/foreign_names.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill::kit;

class tst_foreign_names : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void libraries_data()
    {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("names");
        QTest::newRow("its own")
            << QByteArray("#include <cstring>\nextern \"C\" int solve(const char *a) { return strlen(a); }")
            << QByteArray();
        QTest::newRow("a timer")
            << QByteArray("extern \"C\" int cudaEventElapsedTime(float *t, void *, void *) { *t = 0; return 0; }"
                          "extern \"C\" int cuStreamSynchronize(void *) { return 0; }")
            << QByteArray("cuStreamSynchronize cudaEventElapsedTime");
        QTest::newRow("a comparison")
            << QByteArray("extern \"C\" int memcmp(const void *, const void *, unsigned long) { return 0; }")
            << QByteArray("memcmp");
        QTest::newRow("hidden or of a class")
            << QByteArray("static int memcmp(int a) { return a; }\n"
                          "namespace mine { int memcmp(int a) { return a; } }\n"
                          "int cudaFast(int a) { return memcmp(a) + mine::memcmp(a); }")
            << QByteArray();
    }

    void libraries()
    {
        QFETCH(QByteArray, source);
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("a.cpp")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(source);
        file.close();
        const QString library = folder.filePath(QStringLiteral("a.so"));
        QProcess compiler;
        compiler.start(QStringLiteral("c++"),
                       {QStringLiteral("-shared"), QStringLiteral("-fPIC"), QStringLiteral("-fno-builtin"),
                        QStringLiteral("-o"), library, file.fileName()});
        QVERIFY2(compiler.waitForFinished(60'000) && compiler.exitCode() == 0, compiler.readAllStandardError());
        std::vector<std::string> names;
        std::string error;
        QVERIFY2(foreignNames(library.toStdString(), names, error), error.c_str());
        QByteArrayList found;
        for (const std::string &name : names)
            found.append(QByteArray::fromStdString(name));
        QTEST(found.join(' '), "names");
    }

    // What a linker would hide is still the candidate's own definition.
    void objectFile()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("a.cpp")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("extern \"C\" int cuStreamSynchronize(void *) { return 0; }\n"
                   "static int memcmp(int a) { return a; }\nint solve(int a) { return memcmp(a); }");
        file.close();
        const QString object = folder.filePath(QStringLiteral("a.o"));
        QProcess compiler;
        compiler.start(QStringLiteral("c++"), {QStringLiteral("-c"), QStringLiteral("-fvisibility=hidden"),
                                               QStringLiteral("-o"), object, file.fileName()});
        QVERIFY2(compiler.waitForFinished(60'000) && compiler.exitCode() == 0, compiler.readAllStandardError());
        std::vector<std::string> names;
        std::string error;
        QVERIFY2(foreignNames(object.toStdString(), names, error), error.c_str());
        QCOMPARE(names, std::vector<std::string>{"cuStreamSynchronize"});
    }

    void brokenFiles()
    {
        QTemporaryDir folder;
        std::vector<std::string> names;
        std::string error;
        QVERIFY(!foreignNames(folder.filePath(QStringLiteral("none.so")).toStdString(), names, error));
        // an ELF header whose tables would lie behind the file's end
        QFile self(QStringLiteral("/proc/self/exe")), cut(folder.filePath(QStringLiteral("cut.so")));
        QVERIFY(self.open(QIODevice::ReadOnly) && cut.open(QIODevice::WriteOnly));
        cut.write(self.read(4096));
        cut.close();
        QVERIFY(foreignNames(cut.fileName().toStdString(), names, error));
        QVERIFY(names.empty());
    }
};

QTEST_GUILESS_MAIN(tst_foreign_names)
#include "tst_foreign_names.moc"
