// SPDX-License-Identifier: Apache-2.0
#include "features/kernel_rules.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::expert {

namespace {

constexpr double farthestNeighbour = 16; // beyond, a constant distance is a stride of unrolled code

class Judge
{
public:
    explicit Judge(const KernelFacts &facts) : m_facts(facts) {}
    KernelJudgement run();

private:
    [[nodiscard]] const Access &access(int id) const { return m_facts.accesses[size_t(id)]; }
    [[nodiscard]] const ArrayFact &arrayOf(const Access &access) const { return m_facts.arrays[size_t(access.array)]; }
    [[nodiscard]] const Dependence &of(int atom) const { return m_facts.atoms.at(atom).dependence; }
    [[nodiscard]] bool isTile(const ArrayFact &array) const
    {
        return array.space == MemorySpace::Shared && array.isStaged && !array.combinesItself;
    }
    [[nodiscard]] bool variesWith(const Access &access, const std::vector<int> &loops) const;
    [[nodiscard]] bool variesWithThreads(const Access &access) const;
    [[nodiscard]] bool hasOwn(const Access &mine, const Access &other) const;
    [[nodiscard]] bool isWindow(const Access &access, const std::vector<int> &loops, bool &overlaps) const;
    [[nodiscard]] bool areNeighbours(const Access &a, const Access &b) const;
    void products(const Accumulation &sum);
    void windows(const Accumulation &sum);
    void broadcasts(const Accumulation &sum);
    void neighbours(const std::set<int> &loads);
    void cells(const std::set<int> &loads);
    [[nodiscard]] bool isBlocked(const Access &operand, const Access &partner) const;
    void gathers();
    void reductions();
    void vectors();
    [[nodiscard]] bool isPartOfRecord(const Access &read, const Access &write) const;
    [[nodiscard]] bool comesFromItsPlace(const Access &read, const Access &write) const;
    [[nodiscard]] bool isPointwise() const;

    const KernelFacts &m_facts;
    KernelJudgement m_result;
};

bool Judge::variesWith(const Access &access, const std::vector<int> &loops) const
{
    return std::ranges::any_of(access.varying, [&](int atom) {
        return std::ranges::any_of(loops, [&](int loop) { return of(atom).loops.contains(loop); });
    });
}

bool Judge::variesWithThreads(const Access &access) const
{
    return std::ranges::any_of(access.varying, [&](int atom) { return of(atom).thread || of(atom).block; });
}

// Whether `mine` has an index that `other` has not; places known from data only do not count.
bool Judge::hasOwn(const Access &mine, const Access &other) const
{
    return std::ranges::any_of(mine.varying, [&](int atom) { return !of(atom).data && !other.varying.contains(atom); });
}

// x[o * stride + k]: an index of the loop added to one of the output. Rows of a matrix, x[row * K + k], are no windows:
// there the output's index steps over all that the loop runs through.
bool Judge::isWindow(const Access &access, const std::vector<int> &loops, bool &overlaps) const
{
    std::set<std::pair<QString, int>> strided; // symbolic stride, loop
    bool found = false;
    for (int atom : access.index.atoms()) {
        if (!(of(atom).thread || of(atom).block) || of(atom).data) continue;
        const Polynomial outer = access.index.coefficientOf(atom);
        for (int loop : loops) {
            const Polynomial inner = access.index.coefficientOf(m_facts.loops[size_t(loop)].atom);
            if (inner.terms().empty() || outer.terms().empty()) continue;
            const auto trips = m_facts.loops[size_t(loop)].trips;
            if (const auto ratio = ratioOf(outer, inner)) {
                const double stride = std::abs(*ratio);
                const bool window = stride == 1 ? trips.value_or(2) > 1 : stride > 1 && trips && *trips > stride;
                found = found || window;
                overlaps = overlaps || window;
            } else if (outer.terms().size() == 1 && inner.terms().size() == 1) {
                Monomial rest = outer.terms().begin()->first;
                bool divides = true;
                for (int factor : inner.terms().begin()->first) {
                    const auto place = std::ranges::find(rest, factor);
                    divides = divides && place != rest.end();
                    if (place != rest.end()) rest.erase(place);
                }
                if (divides && rest.size() == 1) strided.insert({QString::number(rest.front()), loop});
            }
        }
    }
    // The same symbolic stride in two directions: a strided window. One direction alone is a row of a matrix.
    for (const auto &[stride, loop] : strided) {
        const bool twice = std::ranges::any_of(
            strided, [&](const auto &other) { return other.first == stride && other.second != loop; });
        const bool tiles = twice && std::ranges::any_of(strided, [&](const auto &other) {
                               if (other.first != stride || other.second == loop) return false;
                               const auto a = access.index.coefficientOf(m_facts.loops[size_t(loop)].atom);
                               const auto b = access.index.coefficientOf(m_facts.loops[size_t(other.second)].atom);
                               return ratioOf(a, b).has_value();
                           });
        if (twice && !tiles) found = overlaps = true;
    }
    return found;
}

// Whether the operand is multiplied by several partners: a thread that works on several elements at once.
bool Judge::isBlocked(const Access &operand, const Access &partner) const
{
    const auto same = [](const Access &a, const Access &b) { return a.array == b.array && a.index == b.index; };
    for (const Accumulation &sum : m_facts.accumulations) {
        for (const Product &product : sum.products) {
            for (const auto *side : {&product.left, &product.right}) {
                const auto &others = side == &product.left ? product.right : product.left;
                const bool here = std::ranges::any_of(*side, [&](int id) { return same(access(id), operand); });
                if (here && std::ranges::any_of(others, [&](int id) {
                        return access(id).array == partner.array && !same(access(id), partner);
                    }))
                    return true;
            }
        }
    }
    return false;
}

void Judge::products(const Accumulation &sum)
{
    for (const Product &product : sum.products) {
        for (int l : product.left) {
            for (int r : product.right) {
                const Access &left = access(l), &right = access(r);
                if (left.array == right.array && left.index == right.index) continue;
                if (!variesWith(left, sum.loops) || !variesWith(right, sum.loops)) continue;
                m_result.hasContraction = true;
                bool overlaps = false;
                if (isWindow(left, sum.loops, overlaps) || isWindow(right, sum.loops, overlaps)) {
                    m_result.isStencil = true;
                    m_result.hasReuse = m_result.hasReuse || overlaps;
                    continue;
                }
                if (!hasOwn(left, right) || !hasOwn(right, left)) continue;
                m_result.hasReuse = true;
                if (product.left == product.right) continue; // (a - b)²: all pairs, but no product of matrices
                m_result.isProduct = true;
                const bool global =
                    arrayOf(left).space == MemorySpace::Global && arrayOf(right).space == MemorySpace::Global;
                const bool naive = global && sum.isScalar && !isBlocked(left, right) && !isBlocked(right, left);
                m_result.isNaiveProduct = m_result.isNaiveProduct || naive;
            }
        }
    }
}

void Judge::windows(const Accumulation &sum)
{
    for (int id : sum.loads) {
        const MemorySpace space = arrayOf(access(id)).space;
        if (space == MemorySpace::Local || (space == MemorySpace::Shared && !isTile(arrayOf(access(id))))) continue;
        bool overlaps = false;
        if (!isWindow(access(id), sum.loops, overlaps)) continue;
        m_result.isStencil = true;
        m_result.hasReuse = m_result.hasReuse || overlaps;
    }
}

// Every thread goes through the same elements and joins them with its own: all pairs, n bodies.
void Judge::broadcasts(const Accumulation &sum)
{
    bool common = false, own = false, streamed = false;
    for (int id : sum.loads) {
        const Access &read = access(id);
        const ArrayFact &array = arrayOf(read);
        if (array.space == MemorySpace::Constant || read.isIndexData) continue;
        if (array.space == MemorySpace::Shared && !isTile(array)) continue;
        const bool loop = variesWith(read, sum.loops), thread = variesWithThreads(read);
        common = common || (loop && !thread && array.space != MemorySpace::Local);
        own = own || (thread && !loop);
        streamed = streamed || (thread && loop);
    }
    m_result.hasReuse = m_result.hasReuse || (common && own && !streamed);
}

bool Judge::areNeighbours(const Access &a, const Access &b) const
{
    const Polynomial distance = a.index.plus(b.index, -1);
    if (distance.terms().empty()) return false;
    for (int atom : distance.atoms()) {
        if (of(atom).isVarying() || of(atom).data || m_facts.atoms.at(atom).isLaunchSize) return false;
    }
    for (int atom : a.index.atoms()) {
        if (!of(atom).isVarying() || of(atom).data) continue;
        const auto steps = ratioOf(distance, a.index.coefficientOf(atom));
        if (!steps || std::abs(*steps) > farthestNeighbour || *steps != std::trunc(*steps)) continue;
        double extent = m_facts.atoms.at(atom).extent;
        for (const LoopFact &loop : m_facts.loops) {
            if (loop.atom == atom && loop.trips) extent = *loop.trips;
        }
        if (extent == 0 || std::abs(*steps) < extent) return true;
    }
    return false;
}

void Judge::neighbours(const std::set<int> &loads)
{
    for (int a : loads) {
        const ArrayFact &array = arrayOf(access(a));
        if (access(a).isIndexData || !(array.space == MemorySpace::Global || isTile(array))) continue;
        for (int b : loads) {
            if (b <= a || access(b).array != access(a).array || access(b).isIndexData) continue;
            if (!areNeighbours(access(a), access(b))) continue;
            m_result.isStencil = true;
            m_result.hasReuse = true;
        }
    }
}

// A window that steps over itself, as 2×2 pooling does: joined cells apart by parts of the step in two directions.
void Judge::cells(const std::set<int> &loads)
{
    for (int a : loads) {
        if (arrayOf(access(a)).space != MemorySpace::Global || access(a).isIndexData) continue;
        std::set<QString> directions;
        for (int b : loads) {
            if (access(b).array != access(a).array || access(b).isIndexData) continue;
            const Polynomial distance = access(b).index.plus(access(a).index, -1);
            for (int atom : access(a).index.atoms()) {
                const bool output = (of(atom).thread || of(atom).block) && !of(atom).data;
                const auto part = ratioOf(distance, access(a).index.coefficientOf(atom));
                if (output && part && std::abs(*part) < 1)
                    directions.insert(distance.asConstant() ? QString() : QStringLiteral("row"));
            }
        }
        if (directions.size() > 1) m_result.isStencil = true;
    }
}

void Judge::gathers()
{
    for (const Access &one : m_facts.accesses) {
        const MemorySpace space = arrayOf(one).space;
        const bool fromData = std::ranges::any_of(one.index.atoms(), [&](int atom) { return of(atom).data; });
        if (fromData && space == MemorySpace::Shared && !one.isAtomic) m_result.isIrregular = true;
        if (!fromData || !(space == MemorySpace::Global || (space == MemorySpace::Shared && one.isAtomic))) continue;
        // One element picked out of a row that is streamed anyway, as in a cross entropy.
        const bool streamed =
            one.loops.empty() && std::ranges::any_of(m_facts.accesses, [&](const Access &other) {
                return other.array == one.array && !other.loops.empty() &&
                       std::ranges::none_of(other.index.atoms(), [&](int atom) { return of(atom).data; });
            });
        if (!streamed || one.isWrite) m_result.isGather = true;
    }
}

void Judge::reductions()
{
    m_result.isReduction =
        m_facts.exchangesInWarp ||
        std::ranges::any_of(m_facts.accumulations, [](const Accumulation &sum) { return sum.isFromLoop; }) ||
        std::ranges::any_of(
            m_facts.arrays,
            [](const ArrayFact &array) { return array.space == MemorySpace::Shared && array.combinesItself; }) ||
        std::ranges::any_of(m_facts.accesses, [&](const Access &one) {
            return one.isAtomic && arrayOf(one).space != MemorySpace::Local &&
                   std::ranges::none_of(one.index.atoms(), [&](int atom) { return of(atom).data; });
        });
}

void Judge::vectors()
{
    std::set<int> wide, narrow;
    bool aligned = true;
    for (const Access &one : m_facts.accesses) {
        if (arrayOf(one).space != MemorySpace::Global) continue;
        (one.isVector ? wide : narrow).insert(one.array);
        aligned = aligned && (!one.isVector || one.isAligned);
    }
    m_result.hasVectors = !wide.empty();
    m_result.vectorsAligned = m_result.hasVectors && aligned;
    m_result.guardsAlignment = m_facts.guardsAlignment;
    m_result.hasTail =
        m_facts.hasRemainderLoop || std::ranges::any_of(wide, [&](int array) { return narrow.contains(array); });
}

// gates[(b * 4 + which) * hidden + j] for state[b * hidden + j]: every index steps over a whole number of elements.
bool Judge::isPartOfRecord(const Access &read, const Access &write) const
{
    bool steps = false;
    if (read.varying != write.varying) return false;
    for (int atom : write.varying) {
        const auto ratio = ratioOf(read.index.coefficientOf(atom), write.index.coefficientOf(atom));
        if (!ratio || *ratio < 1) return false;
        steps = steps || *ratio > 1;
    }
    return steps;
}

bool Judge::comesFromItsPlace(const Access &read, const Access &write) const
{
    if (read.index == write.index) return true;
    const double lane = read.index.constantTerm();
    const Polynomial from = read.index.plus(Polynomial::constant(lane), -1);
    const Polynomial to = write.index.plus(Polynomial::constant(write.index.constantTerm()), -1);
    if (const auto ratio = ratioOf(from, to); ratio && *ratio > 0 && *ratio != 1) return true; // a record an element
    if (isPartOfRecord(read, write)) return true;
    // A place in a matrix adds up; where something is taken away, as in a butterfly, it is a place of another kind.
    const bool addsUp = std::ranges::all_of(to.terms(), [](const auto &term) { return term.second > 0; });
    const bool part =
        addsUp && std::ranges::all_of(read.varying, [&](int atom) { return write.varying.contains(atom); });
    if (part && read.varying.size() < write.varying.size()) return true; // a row's or a column's value
    if (part || read.varying.size() != 1) return false;
    const QString &text = m_facts.atoms.at(*read.varying.begin()).text;
    return text.contains(QLatin1String(")%(")) ||
           text.contains(QLatin1String(")/(")); // x[i / hw % c]: a channel's value
}

bool Judge::isPointwise() const
{
    if (m_result.isReduction || m_result.hasContraction || m_result.isStencil || m_result.isGather ||
        m_facts.usesTensorCores)
        return false;
    for (const Access &one : m_facts.accesses) {
        const MemorySpace space = arrayOf(one).space;
        if (space == MemorySpace::Shared) return false;
        if (!one.isWrite || space != MemorySpace::Global) continue;
        if (!variesWithThreads(one)) return false;
        for (int id : one.loads) {
            const Access &read = access(id);
            if (arrayOf(read).space == MemorySpace::Global && !comesFromItsPlace(read, one)) return false;
        }
    }
    return true;
}

KernelJudgement Judge::run()
{
    gathers();
    for (const Accumulation &sum : m_facts.accumulations)
        products(sum);
    if (m_facts.usesTensorCores) m_result.hasContraction = m_result.isProduct = m_result.hasReuse = true;
    if (m_facts.usesTensorCores) m_result.isNaiveProduct = false;
    if (!m_result.isProduct) {
        for (const Accumulation &sum : m_facts.accumulations) {
            windows(sum);
            broadcasts(sum);
            neighbours(sum.loads);
        }
        for (const Access &one : m_facts.accesses) {
            if (!one.isWrite || arrayOf(one).space == MemorySpace::Local) continue;
            neighbours(one.loads);
            cells(one.loads);
        }
    }
    reductions();
    vectors();
    m_result.hasTile = std::ranges::any_of(m_facts.arrays, [&](const ArrayFact &array) { return isTile(array); });
    m_result.isIrregular = m_result.isIrregular || m_facts.branchesOnData ||
                           std::ranges::any_of(m_facts.loops, [](const LoopFact &loop) { return loop.isIrregular; });
    m_result.takesTensorCores = m_result.isProduct && (m_facts.usesTensorCores || m_facts.hasPackedProduct ||
                                                       std::ranges::any_of(m_facts.accesses, [&](const Access &one) {
                                                           return !one.isWrite &&
                                                                  arrayOf(one).space == MemorySpace::Global &&
                                                                  isNarrowType(arrayOf(one).element);
                                                       }));
    m_result.isPointwise = isPointwise();
    return m_result;
}

} // namespace

QString KernelJudgement::structure() const
{
    if (isProduct || (hasReuse && !isStencil)) return QStringLiteral("S1");
    if (isStencil || isGather || isIrregular) return QStringLiteral("S2");
    return isReduction ? QStringLiteral("S3") : QStringLiteral("S0");
}

KernelJudgement judge(const KernelFacts &facts)
{
    return Judge(facts).run();
}

} // namespace kernelskill::expert
