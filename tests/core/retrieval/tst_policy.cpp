// SPDX-License-Identifier: Apache-2.0
// Reading and refusing policies; the one that ships.
#include "retrieval/policy.h"

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
    void nothingButComparisonsIsAllowed();
};

void TestPolicy::theShippedPolicyIsAccepted()
{
    const auto policy = Policy::read(QStringLiteral(SOURCE_DIR "/skills/policy.yaml"));
    QVERIFY2(policy, qPrintable(policy ? QString() : policy.error().message));
    QCOMPARE(policy->bottlenecks.size(), 13);
    QVERIFY(policy->bottlenecks.last().fallback);
    QCOMPARE(policy->methods.size(), 27);
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
