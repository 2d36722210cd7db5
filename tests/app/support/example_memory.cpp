// SPDX-License-Identifier: Apache-2.0
#include "example_memory.h"

#include "base/paths.h"
#include "memory/longterm/draft.h"
#include "memory/longterm/skill_store.h"
#include "session/session_file.h"

#include <QJsonArray>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

const QString vectorised = u"vectorised-access"_s, tiling = u"shared-memory-tiling"_s, draft = u"guard-ragged-tail"_s;

struct Use
{
    QString skill, task, architecture, bottleneck, structure, verdict;
    double speedup;
    QString kind;
    bool here; // in the session in the window
    int node;
};

QJsonObject observedOf(const Use &use)
{
    const bool kept = use.speedup > 1.1;
    return {{u"changes"_s,
             QJsonArray{QJsonObject{{u"metric"_s, u"dram_throughput_pct"_s}, {u"promised"_s, u"higher"_s},
                                    {u"before"_s, 58.8}, {u"after"_s, kept ? 83.1 : 57.2}, {u"kept"_s, kept}},
                        QJsonObject{{u"metric"_s, u"instructions"_s}, {u"promised"_s, u"lower"_s},
                                    {u"before"_s, 4.2e6}, {u"after"_s, 1.1e6}, {u"kept"_s, true}}}}};
}

Result<void> recordUses(SkillStore &store, const QString &path, const QString &session)
{
    const QList<Use> uses{
        {tiling, u"gemm_bias_gelu"_s, u"sm_89"_s, u"memory_bandwidth"_s, u"S1"_s, u"verified"_s, 1.18, u"measured"_s, false, 9},
        {tiling, u"transpose"_s, u"sm_90"_s, u"uncoalesced_access"_s, u"S0"_s, u"verified"_s, 2.4, u"modelled"_s, false, 1},
        {vectorised, u"reduce_columns"_s, u"sm_89"_s, u"memory_latency"_s, u"S3"_s, u"wrong"_s, 1, u"measured"_s, false, 3},
        {vectorised, u"transpose"_s, u"sm_89"_s, u"memory_latency"_s, u"S0"_s, u"verified"_s, 0.96, u"measured"_s, false, 4},
        {vectorised, u"layer_norm"_s, u"sm_90"_s, u"memory_bandwidth"_s, u"S3"_s, u"verified"_s, 1.31, u"modelled"_s, false, 5},
        {vectorised, u"row_softmax"_s, u"sm_90"_s, u"memory_bandwidth"_s, u"S3"_s, u"verified"_s, 1.38, u"modelled"_s, false, 2},
        {vectorised, u"row_softmax"_s, u"sm_90"_s, u"memory_bandwidth"_s, u"S3"_s, u"verified"_s, 1.42, u"modelled"_s, true, 6},
        {draft, u"row_softmax"_s, u"sm_90"_s, u"memory_latency"_s, u"S3"_s, u"verified"_s, 1.21, u"modelled"_s, true, 3},
        {draft, u"layer_norm"_s, u"sm_90"_s, u"memory_latency"_s, u"S3"_s, u"verified"_s, 1.17, u"modelled"_s, false, 4},
    };
    QList<LedgerEntry> entries;
    QDateTime when = QDateTime::currentDateTimeUtc().addDays(-20);
    for (const Use &use : uses) {
        LedgerEntry entry;
        entry.session = use.here ? session : u"example-of-"_s + use.task;
        entry.sessionPath = use.here ? path : u"/nowhere/"_s + use.task + u".kss"_s;
        entry.node = use.node;
        entry.task = use.task;
        entry.skill = use.skill;
        entry.architecture = use.architecture;
        entry.bottleneck = use.bottleneck;
        entry.structure = use.structure;
        entry.verdict = use.verdict;
        if (use.verdict == "verified"_L1) {
            entry.logSpeedup = std::log(use.speedup);
            entry.interval = {use.speedup * 0.97, use.speedup * 1.03};
        }
        entry.observed = observedOf(use);
        entry.kind = use.kind;
        when = when.addDays(2);
        entry.when = use.here ? QDateTime::currentDateTimeUtc() : when;
        entries.append(entry);
    }
    return store.record(entries);
}

Result<void> writeDrafts(SkillStore &store)
{
    const auto wins = store.ledger(draft);
    if (!wins) return std::unexpected(wins.error());
    const QString before = u"for (int i = t; i < cols; i += 256)\n    sum += row[i];\n"_s;
    const QString after = u"const int whole = cols / 4 * 4;\nfor (int i = t; i < whole; i += 256)\n    sum += row[i];\n"_s;
    for (const auto &[name, why] : {std::pair(draft, u"Mask the last partial tile before the reduction."_s),
                                    std::pair(u"persistent-blocks"_s, u"Keep blocks alive over several rows."_s)}) {
        const QString text = draftSkillText({name, why, {u"cuda"_s}, *wins, before, after});
        if (auto made = store.edit(name, text, u"won twice"_s, u"engine"_s); !made) return std::unexpected(made.error());
    }
    return {};
}

Result<void> writeHistory(SkillStore &store)
{
    for (const auto &[line, why] : {std::pair(u"- Rows must be a multiple of 16 bytes long.\n"_s, u"reduce_columns 3 was wrong"_s),
                                    std::pair(u"- Keep a scalar loop for the tail.\n"_s, u"ragged rows"_s)}) {
        const auto skill = store.skill(vectorised);
        if (!skill || !*skill) return failure(u"example.skill"_s, vectorised);
        if (auto done = store.edit(vectorised, (*skill)->text + line, why, u"ana"_s); !done)
            return std::unexpected(done.error());
    }
    if (auto done = store.setState(vectorised, SkillState::Pinned, u"holds everywhere"_s, u"ana"_s); !done) return done;
    return store.setState(u"approximate-transcendentals"_s, SkillState::Rejected, u"results drift beyond tolerance"_s, u"ana"_s);
}

} // namespace

Result<void> writeExampleMemory(const QString &memory, const QString &session)
{
    auto store = SkillStore::open(memory, paths::skills());
    if (!store) return std::unexpected(store.error());
    auto file = SessionFile::open(session, true);
    if (!file) return std::unexpected(file.error());
    if (auto done = recordUses(*store, session, file->id()); !done) return done;
    if (auto done = writeDrafts(*store); !done) return done;
    return writeHistory(*store);
}

} // namespace kernelskill
