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

// Lanes of the member mask that have not come yet?
bool joinMisses(WarpContext &context, const MicroOp &op, Current &now) {
    WarpState &w = *context.warp;
    if (w.fragmentCount == 0 || now.forcedJoin) return false;
    for (std::uint32_t i = 0; i < w.fragmentCount;) {
        if (w.fragments[i].pc == now.pc && w.fragments[i].state == Fragment::State::AtJoin) {
            now.active |= w.fragments[i].mask;
            w.fragments[i] = w.fragments[--w.fragmentCount];
        } else ++i;
    }
    const std::uint32_t members = context.source<std::uint32_t>(op.target)[__builtin_ctz(now.active)];
    return (members & w.live & ~now.active) != 0;
}

} // namespace

WarpStop runWarp(WarpContext &context, std::uint64_t quantum) {
    WarpState &w = *context.warp;
    LaunchState &l = *context.launch;
    const MicroOp *const code = l.code;
    std::uint64_t *const ready = w.ready;
    std::uint32_t *const predicates = w.predicates;
    Current now{w.pc, w.active};
    now.limit = limitOf(w);
    std::uint64_t clock = w.clock, branchReady = 0, steps = quantum;
    WarpStop stop = WarpStop::Blocked;
    if (now.active == 0 && !choose(w, now)) return w.live != 0 ? WarpStop::Blocked : WarpStop::Exited;
    context.yield = false;

    for (;;) {
        const MicroOp &op = code[now.pc];
        IssueCounters &issues = l.issues[now.pc];
        if (op.control == Control::Join) {
            if (joinMisses(context, op, now)) [[unlikely]] {
                addFragment(w, now.pc, now.active, Fragment::State::AtJoin);
                if (!choose(w, now)) break;
                continue;
            }
            w.unorderedCount = 0; // the lanes have met
            w.unorderedLow = ~0u;
            w.unorderedHigh = 0;
        }
        const std::uint32_t active = now.active;
        const std::uint32_t exec = active & (predicates[op.guard] ^ op.guardFlip);

        // in-order issue: after the instruction before, when every operand is there
        std::uint64_t operands = branchReady;
        operands = ready[op.readyA] > operands ? ready[op.readyA] : operands;
        operands = ready[op.readyB] > operands ? ready[op.readyB] : operands;
        operands = ready[op.readyC] > operands ? ready[op.readyC] : operands;
        operands = ready[op.readyGuard] > operands ? ready[op.readyGuard] : operands;
        for (std::uint32_t i = 0; i < op.moreSourceCount; ++i) {
            const std::uint64_t r = ready[l.entries[op.moreSources + i]];
            operands = r > operands ? r : operands;
        }
        const std::uint64_t available = operands >> reasonBits;
        clock += op.issue;
        std::uint64_t late = 0; // part of another machine instruction: its result waits for the operands, the warp does not
        if (available > clock) {
            if (op.issue == 0 && op.control == Control::Plain) late = operands;
            else {
                l.counters[now.pc].stall[operands & ((1u << reasonBits) - 1)] += available - clock;
                clock = available;
            }
        }
        issues.warps += 1;
        issues.activeLanes += static_cast<std::uint64_t>(__builtin_popcount(active));
        issues.onLanes += static_cast<std::uint64_t>(__builtin_popcount(exec));
        --steps;

        switch (op.control) {
        case Control::Plain:
        case Control::Join:
            if (exec != 0) {
                context.exec = exec;
                context.result = op.result;
                context.pc = now.pc;
                context.counters = l.counters + now.pc;
                if (op.canStop) w.clock = clock;
                (exec == fullMask ? op.full : op.masked)(context, op);
                std::uint64_t arrival = (clock << reasonBits) + context.result;
                if (late != 0) [[unlikely]] arrival = context.result == 0 ? late : (available << reasonBits) + context.result;
                ready[op.readyD] = arrival;
                for (std::uint32_t i = 0; i < op.moreResultCount; ++i) ready[l.entries[op.moreResults + i]] = arrival;
                if (op.canStop) {
                    if (context.stop) { stop = WarpStop::Fatal; goto leave; }
                    clock = w.clock; // waits for asynchronous copies move it
                }
            }
            now.forcedJoin = false;
            ++now.pc;
            break;
        case Control::Branch:
            l.branches += 1;
            if (exec == active) now.pc = op.target;
            else if (exec == 0) ++now.pc;
            else {
                l.divergentBranches += 1;
                const std::uint32_t other = active & ~exec;
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
            branchReady = (clock << reasonBits) + op.result;
            break;
        case Control::Exit:
            w.live &= ~exec;
            now.active &= ~exec;
            ++now.pc;
            if (now.active == 0 && !choose(w, now)) { stop = w.live != 0 ? WarpStop::Blocked : WarpStop::Exited; goto leave; }
            break;
        case Control::Barrier:
            context.exec = exec;
            context.pc = now.pc;
            w.clock = clock;
            if (exec != 0 && arriveAtBarrier(context, op, exec)) {
                addFragment(w, now.pc, exec, Fragment::State::AtBarrier);
                if (active & ~exec) {
                    now.active = active & ~exec;
                    ++now.pc;
                    now.limit = limitOf(w);
                } else if (!choose(w, now)) goto leave;
            } else {
                if (context.stop) { stop = WarpStop::Fatal; goto leave; }
                ++now.pc;
            }
            break;
        default: {
            if (exec == 0) { ++now.pc; break; }
            context.exec = exec;
            context.pc = now.pc;
            w.clock = clock;
            if (op.control == Control::Call) now.pc = enterCall(context, op, now.active);
            else if (op.control == Control::Return) now.pc = leaveCall(context, op, now.active);
            else if (op.control == Control::BranchIndexed) { l.branches += 1; now.pc = indexedBranch(context, op, now.active); }
            else if (op.control == Control::Trap) raiseTrap(context, op);
            else raiseUnsupported(context, op);
            if (context.stop) { stop = WarpStop::Fatal; goto leave; }
            branchReady = (clock << reasonBits) + op.result;
            if (now.active == 0 && !choose(w, now)) { stop = w.live != 0 ? WarpStop::Blocked : WarpStop::Exited; goto leave; }
            now.limit = limitOf(w);
            break;
        }
        }

        if (context.yield) [[unlikely]] {
            context.yield = false;
            w.pollCount = 0;
            if (!detour(w, now)) { stop = WarpStop::Polling; goto leave; }
        }
        if (now.pc >= now.limit) [[unlikely]] {
            addFragment(w, now.pc, now.active, Fragment::State::Ready);
            (void)choose(w, now);
        }
        if (w.fragmentCount != 0) [[unlikely]] {
            if (now.detour != 0 && --now.detour == 0) {
                addFragment(w, now.pc, now.active, Fragment::State::Ready);
                (void)choose(w, now);
            } else if (now.detour == 0 && ++now.steps > patience) {
                now.steps = 0;
                (void)detour(w, now);
            }
        }
        if (steps == 0) [[unlikely]] { stop = WarpStop::Quantum; goto leave; }
    }
leave:
    w.pc = now.pc;
    w.active = now.active;
    w.clock = clock;
    context.block->instructions += quantum - steps;
    return stop;
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
