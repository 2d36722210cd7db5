// SPDX-License-Identifier: Apache-2.0
// The loop that executes a warp.
//
// Every lane has a program counter of its own in principle; lanes with the same one form a fragment, and one fragment runs
// at a time. The fragment with the smallest pc goes first. Code is laid out so that the place where branches meet again
// comes after them, so lanes that run ahead wait there, and fragments merge when their pcs are equal. As long as the
// warp is whole, all this costs one comparison an instruction (`limit` is then the greatest number).
// A fragment that polls (a strong access that keeps giving the same value) lets the others go first for a while, so that
// a lock held by another lane of the warp is released.
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

inline constexpr std::uint32_t noLimit = ~0u;
inline constexpr std::uint32_t detourSteps = 2048;  // instructions others get when a fragment polls
inline constexpr std::uint32_t patience = 1u << 20; // instructions of one fragment while others wait, without polling

struct Current {
    std::uint32_t pc = 0, active = 0, limit = noLimit;
    std::uint32_t detour = 0;   // steps left in which the smallest pc does not matter
    std::uint32_t steps = 0;    // since the last choice, while other fragments wait
    bool forcedJoin = false;    // nobody else can arrive: pass the next join
};

void addFragment(WarpState &w, std::uint32_t pc, std::uint32_t mask, Fragment::State state) {
    for (std::uint32_t i = 0; i < w.fragmentCount; ++i) {
        Fragment &f = w.fragments[i];
        if (f.pc != pc || f.state != state) continue;
        f.mask |= mask;
        return;
    }
    w.fragments[w.fragmentCount++] = {pc, mask, state};
}

std::uint32_t limitOf(const WarpState &w) {
    std::uint32_t limit = noLimit;
    for (std::uint32_t i = 0; i < w.fragmentCount; ++i)
        if (w.fragments[i].state == Fragment::State::Ready && w.fragments[i].pc < limit) limit = w.fragments[i].pc;
    return limit;
}

void take(WarpState &w, Current &now, std::uint32_t index) {
    now.pc = w.fragments[index].pc;
    now.active = w.fragments[index].mask;
    w.fragments[index] = w.fragments[--w.fragmentCount];
    // all others that stand at the same place
    for (std::uint32_t i = 0; i < w.fragmentCount;) {
        if (w.fragments[i].pc == now.pc && w.fragments[i].state == Fragment::State::Ready) {
            now.active |= w.fragments[i].mask;
            w.fragments[i] = w.fragments[--w.fragmentCount];
        } else ++i;
    }
    now.steps = 0;
}

// Chooses the fragment to run; the current one, if any, has been put back. False: nobody can run.
bool choose(WarpState &w, Current &now) {
    std::uint32_t best = noLimit, bestPc = noLimit;
    for (std::uint32_t i = 0; i < w.fragmentCount; ++i)
        if (w.fragments[i].state == Fragment::State::Ready && w.fragments[i].pc <= bestPc) { best = i; bestPc = w.fragments[i].pc; }
    now.forcedJoin = false;
    if (best == noLimit) {
        for (std::uint32_t i = 0; i < w.fragmentCount; ++i)
            if (w.fragments[i].state == Fragment::State::AtJoin && w.fragments[i].pc <= bestPc) { best = i; bestPc = w.fragments[i].pc; }
        if (best == noLimit) { now.active = 0; return false; }
        now.forcedJoin = true;
    }
    take(w, now, best);
    now.detour = 0;
    now.limit = limitOf(w);
    return true;
}

// Lets another fragment run although the current one has the smaller pc. False: there is none.
bool detour(WarpState &w, Current &now) {
    std::uint32_t other = noLimit;
    for (std::uint32_t i = 0; i < w.fragmentCount; ++i)
        if (w.fragments[i].state == Fragment::State::Ready && (other == noLimit || w.fragments[i].pc > w.fragments[other].pc)) other = i;
    if (other == noLimit) return false;
    const Fragment mine{now.pc, now.active, Fragment::State::Ready};
    take(w, now, other);
    addFragment(w, mine.pc, mine.mask, mine.state);
    now.limit = noLimit;
    now.detour = detourSteps;
    return true;
}

// Has nobody's company come in full yet? Lanes may name different ones (the parts of a warp that tiles are): those that are
// complete go on, the others wait.
bool joinMisses(WarpContext &context, const MicroOp &op, Current &now) {
    WarpState &w = *context.warp;
    if (w.fragmentCount == 0 || now.forcedJoin) return false;
    for (std::uint32_t i = 0; i < w.fragmentCount;) {
        if (w.fragments[i].pc == now.pc && w.fragments[i].state == Fragment::State::AtJoin) {
            now.active |= w.fragments[i].mask;
            w.fragments[i] = w.fragments[--w.fragmentCount];
        } else ++i;
    }
    const auto *members = context.source<std::uint32_t>(op.target);
    const std::uint32_t absent = w.live & ~now.active;
    std::uint32_t complete = 0;
    for (std::uint32_t rest = now.active; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
        if ((members[lane] & absent) == 0) complete |= 1u << lane;
    }
    if (complete == 0) return true;
    if (complete != now.active) {
        addFragment(w, now.pc, now.active & ~complete, Fragment::State::AtJoin);
        now.active = complete;
    }
    return false;
}

// What runs of a warp, between one control instruction and the next.
struct Run {
    Current now;
    std::uint64_t clock = 0, branchReady = 0;
    WarpStop stop = WarpStop::Blocked;
};
// After an instruction: on to the next, or leave. It was not executed: another fragment's turn, or nobody's.
enum class Flow : std::uint8_t { On, Leave, Again, Stuck };

inline std::uint64_t later(std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }

// Instructions from `first` up to `end`, by the same lanes.
inline void countIssues(const LaunchState &l, std::uint32_t first, std::uint32_t end, std::uint32_t active) {
    const auto lanes = static_cast<std::uint64_t>(__builtin_popcount(active));
    l.issues[first].warps += 1;
    l.issues[first].activeLanes += lanes;
    l.issues[end].warps -= 1;
    l.issues[end].activeLanes -= lanes;
}

// In-order issue: after the instruction before, when every operand is there. Moves the clock. What is part of another machine
// instruction does not hold up the warp: then returns when its operands are there, else 0.
[[gnu::always_inline]] inline std::uint64_t awaitOperands(const LaunchState &l, const MicroOp &op, const std::uint64_t *ready, std::uint64_t branchReady, std::uint64_t &clock) {
    std::uint64_t operands = later(later(ready[op.readyA], ready[op.readyB]), later(ready[op.readyC], ready[op.readyGuard]));
    operands = later(operands, branchReady);
    if (op.unusual) {
        for (std::uint32_t i = 0; i < op.moreSourceCount; ++i) operands = later(operands, ready[l.entries[op.moreSources + i]]);
    }
    const std::uint64_t available = operands >> reasonBits;
    clock += op.issue;
    if (available <= clock) [[likely]] return 0;
    if (op.issue == 0 && op.control == Control::Plain) return operands;
    l.stalls[&op - l.code].cycles[operands & ((1u << reasonBits) - 1)] += available - clock;
    clock = available;
    return 0;
}

// When a result can be used: `result` has its latency and what it waits for.
[[gnu::always_inline]] inline std::uint64_t arrivalOf(std::uint64_t clock, std::uint64_t late, std::uint64_t result) {
    if (late == 0) [[likely]] return (clock << reasonBits) + result;
    return result == 0 ? late : (late >> reasonBits << reasonBits) + result;
}

// An instruction that can stop, or has more results. False: no further one may follow at once.
[[gnu::noinline]] bool executeUnusual(WarpContext &context, Run &run, const MicroOp &op, std::uint64_t clock, std::uint64_t late) {
    WarpState &w = *context.warp;
    const LaunchState &l = *context.launch;
    context.result = op.result;
    context.pc = static_cast<std::uint32_t>(&op - l.code);
    context.counters = l.counters + context.pc;
    w.clock = clock;
    (context.exec == fullMask ? op.full : op.masked)(context, op);
    const std::uint64_t arrival = arrivalOf(clock, late, context.result);
    w.ready[op.readyD] = arrival;
    for (std::uint32_t i = 0; i < op.moreResultCount; ++i) w.ready[l.entries[op.moreResults + i]] = arrival;
    run.clock = w.clock; // waits for asynchronous copies move it
    return !context.stop && !context.yield;
}

// Executes plain instructions, `most` at most, until one that is something else or the clock reaches `until`. Returns how many.
std::uint32_t runStretch(WarpContext &context, Run &run, std::uint32_t most, std::uint64_t until) {
    const LaunchState &l = *context.launch;
    std::uint64_t *const ready = context.warp->ready;
    const std::uint32_t *const predicates = context.predicates;
    const std::uint32_t active = run.now.active;
    const MicroOp *const first = l.code + run.now.pc, *const end = first + most;
    const MicroOp *op = first;
    std::uint64_t clock = run.clock;
    const std::uint64_t branchReady = run.branchReady;
    do {
        const MicroOp &one = *op++;
        const std::uint32_t exec = active & (predicates[one.guard] ^ (0u - one.guardNegated));
        const std::uint64_t late = awaitOperands(l, one, ready, branchReady, clock);
        if (exec != active) {
            l.issues[&one - l.code].offLanes += static_cast<std::uint64_t>(__builtin_popcount(active ^ exec));
            if (exec == 0) continue;
        }
        context.exec = exec;
        if (!one.unusual) {
            (exec == fullMask ? one.full : one.masked)(context, one);
            ready[one.readyD] = arrivalOf(clock, late, one.result);
            continue;
        }
        const bool goesOn = executeUnusual(context, run, one, clock, late);
        clock = run.clock;
        if (!goesOn) break;
    } while (op != end && op->control == Control::Plain && clock < until);
    run.clock = clock;
    const auto count = static_cast<std::uint32_t>(op - first);
    countIssues(l, run.now.pc, run.now.pc + count, active);
    run.now.pc += count;
    run.now.forcedJoin = false;
    return count;
}

// Lanes of a sync mask meet here. The instruction itself is a plain one.
Flow runJoin(WarpContext &context, Run &run, const MicroOp &op) {
    WarpState &w = *context.warp;
    if (joinMisses(context, op, run.now)) [[unlikely]] {
        addFragment(w, run.now.pc, run.now.active, Fragment::State::AtJoin);
        return choose(w, run.now) ? Flow::Again : Flow::Stuck;
    }
    w.unorderedCount = 0; // the lanes have met
    w.unorderedLow = ~0u;
    w.unorderedHigh = 0;
    (void)runStretch(context, run, 1, 0);
    if (!context.stop) return Flow::On;
    run.stop = WarpStop::Fatal;
    return Flow::Leave;
}

void runBranch(WarpContext &context, Run &run, const MicroOp &op, std::uint32_t exec) {
    WarpState &w = *context.warp;
    LaunchState &l = *context.launch;
    Current &now = run.now;
    l.branches += 1;
    if (exec == now.active) now.pc = op.target;
    else if (exec == 0) ++now.pc;
    else {
        l.divergentBranches += 1;
        const std::uint32_t other = now.active & ~exec;
        if (op.target < now.pc + 1) {
            addFragment(w, now.pc + 1, other, Fragment::State::Ready);
            now.pc = op.target;
            now.active = exec;
        } else {
            addFragment(w, op.target, exec, Fragment::State::Ready);
            ++now.pc;
            now.active = other;
        }
        if (now.detour == 0) now.limit = limitOf(w);
    }
    run.branchReady = (run.clock << reasonBits) + op.result;
}

// No lane is left: the next fragment's turn, or the end.
Flow nextFragment(WarpContext &context, Run &run) {
    WarpState &w = *context.warp;
    if (run.now.active != 0 || choose(w, run.now)) return Flow::On;
    run.stop = w.live != 0 ? WarpStop::Blocked : WarpStop::Exited;
    return Flow::Leave;
}

Flow runBarrier(WarpContext &context, Run &run, const MicroOp &op, std::uint32_t exec) {
    WarpState &w = *context.warp;
    Current &now = run.now;
    if (exec != 0 && arriveAtBarrier(context, op, exec)) {
        addFragment(w, now.pc, exec, Fragment::State::AtBarrier);
        if (now.active & ~exec) {
            now.active &= ~exec;
            ++now.pc;
            now.limit = limitOf(w);
        } else if (!choose(w, now)) return Flow::Leave;
        return Flow::On;
    }
    if (context.stop) {
        run.stop = WarpStop::Fatal;
        return Flow::Leave;
    }
    ++now.pc;
    return Flow::On;
}

// Calls, returns, branch tables and what ends a launch.
Flow runTransfer(WarpContext &context, Run &run, const MicroOp &op, std::uint32_t exec) {
    Current &now = run.now;
    if (exec == 0) {
        ++now.pc;
        return Flow::On;
    }
    if (op.control == Control::Call) now.pc = enterCall(context, op, now.active);
    else if (op.control == Control::Return) now.pc = leaveCall(context, op, now.active);
    else if (op.control == Control::BranchIndexed) {
        context.launch->branches += 1;
        now.pc = indexedBranch(context, op, now.active);
    } else if (op.control == Control::Trap) raiseTrap(context, op);
    else raiseUnsupported(context, op);
    if (context.stop) {
        run.stop = WarpStop::Fatal;
        return Flow::Leave;
    }
    run.branchReady = (run.clock << reasonBits) + op.result;
    if (nextFragment(context, run) == Flow::Leave) return Flow::Leave;
    now.limit = limitOf(*context.warp);
    return Flow::On;
}

// One instruction that is not plain.
Flow runControl(WarpContext &context, Run &run, const MicroOp &op) {
    if (op.control == Control::Join) return runJoin(context, run, op);
    WarpState &w = *context.warp;
    const std::uint32_t active = run.now.active;
    const std::uint32_t exec = active & (context.predicates[op.guard] ^ (0u - op.guardNegated));
    awaitOperands(*context.launch, op, w.ready, run.branchReady, run.clock);
    countIssues(*context.launch, run.now.pc, run.now.pc + 1, active);
    context.launch->issues[run.now.pc].offLanes += static_cast<std::uint64_t>(__builtin_popcount(active ^ exec));
    if (op.control == Control::Branch) {
        runBranch(context, run, op, exec);
        return Flow::On;
    }
    context.exec = exec;
    context.pc = run.now.pc;
    w.clock = run.clock;
    if (op.control == Control::Barrier) return runBarrier(context, run, op, exec);
    if (op.control != Control::Exit) return runTransfer(context, run, op, exec);
    w.live &= ~exec;
    run.now.active &= ~exec;
    ++run.now.pc;
    return nextFragment(context, run);
}

// How many plain instructions may follow each other before something has to be looked at.
std::uint32_t stretchBound(const WarpState &w, const Current &now, std::uint64_t steps) {
    std::uint64_t most = steps;
    const std::uint64_t ahead = now.limit > now.pc ? now.limit - now.pc : 1u;
    most = ahead < most ? ahead : most;
    if (w.fragmentCount != 0) {
        const std::uint32_t turns = now.detour != 0 ? now.detour : patience + 1 - now.steps;
        most = turns < most ? turns : most;
    }
    return static_cast<std::uint32_t>(most < noLimit ? most : noLimit);
}

// After `count` instructions: gives way to another fragment where one is due. False: the warp only polls.
bool giveWay(WarpContext &context, Run &run, std::uint32_t count) {
    WarpState &w = *context.warp;
    Current &now = run.now;
    if (w.fragmentCount != 0) (now.detour != 0 ? now.detour -= count - 1 : now.steps += count - 1); // the last one: below
    if (context.yield) [[unlikely]] {
        context.yield = false;
        w.pollCount = 0;
        if (!detour(w, now)) {
            run.stop = WarpStop::Polling;
            return false;
        }
    }
    if (now.pc >= now.limit) [[unlikely]] {
        addFragment(w, now.pc, now.active, Fragment::State::Ready);
        (void)choose(w, now);
    }
    if (w.fragmentCount != 0) [[unlikely]] {
        if (now.detour != 0) {
            if (--now.detour != 0) return true;
            addFragment(w, now.pc, now.active, Fragment::State::Ready);
            (void)choose(w, now);
        } else if (++now.steps > patience) {
            now.steps = 0;
            (void)detour(w, now);
        }
    }
    return true;
}

} // namespace

WarpStop runWarp(WarpContext &context, std::uint64_t quantum, std::uint64_t until) {
    WarpState &w = *context.warp;
    const MicroOp *const code = context.launch->code;
    Run run;
    run.now.pc = w.pc;
    run.now.active = w.active;
    run.now.limit = limitOf(w);
    run.clock = w.clock;
    std::uint64_t steps = quantum;
    if (run.now.active == 0 && !choose(w, run.now)) return w.live != 0 ? WarpStop::Blocked : WarpStop::Exited;
    context.yield = false;
    for (;;) {
        const MicroOp &op = code[run.now.pc];
        std::uint32_t count = 1;
        if (op.control == Control::Plain) {
            count = runStretch(context, run, stretchBound(w, run.now, steps), until);
            steps -= count;
            if (context.stop) {
                run.stop = WarpStop::Fatal;
                break;
            }
        } else {
            const Flow flow = runControl(context, run, op);
            if (flow == Flow::Again) continue;
            if (flow == Flow::Stuck) break;
            --steps;
            if (flow == Flow::Leave) break;
        }
        if (!giveWay(context, run, count)) break;
        if (steps == 0 || run.clock >= until) [[unlikely]] {
            run.stop = WarpStop::Quantum;
            break;
        }
    }
    w.pc = run.now.pc;
    w.active = run.now.active;
    w.clock = run.clock;
    context.block->instructions += quantum - steps;
    return run.stop;
}

Handlers selectInteger(const ArithmeticKey &);
Handlers selectFloating(const ArithmeticKey &);
Handlers selectHalf(const ArithmeticKey &);
Handlers selectConvert(const ConvertKey &);
Handler selectCompare(ptx::Type, Comparison, bool);
Handlers selectData(const char *, ptx::Type);
Handler selectWarpWide(const char *, ptx::Type);
Handler selectMemory(const char *, AddressSpaceKind, ptx::Type);
Handler selectTensor(const char *, ptx::Type);

extern const IsaTable table;
const IsaTable table{selectInteger, selectFloating, selectHalf, selectConvert, selectCompare, selectData, selectWarpWide, selectMemory, selectTensor, runWarp};

} // namespace kernelskill::simulator::KERNELSKILL_ISA
