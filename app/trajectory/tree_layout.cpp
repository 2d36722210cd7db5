// SPDX-License-Identifier: Apache-2.0
// A tidy tree over fixed columns. Reingold and Tilford place subtrees as rigid shapes and push them apart until their
// contours do not touch; Buchheim, Jünger and Leipert do so in linear time for trees whose depth is the column. Here
// the column is the round, so links may span several columns, and one chain — the best path — must stay straight,
// since a reader follows it with the eye. So:
//
//  1. A node's column comes from its round. Nodes that follow each other within one round get columns of their own.
//  2. From the leaves to the roots, each subtree becomes a shape: for every column from its root's to its last, the
//     lowest and highest lane it occupies, relative to its root. The link to a child occupies the child's lane in every
//     column it crosses.
//  3. One child of each node, the "heir", keeps its parent's lane: the child on the main path, else the one with the
//     largest subtree, the first among equals. The other children go alternately below and above what is there
//     already, as near as their contours allow, in the order of their making.
//  4. From the roots to the leaves, lanes add up.
#include "trajectory/tree_layout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace kernelskill {

namespace {

struct Span
{
    int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
    [[nodiscard]] bool isEmpty() const { return low > high; }
    void add(int lane)
    {
        low = std::min(low, lane);
        high = std::max(high, lane);
    }
};

// Spans from column `first` on, kept from right to left, so that a parent's shape grows at the end of the vector.
struct Shape
{
    int last = 0; // column of spans[0]
    std::vector<Span> spans;
    int shift = 0; // added to every lane: moving a shape costs nothing

    [[nodiscard]] int first() const { return last - int(spans.size()) + 1; }
    [[nodiscard]] Span at(int column) const
    {
        const Span &span = spans[size_t(last - column)];
        return span.isEmpty() ? span : Span{span.low + shift, span.high + shift};
    }
    void add(int column, int lane)
    {
        while (first() > column)
            spans.emplace_back();
        spans[size_t(last - column)].add(lane - shift);
    }
};

// Where `shape` may stand beside `taken`: the least move below (positive) or above (negative).
int clearance(const Shape &taken, const Shape &shape, bool below)
{
    int move = below ? 1 : -1;
    const int first = std::max(taken.first(), shape.first()), last = std::min(taken.last, shape.last);
    for (int column = first; column <= last; ++column) {
        const Span mine = shape.at(column), theirs = taken.at(column);
        if (mine.isEmpty() || theirs.isEmpty()) continue;
        move = below ? std::max(move, theirs.high - mine.low + 1) : std::min(move, theirs.low - mine.high - 1);
    }
    return move;
}

// The wider of the two takes the other in.
void unite(Shape &into, Shape &&other)
{
    if (other.last > into.last || (other.last == into.last && other.spans.size() > into.spans.size()))
        std::swap(into, other);
    for (int column = other.first(); column <= other.last; ++column) {
        const Span span = other.at(column);
        if (span.isEmpty()) continue;
        into.add(column, span.low);
        into.add(column, span.high);
    }
}

void placeColumns(const QList<LayoutNode> &nodes, TreeLayout &layout)
{
    // A child of an earlier round than its parent's (a person's edit) stands in its parent's, so that links run
    // rightwards.
    std::vector<int> rounds(static_cast<size_t>(nodes.size())), sub(size_t(nodes.size()), 0);
    std::map<int, int> widest; // round → columns it needs
    for (qsizetype i = 0; i < nodes.size(); ++i) {
        const int parent = nodes[i].parent;
        rounds[size_t(i)] = nodes[i].round;
        if (parent >= 0 && rounds[size_t(parent)] >= nodes[i].round) {
            rounds[size_t(i)] = rounds[size_t(parent)];
            sub[size_t(i)] = sub[size_t(parent)] + 1;
        }
        int &width = widest[rounds[size_t(i)]];
        width = std::max(width, sub[size_t(i)] + 1);
    }
    std::map<int, int> firstColumn;
    for (const auto &[round, count] : widest) {
        firstColumn[round] = int(layout.columnRounds.size());
        for (int i = 0; i < count; ++i)
            layout.columnRounds.append(round);
    }
    for (qsizetype i = 0; i < nodes.size(); ++i)
        layout.nodes[i].column = firstColumn[rounds[size_t(i)]] + sub[size_t(i)];
}

} // namespace

int TreeLayout::roundColumns(int round) const
{
    const auto columns = std::ranges::equal_range(columnRounds, round);
    return int(columns.size());
}

TreeLayout layoutTree(const QList<LayoutNode> &nodes, const QList<int> &main)
{
    TreeLayout layout;
    const qsizetype count = nodes.size();
    layout.nodes.resize(count);
    if (count == 0) return layout;
    placeColumns(nodes, layout);

    std::vector<std::vector<int>> children(static_cast<size_t>(count));
    std::vector<int> weight(size_t(count), 1);
    std::vector<bool> onMain(size_t(count), false);
    for (const int index : main)
        onMain[size_t(index)] = true;
    std::vector<int> roots;
    for (qsizetype i = count - 1; i >= 0; --i) {
        if (nodes[i].parent >= 0) weight[size_t(nodes[i].parent)] += weight[size_t(i)];
    }
    for (int i = 0; i < count; ++i) {
        if (nodes[i].parent >= 0)
            children[size_t(nodes[i].parent)].push_back(i);
        else
            roots.push_back(i);
    }

    std::vector<Shape> shapes(static_cast<size_t>(count));
    std::vector<int> offset(size_t(count), 0); // lane relative to the parent
    for (int i = int(count) - 1; i >= 0; --i) {
        auto &below = children[size_t(i)];
        Shape shape{layout.nodes[i].column, {}, 0};
        shape.add(layout.nodes[i].column, 0);
        const auto heir = std::ranges::max_element(below, [&](int a, int b) {
            if (onMain[size_t(a)] != onMain[size_t(b)]) return bool(onMain[size_t(b)]);
            return weight[size_t(a)] < weight[size_t(b)];
        });
        if (heir != below.end()) std::iter_swap(below.begin(), heir), std::ranges::sort(below.begin() + 1, below.end());
        bool goBelow = true;
        for (size_t k = 0; k < below.size(); ++k) {
            const int child = below[k];
            Shape moved = std::move(shapes[size_t(child)]);
            for (int column = layout.nodes[child].column - 1; column > layout.nodes[i].column; --column)
                moved.add(column, 0); // the link runs along the child's lane
            if (k > 0) {
                offset[size_t(child)] = clearance(shape, moved, goBelow);
                goBelow = !goBelow;
            }
            moved.shift += offset[size_t(child)];
            unite(shape, std::move(moved));
        }
        shapes[size_t(i)] = std::move(shape);
    }

    Shape all;
    for (size_t k = 0; k < roots.size(); ++k) {
        Shape moved = std::move(shapes[size_t(roots[k])]);
        if (k > 0) offset[size_t(roots[k])] = clearance(all, moved, true);
        moved.shift += offset[size_t(roots[k])];
        if (k == 0)
            all = std::move(moved);
        else
            unite(all, std::move(moved));
    }
    for (int i = 0; i < count; ++i) {
        PlacedNode &place = layout.nodes[i];
        place.lane = offset[size_t(i)] + (nodes[i].parent >= 0 ? layout.nodes[nodes[i].parent].lane : 0);
        layout.firstLane = i == 0 ? place.lane : std::min(layout.firstLane, place.lane);
        layout.lastLane = i == 0 ? place.lane : std::max(layout.lastLane, place.lane);
    }
    return layout;
}

void placeProvisionally(TreeLayout &layout, const LayoutNode &node)
{
    const int parentColumn = node.parent >= 0 ? layout.nodes[node.parent].column : -1;
    const int parentLane = node.parent >= 0 ? layout.nodes[node.parent].lane : 0;
    QList<int> &rounds = layout.columnRounds;
    int column = int(std::ranges::lower_bound(rounds, node.round) - rounds.begin());
    column = std::max(column, parentColumn + 1);
    if (column >= rounds.size()) rounds.append(std::max(node.round, rounds.isEmpty() ? 0 : rounds.last()));
    column = std::min(column, int(rounds.size()) - 1);
    int lane = parentLane;
    for (const PlacedNode &other : layout.nodes)
        if (other.column == column) lane = std::max(lane, other.lane + 1);
    layout.nodes.append({column, lane});
    layout.firstLane = std::min(layout.firstLane, lane);
    layout.lastLane = std::max(layout.lastLane, lane);
}

} // namespace kernelskill
