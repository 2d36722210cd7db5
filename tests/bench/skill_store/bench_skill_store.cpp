// SPDX-License-Identifier: Apache-2.0
// The long-term memory when it is large: skills on disk and in the store, ledger rows, and what a run asks of them.
//   bench_skill_store [SKILLS [ROWS]]     default 1000 and 1000000; ends with 1 when a limit is not kept
#include "memory/longterm/skill_store.h"
#include "retrieval/retriever.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using namespace kernelskill;

namespace {

bool allKept = true;

// The median of `times` runs, since one may meet somebody else's work.
template <class Work> double milliseconds(int times, Work work)
{
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        QElapsedTimer timer;
        timer.start();
        work();
        all.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::ranges::nth_element(all, all.begin() + std::ptrdiff_t(all.size() / 2));
    return all[all.size() / 2];
}

void tell(const char *what, double time_ms, double limit_ms = 0)
{
    const bool kept = limit_ms == 0 || time_ms <= limit_ms;
    allKept = allKept && kept;
    std::printf("%-46s %9.2f ms", what, time_ms);
    if (limit_ms > 0) std::printf("   limit %.0f ms%s", limit_ms, kept ? "" : ", NOT KEPT");
    std::printf("\n");
    std::fflush(stdout);
}

template <class T> T need(Result<T> result)
{
    if (!result) qFatal("%s", qPrintable(result.error().message));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// The skills that ship, again and again under other names, with their examples.
void makeSkills(const QString &folder, int count)
{
    const QDir shipped(QStringLiteral(SOURCE_DIR "/skills"));
    const QStringList names = shipped.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (int i = 0; i < count; ++i) {
        SkillPackage package = need(readSkillFolder(shipped.filePath(names[i % names.size()])));
        const QString name = QStringLiteral("%1-%2").arg(package.folder.left(48)).arg(i, 4, 10, QLatin1Char('0'));
        package.text.replace("name: " + package.folder.toUtf8() + "\n", "name: " + name.toUtf8() + "\n");
        need(writeSkillFolder(folder + u'/' + name, package.text, package.attachments));
    }
}

// As runs leave it: each skill in a few situations on each of three architectures, over 200 tasks.
void fillLedger(SkillStore &store, const QStringList &skills, int rows)
{
    static const QStringList architectures{QStringLiteral("sm_80"), QStringLiteral("sm_90"), QStringLiteral("sm_100")};
    static const QStringList bottlenecks{QStringLiteral("memory_bandwidth"), QStringLiteral("uncoalesced_access"),
                                         QStringLiteral("compute"), QStringLiteral("memory_latency"),
                                         QStringLiteral("insufficient_parallelism")};
    std::mt19937_64 random(1);
    constexpr int batch = 10'000;
    for (int done = 0; done < rows;) {
        QList<LedgerEntry> entries;
        for (int i = 0; i < batch && done < rows; ++i, ++done) {
            LedgerEntry entry;
            entry.session = QStringLiteral("session-%1").arg(done / 20);
            entry.node = done % 20;
            entry.sessionPath = QStringLiteral("/sessions/%1.kss").arg(done / 20);
            entry.task = QStringLiteral("task_%1").arg(random() % 200);
            const qsizetype skill = qsizetype(random() % quint64(skills.size()));
            entry.skill = skills[skill];
            entry.method = QStringLiteral("M3");
            entry.architecture = architectures[qsizetype(random() % 3)];
            entry.bottleneck = bottlenecks[(skill + qsizetype(random() % 2)) % bottlenecks.size()];
            entry.structure = QStringLiteral("S%1").arg((skill + qsizetype(random() % 2)) % 5);
            const bool verified = random() % 4 != 0;
            entry.verdict = verified ? QStringLiteral("verified") : QStringLiteral("wrong");
            const double speedup = 0.9 + double(random() % 1000) / 1000;
            entry.logSpeedup = verified ? std::log(speedup) : 0;
            entry.interval = {speedup * 0.99, speedup * 1.01};
            entry.kind = random() % 2 ? QStringLiteral("measured") : QStringLiteral("modelled");
            entry.observed = {
                {"changes", QJsonArray{QJsonObject{{"metric", "sectors_per_request"}, {"before", 32}, {"after", 4}}}}};
            entries.append(entry);
        }
        need(store.record(entries));
    }
}

RetrievalInput question(const Policy &policy)
{
    RetrievalInput input;
    input.policy = &policy;
    KernelProfile kernel;
    kernel.name = QStringLiteral("matmul");
    kernel.duration_us = 3000;
    kernel.metrics = {{"dram_throughput_pct", 8},   {"l2_throughput_pct", 30},        {"l1_throughput_pct", 95},
                      {"sm_throughput_pct", 20},    {"achieved_occupancy_pct", 98},   {"kernel_duration_ns", 3e6},
                      {"sectors_per_request", 8.5}, {"store_sectors_per_request", 16}};
    input.profile.device = QStringLiteral("h200");
    input.profile.kernels = {kernel};
    input.profile.launchCount = 1;
    input.features = {{"kernel_structure_id", "S1"}, {"has_reuse", true},     {"is_naive_gemm", true},
                      {"has_k_loop", true},          {"is_gemm_kloop", true}, {"tc_eligible", false}};
    input.architecture = QStringLiteral("sm_90");
    return input;
}

void askPolicy(const QList<Skill> &skills, const QList<SkillStatistics> &statistics)
{
    const Policy policy = need(Policy::read(QStringLiteral(SOURCE_DIR "/skills/policy.yaml")));
    RetrievalInput input = question(policy);
    input.skills = skills;
    tell("arranging the statistics", milliseconds(3, [&] { input.statistics = RankingStatistics(statistics); }));
    Retrieval found;
    tell("first retrieval, which compiles the policy", milliseconds(1, [&] { found = need(retrieve(input)); }));
    tell("one retrieval", milliseconds(21, [&] { found = need(retrieve(input)); }), 5);
    std::printf("%lld methods allowed\n", (long long)(found.allowed.size()));
}

} // namespace

int main(int argc, char *argv[])
{
    QCoreApplication application(argc, argv);
    const int skillCount = argc > 1 ? std::atoi(argv[1]) : 1'000, rows = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
    QTemporaryDir folder;
    const QString memory = folder.filePath(QStringLiteral("memory.db")),
                  disk = folder.filePath(QStringLiteral("skills"));
    std::printf("%d skills, %d ledger rows\n", skillCount, rows);
    makeSkills(disk, skillCount);
    const QStringList names = QDir(disk).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    {
        auto store = need(SkillStore::open(memory, {}));
        tell("recording all rows", milliseconds(1, [&] { fillLedger(store, names, rows); }));
    }
    tell("taking all skills in", milliseconds(1, [&] { need(SkillStore::open(memory, disk)); }));
    std::printf("database %.0f MB\n", double(QFile(memory).size()) / 1e6);
    tell("database open", milliseconds(9, [&] { need(SkillStore::open(memory, disk)); }), 100);
    tell("database open, with a skill changed on disk", milliseconds(1, [&] {
             QFile file(disk + u'/' + names.first() + QStringLiteral("/SKILL.md"));
             if (!file.open(QIODevice::Append) || file.write("\nmore\n") < 0) qFatal("cannot write");
             file.close();
             need(SkillStore::open(memory, disk));
         }));

    auto store = need(SkillStore::open(memory, disk));
    const QList<Skill> skills = need(store.skills());
    if (skills.size() != skillCount) qFatal("%lld skills", (long long)(skills.size()));
    const auto list = [&] { // what `skills list` asks
        need(store.skills());
        need(store.statisticsBySkill());
        need(store.problems());
    };
    tell("skills list", milliseconds(9, list), 50);
    tell("of it the skills", milliseconds(9, [&] { need(store.skills()); }));
    tell("of it their sums", milliseconds(9, [&] { need(store.statisticsBySkill()); }));
    tell("search", milliseconds(5, [&] { need(store.search(QStringLiteral("bank conflicts"))); }));
    tell("one skill with its ledger", milliseconds(5, [&] {
             need(store.skill(names.first()));
             need(store.ledger(names.first()));
         }));
    tell("recording one row", milliseconds(101, [&store, node = 0]() mutable {
             LedgerEntry entry;
             entry.session = QStringLiteral("another");
             entry.node = ++node;
             entry.skill = QStringLiteral("a");
             need(store.record(entry));
         }));
    QList<SkillStatistics> statistics;
    tell("statistics for ranking", milliseconds(3, [&] { statistics = need(store.statistics()); }));
    std::printf("%lld groups\n", (long long)(statistics.size()));
    tell("statistics without one task", milliseconds(3, [&] { need(store.statistics(QStringLiteral("task_7"))); }));
    tell("freezing", milliseconds(1, [&] { need(store.frozenAt(true)); }));
    const qint64 frozen = need(store.frozenAt());
    tell("frozen statistics without one task",
         milliseconds(3, [&] { need(store.statistics(QStringLiteral("task_7"), frozen)); }));

    askPolicy(skills, statistics);
    return allKept ? 0 : 1;
}
