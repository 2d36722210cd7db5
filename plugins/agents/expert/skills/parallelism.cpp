// SPDX-License-Identifier: Apache-2.0
// work-per-thread, memory-level-parallelism, launch-tuning: how much a thread and a block have to do.
#include "patterns/program.h"
#include "skills/transform.h"

#include <array>

namespace kernelskill::expert {

namespace {

constexpr int mostCachedElements = 64; // floats of a row in one thread's registers, beyond which they spill

// Vectors a thread must hold so that the row fits.
int vectorsNeeded(const Schedule &s, qint64 cols)
{
    const qint64 lanes = s.mapping == RowMapping::Warp ? 32 : s.threads;
    return static_cast<int>((cols + lanes * s.vectorWidth - 1) / (lanes * s.vectorWidth));
}

} // namespace

Result<QList<Change>> giveThreadsMoreWork(const TaskView &view, const Group &group)
{
    Q_UNUSED(view)
    QList<Change> changes;
    const Schedule &now = group.schedule;
    const auto addItems = [&](std::initializer_list<int> counts, const QString &why) {
        for (const int count : counts) {
            if (count <= now.itemsPerThread) continue;
            Schedule s = now;
            s.itemsPerThread = count;
            changes.append({{{QStringLiteral("items_per_thread"), count}}, s, why});
        }
    };
    switch (group.pattern) {
    case Pattern::Pointwise:
        addItems({4, 2, 8}, QStringLiteral("A thread that handles several independent elements overlaps their "
                                           "latencies and pays for its start once."));
        break;
    case Pattern::Rows:
        if (now.mapping == RowMapping::Thread)
            return inapplicable(
                QStringLiteral("a thread already has a whole row to itself: memory-coalescing comes first"));
        if (now.cachedVectors > 0)
            return inapplicable(QStringLiteral("the row is in registers and its loops are unrolled already"));
        addItems({4, 2},
                 QStringLiteral("Unrolled, several loads of a thread are on their way before the first is used."));
        break;
    case Pattern::FullReduction:
        addItems({4, 8}, QStringLiteral("Unrolled, several loads of a thread are on their way before the first is "
                                        "used, and fewer blocks leave partial results."));
        break;
    case Pattern::Transpose: {
        if (now.tileM == 0) return inapplicable(QStringLiteral("shared-memory-tiling comes first"));
        Schedule s = now;
        if (now.vectorWidth == 1 && now.threads > 256) {
            s.threads = 256;
            changes.append(
                {{{QStringLiteral("items_per_thread"), now.tileM * now.tileM / 256}},
                 s,
                 QStringLiteral(
                     "With a quarter of the threads each moves four elements: their loads overlap, addresses are "
                     "computed once, and more "
                     "blocks fit on a multiprocessor, so that one can load while another waits at its barrier.")});
        } else if (now.tileM < 64) {
            s.tileM = s.tileN = 64;
            changes.append({{{QStringLiteral("tile"), 64}},
                            s,
                            QStringLiteral("A larger tile gives each thread more independent moves between two "
                                           "barriers and longer contiguous runs in memory.")});
        }
        break;
    }
    case Pattern::MatrixProduct:
        return inapplicable(QStringLiteral("for a product that is register-blocking"));
    }
    if (changes.isEmpty()) return inapplicable(QStringLiteral("a thread has enough independent work already"));
    return changes;
}

Result<QList<Change>> batchLoads(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    if (group.pattern == Pattern::Pointwise) {
        if (s.batchedLoads) return inapplicable(QStringLiteral("all loads of a thread are issued together already"));
        s.batchedLoads = true;
        QList<Change> changes;
        for (const int count : {4, 2}) {
            s.itemsPerThread = std::max(count, group.schedule.itemsPerThread);
            if (!changes.isEmpty() && changes.last().schedule == s) continue;
            changes.append({{{QStringLiteral("loads_in_flight"), s.itemsPerThread}},
                            s,
                            QStringLiteral("A thread issues all its loads before it computes: their latencies overlap "
                                           "instead of adding up.")});
        }
        return changes;
    }
    if (group.pattern == Pattern::Rows) {
        if (s.mapping == RowMapping::Thread)
            return inapplicable(
                QStringLiteral("a row does not fit in one thread's registers: memory-coalescing comes first"));
        if (s.cachedVectors > 0) return inapplicable(QStringLiteral("the row is in registers already"));
        if (s.peeled)
            return inapplicable(QStringLiteral("a row whose ends are apart does not divide evenly over registers"));
        const auto cols = columnsOf(view, group);
        if (!cols) return std::unexpected(cols.error());
        s.cachedVectors = vectorsNeeded(s, *cols);
        s.itemsPerThread = 1;
        if (s.cachedVectors * s.vectorWidth > mostCachedElements)
            return inapplicable(
                QStringLiteral("a row of %1 elements does not fit in the registers of its threads").arg(*cols));
        return QList<Change>{{{{QStringLiteral("registers"), s.cachedVectors * s.vectorWidth}},
                              s,
                              QStringLiteral("All loads of a row are issued at once and stay in registers: their "
                                             "latencies overlap, and later passes read no "
                                             "memory.")}};
    }
    return inapplicable(QStringLiteral("loads are issued together already, between two barriers"));
}

namespace {

QString tuningReason()
{
    return QStringLiteral("Occupancy, the number of waves and the cost of barriers all depend on the size of a block; "
                          "which one matters most is found by trying.");
}

QList<Change> tuneProduct(const Schedule &now)
{
    QList<Change> changes;
    if (now.tileM == 0) {
        for (const int threads : {256, 512, 128}) {
            Schedule s = now;
            s.threads = threads;
            if (s != now) changes.append({{{QStringLiteral("threads"), threads}}, s, tuningReason()});
        }
        return changes;
    }
    if (now.threadM == 1) {
        Schedule s = now;
        s.tileM = s.tileN = s.tileK = now.tileM == 32 ? 16 : 32;
        s.threads = s.tileM * s.tileM;
        changes.append({{{QStringLiteral("tile"), s.tileM}}, s, tuningReason()});
        return changes;
    }
    struct Tile
    {
        int m, n, k;
    };
    constexpr std::array tiles = {Tile{64, 64, 8},   Tile{64, 64, 16},  Tile{64, 64, 32},   Tile{128, 64, 8},
                                  Tile{128, 64, 16}, Tile{128, 128, 8}, Tile{128, 128, 16}, Tile{128, 128, 32},
                                  Tile{64, 128, 16}, Tile{32, 64, 32}};
    for (const Tile &tile : tiles) {
        Schedule s = now;
        s.tileM = tile.m;
        s.tileN = tile.n;
        s.tileK = tile.k;
        s.threads = tile.m / s.threadM * (tile.n / s.threadN);
        // One thing at a time: depth, or extent at the same depth.
        const bool sameExtent = tile.m == now.tileM && tile.n == now.tileN, sameDepth = tile.k == now.tileK;
        if (s == now || (!sameExtent && !sameDepth) || !isLegalBlocking(s) || s.threads < 64 || s.threads > 512)
            continue;
        changes.append({{{QStringLiteral("tile_m"), tile.m},
                         {QStringLiteral("tile_n"), tile.n},
                         {QStringLiteral("tile_k"), tile.k}},
                        s,
                        tuningReason()});
    }
    return changes;
}

} // namespace

Result<QList<Change>> tuneLaunch(const TaskView &view, const Group &group)
{
    const Schedule &now = group.schedule;
    QList<Change> changes;
    if (group.pattern == Pattern::MatrixProduct) {
        changes = tuneProduct(now);
    } else {
        const auto cols = columnsOf(view, group);
        // 1024 threads leave 64 registers to each: not enough beside many loads in flight.
        const int inFlight = now.batchedLoads ? now.itemsPerThread * now.vectorWidth : now.vectorWidth;
        for (const int threads : {256, 512, 128, 1024}) {
            Schedule s = now;
            s.threads = threads;
            if (s.cachedVectors > 0 && cols) s.cachedVectors = vectorsNeeded(s, *cols);
            const bool spills = s.cachedVectors * s.vectorWidth > mostCachedElements;
            const bool idle = group.pattern == Pattern::Rows && s.mapping == RowMapping::Block && cols &&
                              threads * s.vectorWidth > *cols;
            const bool tooMany = group.pattern == Pattern::Transpose && now.tileM > 0 &&
                                 (threads > now.tileM * now.tileM / now.vectorWidth || threads > 512);
            const bool crowded = group.pattern == Pattern::Pointwise && threads == 1024 && inFlight > 4;
            if (s == now || spills || idle || tooMany || crowded) continue;
            changes.append({{{QStringLiteral("threads"), threads}}, s, tuningReason()});
        }
    }
    if (changes.isEmpty()) return inapplicable(QStringLiteral("there is no other block size to try"));
    return changes;
}

} // namespace kernelskill::expert
