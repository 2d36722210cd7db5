// SPDX-License-Identifier: Apache-2.0
// Reading and refusing policies; the one that ships.
#include "retrieval/policy.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;

namespace {

// The least policy there is; %1 stands in the first case's conditions.
QString small(const QString &condition)
{
    return QStringLiteral(
               "version: 1\n"
               "fields:\n"
               "  number: [dram_throughput_pct, l2_throughput_pct, sm_throughput_pct]\n"
               "  boolean: [has_reuse]\n"
               "  structure: [kernel_structure_id]\n"
               "derived:\n"
               "  - {name: primary_limiter_util, meaning: Nearest ceiling, is: \"max(dram_throughput_pct, "
               "l2_throughput_pct, sm_throughput_pct)\"}\n"
               "tiers: {H: primary_limiter_util < 60, M: primary_limiter_util >= 60, L: primary_limiter_util > 80}\n"
               "methods:\n"
               "  M3: {title: Coalescing}\n"
               "bottlenecks:\n"
               "  - id: first\n"
               "    title: First\n"
               "    all: [dram_throughput_pct >= 80]\n"
               "    cases:\n"
               "      - {id: one, title: One, allowed: [M3], all: [%1]}\n"
               "  - id: last\n"
               "    title: Last\n"
               "    fallback: true\n"
               "    cases:\n"
               "      - {id: any, title: Any, allowed: [M3]}\n")
        .arg(condition);
}

} // namespace

class TestPolicy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theShippedPolicyIsAccepted();
    void thePublishedTableIsComplete();
    void aSmallPolicyIsRead();
    void errors_data();
    void errors();
    void anUnreachableCaseIsNamed();
    void aShadowedCaseIsNamed();
    void anOverlayChangesWhatItNames();
    void overlayErrors_data();
    void overlayErrors();
    void aBrokenOverlayStopsNothing();
    void untaughtMethodsAreTold();
    void nothingButComparisonsIsAllowed();
};

void TestPolicy::theShippedPolicyIsAccepted()
{
    const auto policy = Policy::read(QStringLiteral(SOURCE_DIR "/skills/policy.yaml"));
    QVERIFY2(policy, qPrintable(policy ? QString() : policy.error().message));
    QCOMPARE(policy->bottlenecks.size(), 15);
    QVERIFY(policy->bottlenecks.last().fallback);
    QCOMPARE(policy->methods.size(), 44);
}

void TestPolicy::thePublishedTableIsComplete()
{
    const auto policy = Policy::read(QStringLiteral(SOURCE_DIR "/skills/policy.yaml"));
    QVERIFY(policy);
    // Case, what it allows, in the published order
    const QMap<QString, QStringList> published{
        {"memory_bandwidth.unavoidable_unaligned", {"M10", "M11"}},
        {"memory_bandwidth.unavoidable_aligned", {"M5", "M13"}},
        {"memory_bandwidth.streaming", {"M3", "M9", "M4"}},
        {"memory_bandwidth.reuse", {"M8", "M14", "M6", "M16"}},
        {"memory_bandwidth.no_reuse", {"M11", "M5", "M13"}},
        {"memory_bandwidth.streaming_reduction", {"M3", "M4", "M5"}},
        {"gemm_tiling_needed.library", {"M12"}},
        {"gemm_tiling_needed.tensor_streaming", {"M15", "M8", "M14"}},
        {"gemm_tiling_needed.tensor_reuse", {"M15", "M8", "M14"}},
        {"gemm_tiling_needed.tensor_several", {"M15", "M8", "M14"}},
        {"gemm_tiling_needed.tile_streaming", {"M8", "M14"}},
        {"gemm_tiling_needed.tile_reuse", {"M8", "M14"}},
        {"gemm_tiling_needed.tile_several", {"M8", "M14"}},
        {"l1_saturated_access_pathology.streaming", {"M3", "M8", "M15", "M17"}},
        {"memory_latency.streaming", {"M3", "M4", "M5"}},
        {"memory_latency.reuse", {"M6", "M5", "M7"}},
        {"memory_latency.streaming_reduction", {"M4", "M5", "M3"}},
        {"memory_latency.any_streaming", {"M5", "M7"}},
        {"compute.transcendental", {"M20", "M2", "M21"}},
        {"compute.stencil", {"M8", "M3"}},
        {"compute.pointwise", {"M2", "M21"}},
        {"compute.irregular", {"M2", "M19", "M17"}},
        {"register_pressure.any", {"M22", "M23", "M24"}},
        {"divergence.any", {"M19", "M17"}},
        {"launch_overhead.graph", {"M1"}},
        {"launch_overhead.fuse", {"M16", "M18"}},
        {"code_structure_fallback.graph", {"M1"}},
        {"code_structure_fallback.library", {"M12"}},
    };
    QCOMPARE(published.size(), 28);
    QMap<QString, QStringList> found;
    for (const PolicyCase &one : policy->cases) {
        if (published.contains(one.id)) found.insert(one.id, one.allowed);
    }
    QCOMPARE(found, published);
}

void TestPolicy::aSmallPolicyIsRead()
{
    const auto policy = Policy::parse(small("has_reuse"), "small.yaml");
    QVERIFY2(policy, qPrintable(policy ? QString() : policy.error().message));
    QCOMPARE(policy->fields, QStringList({"dram_throughput_pct", "l2_throughput_pct", "sm_throughput_pct", "has_reuse",
                                          "kernel_structure_id"}));
    QCOMPARE(policy->derived.size(), 1);
    QCOMPARE(policy->cases.size(), 2);
    QCOMPARE(policy->cases.first().id, QString("first.one"));
    QCOMPARE(policy->cases.first().all, QStringList({"has_reuse"}));
    QCOMPARE(policy->digest().size(), 64);
}

void TestPolicy::errors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown field")
        << small("dram_thoughput_pct > 3") << "policy.name"
        << "p.yaml:16:52: unknown name 'dram_thoughput_pct'; did you mean 'dram_throughput_pct'?";
    QTest::newRow("unknown field inside")
        << small("has_reuse AND reuse > 3") << "policy.name"
        << "p.yaml:16:66: unknown name 'reuse'; declare it under 'fields' or 'derived'";
    QTest::newRow("structure out of range")
        << small("kernel_structure_id = 'S7'") << "policy.type"
        << "p.yaml:16:52: 'kernel_structure_id = 'S7'': kernel_structure_id is one of 'S0' to 'S4', not 'S7'";
    QTest::newRow("structure with order")
        << small("kernel_structure_id > 'S1'") << "policy.type"
        << "p.yaml:16:52: 'kernel_structure_id > 'S1'': kernel_structure_id has no order; use = or IN";
    QTest::newRow("boolean with number")
        << small("has_reuse >= 5") << "policy.type"
        << "p.yaml:16:52: 'has_reuse >= 5': has_reuse is true or false; write 'has_reuse' or 'NOT has_reuse'";
    QTest::newRow("number with text") << small("dram_throughput_pct = 'high'") << "policy.type"
                                      << "p.yaml:16:52: 'dram_throughput_pct = 'high'': dram_throughput_pct is a "
                                         "number and cannot be compared with the text 'high'";
    QTest::newRow("syntax of SQL") << small("has_reuse AND") << "policy.expression"
                                   << "p.yaml:16:52: 'has_reuse AND': near \")\": syntax error";
    QTest::newRow("unknown method") << small("has_reuse").replace("allowed: [M3], all", "allowed: [M4], all")
                                    << "policy.name"
                                    << "p.yaml:16:41: unknown method 'M4'; did you mean 'M3'?";
    QTest::newRow("unknown key") << small("has_reuse").replace("title: One", "titel: One") << "policy.name"
                                 << "p.yaml:16:19: unknown key 'titel'; did you mean 'title'?";
    QTest::newRow("broken YAML") << QStringLiteral("version: [1\n") << "policy.syntax"
                                 << "p.yaml:2:1: end of sequence flow not found";
}

void TestPolicy::errors()
{
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(QString, message);
    const auto policy = Policy::parse(text, "p.yaml");
    QVERIFY(!policy);
    QCOMPARE(policy.error().message, message);
    QCOMPARE(policy.error().code, code);
}

void TestPolicy::anUnreachableCaseIsNamed()
{
    const auto policy = Policy::parse(small("dram_throughput_pct < 70"), "p.yaml");
    QVERIFY(!policy);
    QCOMPARE(policy.error().code, QString("policy.unreachable"));
    QCOMPARE(policy.error().detail, QString("first.one"));
}

void TestPolicy::aShadowedCaseIsNamed()
{
    // The second case holds only when the first does, and allows nothing more.
    QString text = small("dram_throughput_pct >= 80");
    const QString narrower = "      - {id: two, title: Two, allowed: [M3], all: [dram_throughput_pct >= 90]}\n";
    const QString first = "allowed: [M3], all: [dram_throughput_pct >= 80]}\n";
    QVERIFY(text.contains(first));
    const auto policy = Policy::parse(QString(text).replace(first, first + narrower), "p.yaml");
    QVERIFY(!policy);
    QCOMPARE(policy.error().code, QString("policy.shadowed"));
    QCOMPARE(policy.error().detail, QString("first.two"));
    QVERIFY2(policy.error().message.startsWith("p.yaml:17:9: whenever the case 'first.two' holds"),
             qPrintable(policy.error().message));
    // It may stand there when it allows something of its own.
    QString more = narrower;
    more.replace("allowed: [M3]", "allowed: [M4]");
    QString withMore = QString(text).replace(first, first + more);
    withMore.replace("  M3: {title: Coalescing}\n", "  M3: {title: Coalescing}\n  M4: {title: Parallelism}\n");
    QVERIFY(Policy::parse(withMore, "p.yaml"));
}

void TestPolicy::anOverlayChangesWhatItNames()
{
    const QString overlay = "overlay: 1\n"
                            "tiers: {H: primary_limiter_util < 50}\n"
                            "methods: {M4: {title: Parallelism}}\n"
                            "advice: [Mine.]\n"
                            "bottlenecks:\n"
                            "  - id: first\n"
                            "    cases:\n"
                            "      - {id: one, allowed: [M4, M3]}\n"
                            "      - {id: mine, before: one, title: Mine, all: [sm_throughput_pct > 5], allowed: [M4]}\n"
                            "  - id: second\n"
                            "    title: Second\n"
                            "    all: [l2_throughput_pct >= 70]\n"
                            "    cases: [{id: any, title: Any, allowed: [M3]}]\n";
    const auto before = Policy::parse(small("has_reuse"), "p.yaml");
    const auto after = Policy::parse(small("has_reuse"), "p.yaml", overlay, "o.yaml");
    QVERIFY2(after, qPrintable(after ? QString() : after.error().message));
    QStringList cases;
    for (const PolicyCase &one : after->cases)
        cases.append(one.id + u' ' + one.allowed.join(u'+'));
    QCOMPARE(cases, QStringList({"first.mine M4", "first.one M4+M3", "second.any M3", "last.any M3"}));
    QCOMPARE(after->cases[1].all, QStringList({"has_reuse"})); // what is not named stays
    QCOMPARE(after->source, QString("p.yaml + o.yaml"));
    // The merged text alone is the same policy: a session keeps that.
    const auto again = Policy::parse(after->text, "session");
    QVERIFY2(again, qPrintable(again ? QString() : again.error().message));
    QVERIFY(differences(*after, *again).isEmpty());
    QStringList told;
    for (const PolicyDifference &one : differences(*before, *after))
        told.append(one.place + u' ' + one.what + u' ' + one.before + QStringLiteral(" > ") + one.after);
    QVERIFY(told.contains("first.one allowed M3 > M4, M3"));
    QVERIFY(told.contains("tier H is primary_limiter_util < 60 > primary_limiter_util < 50"));
    QVERIFY(told.contains("first.mine allowed  > M4"));
    QVERIFY(told.contains("method M4 title  > Parallelism"));
    QVERIFY(differences(*before, *before).isEmpty());
    const auto removed = Policy::parse(after->text, "p.yaml", "overlay: 1\nremove: [second, first.mine]\n", "o.yaml");
    QVERIFY(removed);
    QCOMPARE(removed->bottlenecks.size(), 2);
    QCOMPARE(removed->cases.first().id, QString("first.one"));
}

void TestPolicy::overlayErrors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("no overlay") << "bottlenecks: []\n" << "o.yaml:1:1: an overlay starts with 'overlay: 1'";
    QTest::newRow("unknown key") << "overlay: 1\nbottleneck: []\n"
                                 << "o.yaml:2:1: unknown key 'bottleneck'; known: overlay, remove, fields, derived, tiers, "
                                    "methods, advice, bottlenecks, reuse_source";
    QTest::newRow("unknown name") << "overlay: 1\nbottlenecks:\n  - id: first\n    cases:\n      - {id: one, all: [has_reus]}\n"
                                  << "o.yaml:5:25: unknown name 'has_reus'; did you mean 'has_reuse'?";
    QTest::newRow("nothing to stand before")
        << "overlay: 1\nbottlenecks:\n  - {id: new, before: nowhere, title: New, all: [has_reuse], cases: []}\n"
        << "o.yaml:3:23: there is no 'nowhere' to stand before";
    QTest::newRow("nothing to remove")
        << "overlay: 1\nremove: [first.two]\n"
        << "o.yaml:2:10: 'first.two' is neither a case (bottleneck.case) nor a bottleneck; nothing to remove";
    QTest::newRow("broken YAML") << "overlay: 1\nremove: [\n" << "o.yaml:3:1: end of sequence flow not found";
    QTest::newRow("the shipped part") << "overlay: 1\nremove: [last]\n"
                                      << "p.yaml:12:5: the last bottleneck must be the fallback and its last case without any "
                                         "condition, so that every row of evidence reaches a case";
}

void TestPolicy::overlayErrors()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto policy = Policy::parse(small("has_reuse"), "p.yaml", text, "o.yaml");
    QVERIFY(!policy);
    QCOMPARE(policy.error().message, message);
}

void TestPolicy::aBrokenOverlayStopsNothing()
{
    QTemporaryDir home;
    qputenv("XDG_CONFIG_HOME", home.filePath("config").toUtf8());
    qputenv("XDG_DATA_HOME", home.filePath("data").toUtf8());
    qputenv("KERNELSKILL_SKILLS", SOURCE_DIR "/skills");
    const auto write = [](const QString &path, const QByteArray &text) {
        QDir().mkpath(QFileInfo(path).absolutePath());
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write(userPolicyFile(), "overlay: [\n"));
    auto inForce = policyInForce();
    QVERIFY(inForce);
    QCOMPARE(inForce->problems.size(), 1);
    QCOMPARE(inForce->problems.first().detail, QString("the policy that ships serves instead"));
    QVERIFY(inForce->policy.advice.size() > 2);
    // Once it was good, that one serves when it is broken again.
    QVERIFY(write(userPolicyFile(), "overlay: 1\nadvice: [Mind the tail.]\n"));
    inForce = policyInForce();
    QVERIFY(inForce);
    QVERIFY(inForce->problems.isEmpty());
    QCOMPARE(inForce->policy.advice.last(), QString("Mind the tail."));
    QVERIFY(write(userPolicyFile(), "overlay: 1\nadvices: [x]\n"));
    inForce = policyInForce();
    QVERIFY(inForce);
    QCOMPARE(inForce->problems.first().detail, QString("the last good policy serves instead"));
    QCOMPARE(inForce->policy.advice.last(), QString("Mind the tail."));
    // One that was asked for by name is another matter.
    const auto asked = policyInForce(userPolicyFile());
    QVERIFY(!asked);
    QVERIFY(asked.error().message.contains("policy.yaml:2:1: unknown key 'advices'"));
    const auto missing = policyInForce(home.filePath("none.yaml"));
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, QString("policy.missing"));
}

void TestPolicy::untaughtMethodsAreTold()
{
    const auto policy = Policy::parse(small("has_reuse"), "p.yaml");
    QCOMPARE(untaughtMethods(*policy, {"M3"}), QStringList());
    QCOMPARE(untaughtMethods(*policy, {"M8"}),
             QStringList({"M3 (Coalescing) has no skill; allowed in first.one, last.any"}));
}

void TestPolicy::nothingButComparisonsIsAllowed()
{
    for (const char *condition : {"(SELECT count(*) FROM sqlite_master)", "randomblob(3)", "load_extension('x')"}) {
        const auto policy = Policy::parse(small(QStringLiteral("\"%1\"").arg(condition)), "p.yaml");
        QVERIFY2(!policy, condition);
        QCOMPARE(policy.error().code, QString("policy.expression"));
    }
}

QTEST_APPLESS_MAIN(TestPolicy)
#include "tst_policy.moc"
