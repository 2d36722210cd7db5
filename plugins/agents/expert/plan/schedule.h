// SPDX-License-Identifier: Apache-2.0
// How a group of operators is mapped to the GPU. Plain data: skills change it one thing at a time, emission reads it.
#pragma once

#include <QJsonObject>
#include <QString>

#include <optional>

namespace kernelskill::expert {

// Who works through one row.
enum class RowMapping { Thread, Warp, Block };
[[nodiscard]] QString toString(RowMapping mapping); // "thread", "warp", "block"
[[nodiscard]] std::optional<RowMapping> rowMappingFromString(const QString &text);

// The defaults describe what a student writes first.
struct Schedule
{
    int threads = 256;         // threads of a block
    int vectorWidth = 1;       // neighbouring elements in one global access: 1, 2 or 4
    int itemsPerThread = 1;    // vectors (pointwise), unrolled steps (rows), elements (transpose) of one thread
    bool batchedLoads = false; // pointwise: all loads of a thread before its first store

    // Rows
    RowMapping mapping = RowMapping::Thread;
    bool shuffle = false;          // reduce in registers with warp shuffles, not in shared memory
    int cachedVectors = 0;         // the row stays in registers: so many vectors a thread; 0: read again in each pass
    bool online = false;           // softmax: maximum and sum in one pass
    bool reciprocal = false;       // softmax: one division a row instead of one an element
    bool peeled = false;           // vectors inside a row that starts anywhere, its ends element by element
    bool keepExponentials = false; // softmax with cached rows: exponentials computed once

    // Transpose and matrix product
    bool coalesced = false;              // neighbouring threads touch neighbouring addresses
    int tileM = 0, tileN = 0, tileK = 0; // shared-memory tile; 0: none
    int threadM = 1, threadN = 1;        // outputs of one thread
    int padding = 0;                     // elements added to a row of a shared tile
    bool prefetch = false;               // the next tile is on its way while this one is computed

    [[nodiscard]] QJsonObject toJson() const; // only what differs from the defaults
    [[nodiscard]] static Schedule fromJson(const QJsonObject &object);
    friend bool operator==(const Schedule &, const Schedule &) = default;
};

} // namespace kernelskill::expert
