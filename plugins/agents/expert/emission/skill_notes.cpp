// SPDX-License-Identifier: Apache-2.0
#include "emission/skill_notes.h"

#include <QHash>

namespace kernelskill::expert {

QString skillNote(const QString &skill)
{
    static const QHash<QString, QString> notes = {
        {QStringLiteral("memory-coalescing"),
         QStringLiteral("neighbouring threads touch neighbouring addresses, so a warp needs few transactions.")},
        {QStringLiteral("vectorised-access"),
         QStringLiteral("wider loads and stores, fewer instructions for the same bytes.")},
        {QStringLiteral("shared-memory-tiling"),
         QStringLiteral("tiles in shared memory, so that data is fetched once and used by many threads.")},
        {QStringLiteral("register-blocking"),
         QStringLiteral("several outputs a thread, so that one shared-memory read serves several multiplications.")},
        {QStringLiteral("warp-shuffle-reduction"),
         QStringLiteral("partial results are combined register to register, with two barriers instead of one a step.")},
        {QStringLiteral("bank-conflict-padding"),
         QStringLiteral("rows of the tile are padded, so that a column lies in different banks.")},
        {QStringLiteral("launch-tuning"), QStringLiteral("block and tile sizes chosen for this device.")},
        {QStringLiteral("kernel-fusion"),
         QStringLiteral("operators joined in one kernel, so that intermediates never go to memory.")},
        {QStringLiteral("work-per-thread"),
         QStringLiteral("several independent elements a thread, so that their latencies overlap.")},
        {QStringLiteral("alignment-and-tail"),
         QStringLiteral("whole vectors in the fast path, what is left over apart.")},
        {QStringLiteral("memory-level-parallelism"),
         QStringLiteral("loads are issued together before the first is needed.")},
        {QStringLiteral("software-prefetch"),
         QStringLiteral("the next tile is fetched while the present one is computed.")},
        {QStringLiteral("online-softmax"), QStringLiteral("maximum and sum in one pass over the row.")},
        {QStringLiteral("fewer-instructions"), QStringLiteral("what is the same for all elements is computed once.")},
    };
    return notes.value(skill, QStringLiteral("applied."));
}

} // namespace kernelskill::expert
