// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a trajectory stand: columns are rounds, lanes are integers around the main path (lane 0).
#pragma once

#include <QList>

namespace kernelskill {

struct LayoutNode
{
    int parent = -1; // index into the list, always smaller than the node's own; −1 for a root
    int round = 0;
};

struct PlacedNode
{
    int column = 0; // index into TreeLayout::columnRounds
    int lane = 0;   // 0: the main path; negative above it
};

struct TreeLayout
{
    QList<PlacedNode> nodes;
    QList<int>
        columnRounds; // round of each column, ascending; a round has several columns when nodes follow each other in it
    int firstLane = 0, lastLane = 0;
    int roundColumns(int round) const;
};

// `main` is the path to keep straight, as indices from a root; what follows its last node continues it where it can.
// O(n · depth of contours); a child stands right of its parent; no two nodes, and no node and a link, share a place.
[[nodiscard]] TreeLayout layoutTree(const QList<LayoutNode> &nodes, const QList<int> &main);

// A place for now of the node after those of `layout`: right of its parent, and where its column has room below.
void placeProvisionally(TreeLayout &layout, const LayoutNode &node);

} // namespace kernelskill
