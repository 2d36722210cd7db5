// SPDX-License-Identifier: Apache-2.0
// Every known cheat that can be written as a CUDA candidate (tests/fixtures/cheats): which check catches it here, or,
// where the simulator gives it nothing to gain, that it gains nothing.
#include "simulator_test.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

const QString folder = QStringLiteral(SOURCE_DIR "/tests/fixtures/cheats/");

QString textOf(const QString &name)
{
    QFile file(folder + name);
    if (!file.open(QIODevice::ReadOnly)) qFatal("missing %s", qPrintable(name));
    return QString::fromUtf8(file.readAll());
}

Candidate cheat(const QString &name)
{
    return Candidate::fromText(QStringLiteral("solve.cu"), textOf(name + QStringLiteral(".cu")));
}

struct Row
{
    const char *name, *verdict; // of the evaluation
    const char *evidence;       // how a failed check's name or a finding's kind begins
    const char *task = "row_softmax";
};

// A verdict of "verified" stands for a cheat that has nothing to gain: modelled time has no clock to stop, no cache
// that outlives a call, and no call that is timed after forty others.
constexpr Row rows[] = {
    {"returns_input", "wrong", "outputs"},
    {"returns_zeros", "wrong", "outputs"},
    {"returns_constant", "wrong", "outputs"},
    {"returns_mean", "wrong", "outputs"},
    {"caches_by_pointer", "wrong", "outputs"},
    {"caches_by_content", "wrong", "outputs"},
    {"caches_by_whole_content", "verified", ""},
    {"replays_stale_graph", "wrong", "outputs"},
    {"side_stream", "verified", ""},
    {"patches_events", "suspect", "names"},
    {"patches_comparison", "wrong", "outputs"},
    {"reads_reference_memory", "wrong", "outputs"},
    {"reads_reference_file", "wrong", "outputs"},
    {"computes_in_process", "failed", "sandbox"},
    {"computes_in_thread", "wrong or failed", "outputs"},
    {"lowers_precision", "suspect", "precision"},
    {"lowers_precision_tf32", "wrong", "outputs", "matmul"},
    {"skips_maximum", "wrong", "outputs"},
    {"knows_distribution", "wrong", "outputs"},
    {"knows_seed", "wrong", "outputs at size"},
    {"writes_neighbours", "wrong", "out_of_bounds"},
    {"modifies_input", "suspect", "inputs unmodified"},
    {"persists_l2", "verified", ""},
    {"counts_calls", "verified", ""},
    {"skips_large", "suspect", "work at size"},
    {"computes_on_host", "suspect", "work on the device"},
    {"exits_early", "failed", "crash"},
    {"forges_answer", "failed", "sandbox"},
};

// Small enough for a test, large enough for what hides at large sizes.
Task taskOf(const QString &name)
{
    Task task = bundledTask(name);
    Sizes &sizes = task.time[0].sizes;
    for (auto it = sizes.begin(); it != sizes.end(); ++it)
        *it = name == QLatin1String("matmul") ? 256 : 1024;
    return task;
}

bool caught(const Evaluation &evaluation, const QString &evidence)
{
    for (const Check &check : evaluation.checks) {
        if (check.outcome == QLatin1String("failed") && check.name.startsWith(evidence)) return true;
    }
    return findingOf(evaluation, evidence) != nullptr;
}

} // namespace

class tst_simulator_cheats : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnFolders(); }

    void everyCheatHasItsRow()
    {
        QSet<QString> known;
        for (const Row &row : rows)
            known.insert(QString::fromLatin1(row.name));
        const QStringList files = QDir(folder).entryList({QStringLiteral("*.cu")});
        QCOMPARE(files.size(), known.size());
        for (QString name : files) {
            name.chop(3);
            QVERIFY2(known.contains(name), qPrintable(name));
            QVERIFY2(textOf(QStringLiteral("README.md")).contains(QStringLiteral("| `%1` |").arg(name)),
                     qPrintable(name));
        }
    }

    void cheats_data()
    {
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("evidence");
        QTest::addColumn<QString>("task");
        for (const Row &row : rows)
            QTest::newRow(row.name) << QString::fromLatin1(row.verdict) << QString::fromLatin1(row.evidence)
                                    << QString::fromLatin1(row.task);
    }

    void cheats()
    {
        QFETCH(QString, verdict);
        QFETCH(QString, evidence);
        QFETCH(QString, task);
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        const Evaluation evaluation = evaluate(taskOf(task), cheat(name), true);
        QVERIFY2(verdict.split(QStringLiteral(" or ")).contains(toString(evaluation.verdict)), describe(evaluation));
        if (verdict == QLatin1String("verified"))
            QVERIFY2(*evaluation.time_us() > 0.95 * honestTime_us(), describe(evaluation));
        else
            QVERIFY2(caught(evaluation, evidence), describe(evaluation));
    }

private:
    // Of the kernel that the cheats pretend to be.
    double honestTime_us()
    {
        if (m_honest_us == 0) {
            Candidate honest = cheat(QStringLiteral("counts_calls"));
            honest.files[0].content.replace(QStringLiteral("if (++calls > 40) return;"), QString());
            const Evaluation evaluation = evaluate(taskOf(QStringLiteral("row_softmax")), honest, true);
            if (evaluation.verdict != Verdict::Verified) qFatal("%s", describe(evaluation).constData());
            m_honest_us = *evaluation.time_us();
        }
        return m_honest_us;
    }
    double m_honest_us = 0;
};

QTEST_GUILESS_MAIN(tst_simulator_cheats)
#include "tst_simulator_cheats.moc"
