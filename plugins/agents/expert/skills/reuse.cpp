// SPDX-License-Identifier: Apache-2.0
// shared-memory-tiling, register-blocking, bank-conflict-padding, software-prefetch: data fetched once, used often.
#include "patterns/program.h"
#include "skills/transform.h"

#include <array>

namespace kernelskill::expert {

namespace {

constexpr int sharedLimitBytes = 48 * 1024; // static shared memory of a block

struct Blocking
{
    int tileM, tileN, tileK, threadM, threadN;
};

// Small to large. More outputs a thread mean more arithmetic per shared-memory read and fewer, larger blocks.
constexpr std::array blockings = {Blocking{64, 64, 16, 4, 4}, Blocking{128, 64, 16, 8, 4}, Blocking{128, 128, 8, 8, 8},
                                  Blocking{128, 128, 16, 8, 8}};

} // namespace

bool isLegalBlocking(const Schedule &s)
{
    if (s.tileM <= 0 || s.tileM % s.threadM != 0 || s.tileN % s.threadN != 0) return false;
    const int threads = s.tileM / s.threadM * (s.tileN / s.threadN);
    const int sharedBytes = 4 * s.tileK * (s.tileM + s.padding + s.tileN + s.padding);
    if (threads < 32 || threads > 1024 || threads % 32 != 0 || sharedBytes > sharedLimitBytes) return false;
    const int perAccess = s.vectorWidth;
    return s.threadM == 1 || (s.tileM * s.tileK / perAccess >= threads && s.tileN * s.tileK / perAccess >= threads);
}

Result<QList<Change>> tileSharedMemory(const TaskView &view, const Group &group)
{
    Q_UNUSED(view)
    Schedule s = group.schedule;
    if (group.pattern != Pattern::MatrixProduct && group.pattern != Pattern::Transpose)
        return inapplicable(
            QStringLiteral("no element is used by more than one thread: a tile would only add a detour"));
    if (s.tileM > 0) return inapplicable(QStringLiteral("there is a tile in shared memory already"));
    QList<Change> changes;
    s.coalesced = true;
    if (group.pattern == Pattern::Transpose) {
        s.tileM = s.tileN = 32;
        s.threads = 1024;
        changes.append({{{QStringLiteral("tile"), 32}},
                        s,
                        QStringLiteral("A tile in shared memory is read along rows and written along columns: both "
                                       "sides in memory are coalesced, and the "
                                       "strided access happens where it is cheap.")});
        return changes;
    }
    for (const int tile : {16, 32}) {
        s.tileM = s.tileN = s.tileK = tile;
        s.threads = tile * tile;
        changes.append({{{QStringLiteral("tile"), tile}},
                        s,
                        QStringLiteral("Every element of both operands is needed by %1 threads of a block. A tile of "
                                       "%1×%1 in shared memory is fetched once "
                                       "for all of them: a %1th of the traffic.")
                            .arg(tile)});
    }
    return changes;
}

Result<QList<Change>> blockRegisters(const TaskView &view, const Group &group)
{
    Q_UNUSED(view)
    const Schedule &now = group.schedule;
    if (group.pattern != Pattern::MatrixProduct)
        return inapplicable(QStringLiteral("only a product has operands that several outputs of one thread share"));
    if (now.tileM == 0)
        return inapplicable(QStringLiteral("operands come straight from memory: shared-memory-tiling comes first"));
    QList<Change> changes;
    for (const Blocking &blocking : blockings) {
        if (blocking.threadM * blocking.threadN <= now.threadM * now.threadN) continue;
        Schedule s = now;
        s.tileM = blocking.tileM;
        s.tileN = blocking.tileN;
        s.tileK = blocking.tileK;
        s.threadM = blocking.threadM;
        s.threadN = blocking.threadN;
        s.threads = s.tileM / s.threadM * (s.tileN / s.threadN);
        if (!isLegalBlocking(s)) continue;
        changes.append({{{QStringLiteral("thread_m"), s.threadM},
                         {QStringLiteral("thread_n"), s.threadN},
                         {QStringLiteral("tile_m"), s.tileM},
                         {QStringLiteral("tile_n"), s.tileN},
                         {QStringLiteral("tile_k"), s.tileK}},
                        s,
                        QStringLiteral("One output a thread needs two shared-memory reads a multiplication. %1×%2 "
                                       "outputs need %3 reads for %4.")
                            .arg(s.threadM)
                            .arg(s.threadN)
                            .arg(s.threadM + s.threadN)
                            .arg(s.threadM * s.threadN)});
    }
    if (changes.isEmpty())
        return inapplicable(QStringLiteral("a thread already computes %1×%2 outputs; more would spill")
                                .arg(now.threadM)
                                .arg(now.threadN));
    return changes;
}

Result<QList<Change>> padBanks(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    if (s.tileM == 0) return inapplicable(QStringLiteral("there is no tile in shared memory"));
    if (s.padding > 0) return inapplicable(QStringLiteral("tiles are padded already"));
    s.padding = 1;
    if (group.pattern == Pattern::MatrixProduct) {
        const auto program = buildMatrixProduct(view, group);
        if (!program) return std::unexpected(program.error());
        const bool crosses = !program->transposedA || program->transposedB;
        if (s.threadM == 1 && !program->transposedA && !program->transposedB)
            return inapplicable(
                QStringLiteral("both tiles are touched along their rows only: there are no conflicts to remove"));
        if (!crosses) return inapplicable(QStringLiteral("no operand is transposed on its way into its tile"));
        s.padding = s.vectorWidth > 1 ? 4 : 1;
        if (!isLegalBlocking(s) && s.threadM > 1)
            return inapplicable(QStringLiteral("shared memory does not suffice for padded tiles"));
    }
    return QList<Change>{{{{QStringLiteral("padding"), s.padding}},
                          s,
                          QStringLiteral("A column of the tile lies in one or two of the 32 banks, so its accesses "
                                         "queue up. %1 in each row of the tile "
                                         "spreads a column over all banks.")
                              .arg(s.padding == 1 ? QStringLiteral("One unused element")
                                                  : QStringLiteral("%1 unused elements").arg(s.padding))}};
}

Result<QList<Change>> prefetchTiles(const TaskView &view, const Group &group)
{
    Q_UNUSED(view)
    Schedule s = group.schedule;
    if (group.pattern != Pattern::MatrixProduct || s.threadM == 1)
        return inapplicable(
            QStringLiteral("there is no loop over tiles with enough arithmetic to hide a fetch behind"));
    if (s.prefetch) return inapplicable(QStringLiteral("the next tile is prefetched already"));
    s.prefetch = true;
    return QList<Change>{{{{QStringLiteral("stages"), 2}},
                          s,
                          QStringLiteral("All threads wait for memory at each tile. Fetched into registers while the "
                                         "present tile is multiplied, the next "
                                         "one has arrived when it is needed.")}};
}

} // namespace kernelskill::expert
