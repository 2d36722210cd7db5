// SPDX-License-Identifier: Apache-2.0
// Breadth: every form of instruction_forms.txt is decoded. What the instructions compute is tested elsewhere.
#include "engine_fixture.h"

#include <QFile>

using namespace kernelskill::simulator;

class EngineForms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFormIsCovered();
    void unknownFormsAreNamed_data();
    void unknownFormsAreNamed();
};

namespace {

std::string around(const std::string &instruction) {
    return ".version 8.3\n.target sm_90a\n.address_size 64\n.file 1 \"forms.cu\"\n.shared .align 16 .b8 gs[1024];\n.global .align 16 .b8 gv[64];\n.const .align 16 .b8 gc[64];\n"
           ".visible .entry k(.param .u64 kp)\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .b64 %d<16>;\n.reg .f64 %e<16>;\n.reg .b128 %q<4>;\n"
           ".loc 1 7 1\n" + instruction + "\nret;\n}\n";
}

} // namespace

void EngineForms::everyFormIsCovered() {
    QFile file(QFINDTESTDATA("instruction_forms.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly | QIODevice::Text));
    QStringList missing;
    int forms = 0;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.isEmpty() || line.startsWith('#')) continue;
        ++forms;
        Device device;
        const auto kernels = device.loadModule(around(line.toStdString()));
        if (kernels && !kernels->at(0).unsupported) continue;
        qInfo("not covered: %s", line.constData());
        if (!kernels) missing << QString::fromLatin1(line) + QStringLiteral("  -- ") + QString::fromStdString(kernels.error().message);
        else missing << QString::fromLatin1(line) + QStringLiteral("  -- ") + QString::fromStdString(*kernels->at(0).unsupported);
    }
    QVERIFY(forms > 600);
    QVERIFY2(missing.isEmpty(), qPrintable(QString::number(missing.size()) + QStringLiteral(" of ") + QString::number(forms) + QStringLiteral(":\n") + missing.join(QLatin1Char('\n'))));
}

void EngineForms::unknownFormsAreNamed_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<QString>("message");
    QTest::newRow("no such instruction") << "frobnicate.s32 %r1, %r2;" << "frobnicate.s32 is not covered";
    QTest::newRow("texture") << "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];" << "textures and surfaces are not simulated";
    QTest::newRow("surface") << "suld.b.2d.b32.trap %r1, [%d1, {%r2, %r3}];" << "textures and surfaces are not simulated";
    QTest::newRow("multicast memory") << "multimem.red.relaxed.sys.global.add.u32 [%d1], %r1;" << "multimem.red.relaxed.sys.global.add.u32 is not covered";
    QTest::newRow("fifth generation tensor core") << "tcgen05.wait::ld.sync.aligned;" << "tcgen05.wait::ld.sync.aligned is not covered";
    QTest::newRow("wrong type") << "shf.l.wrap.b64 %d1, %d2, %d3, %r1;" << "shf.l.wrap.b64 is not covered";
}
void EngineForms::unknownFormsAreNamed() {
    QFETCH(QString, instruction);
    QFETCH(QString, message);
    Engine e;
    QVERIFY(e.run(around(instruction.toStdString()), {1}, {32}, {0}));
    const Finding *finding = e.finding("unsupported_instruction");
    QVERIFY(finding != nullptr);
    QVERIFY(finding->fatal && !e.report.completed);
    QCOMPARE(finding->line, 7);
    QCOMPARE(finding->file, std::string("forms.cu"));
    QVERIFY2(QString::fromStdString(finding->message).contains(message), finding->message.c_str());
}

QTEST_APPLESS_MAIN(EngineForms)
#include "tst_engine_forms.moc"
