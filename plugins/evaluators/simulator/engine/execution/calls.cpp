// SPDX-License-Identifier: Apache-2.0
// Calls of device functions, returns, and indexed branches. Each lane has its own stack of calls.
//
// A function's rows are its own, so a call saves nothing, unless the program recurses: then the caller's columns are kept
// in the lane's frame. Parameters lie at fixed places of each lane's call parameter memory and are copied from the
// caller's variables to the callee's.
#include "engine/execution/launcher.h"

#include <algorithm>
#include <cstring>
#include <format>

namespace kernelskill::simulator {
namespace {

void addReady(WarpState &warp, std::uint32_t pc, std::uint32_t mask) {
    for (std::uint32_t i = 0; i < warp.fragmentCount; ++i) {
        if (warp.fragments[i].pc != pc || warp.fragments[i].state != Fragment::State::Ready) continue;
        warp.fragments[i].mask |= mask;
        return;
    }
    warp.fragments[warp.fragmentCount++] = {pc, mask, Fragment::State::Ready};
}

// Sends lanes to places of their own. When all go to one place, it is returned; otherwise they become fragments.
std::uint32_t scatter(WarpState &warp, const std::uint32_t *pcOfLane, std::uint32_t lanes, std::uint32_t &active) {
    const std::uint32_t first = pcOfLane[__builtin_ctz(lanes)];
    bool together = true;
    for (unsigned lane = 0; lane < 32; ++lane)
        if ((lanes >> lane & 1) && pcOfLane[lane] != first) together = false;
    if (together) { active = lanes; return first; }
    for (unsigned lane = 0; lane < 32; ++lane)
        if (lanes >> lane & 1) addReady(warp, pcOfLane[lane], 1u << lane);
    active = 0;
    return first;
}

constexpr std::uint32_t mostCalls = 4096; // of one lane inside each other, however small their frames

std::size_t rowsOf(const DecodedFunction &f) { return (f.lastRow - f.firstRow) / 128; }

// A wide row is 32 lanes of 8 bytes, a narrow one of 4. Saving both readings of a lane's column covers either: every
// 128-byte unit is taken as narrow, and every pair of units as wide.
void saveColumn(const WarpState &warp, const DecodedFunction &f, unsigned lane, std::vector<std::uint32_t> &into) {
    const std::byte *base = warp.registers + f.firstRow;
    const std::size_t units = rowsOf(f);
    into.resize(units * 2);
    for (std::size_t u = 0; u < units; ++u) std::memcpy(&into[u], base + u * 128 + lane * 4, 4);
    for (std::size_t u = 0; u + 1 < units; u += 2) std::memcpy(&into[units + u], base + u * 128 + lane * 8, 8);
}

} // namespace

std::uint32_t indexedBranch(WarpContext &context, const MicroOp &op, std::uint32_t &active) {
    const Launcher &launcher = Launcher::of(context);
    const auto &table = launcher.program().branchTables[op.extra];
    const auto *index = context.source<std::uint32_t>(op.a);
    std::uint32_t pcs[32];
    for (unsigned lane = 0; lane < 32; ++lane) {
        pcs[lane] = context.pc + 1;
        if ((context.exec >> lane & 1) && index[lane] < table.size()) pcs[lane] = table[index[lane]];
    }
    const std::uint32_t before = context.warp->fragmentCount;
    const std::uint32_t pc = scatter(*context.warp, pcs, active, active);
    if (active == 0 || context.warp->fragmentCount != before) context.launch->divergentBranches += 1;
    return pc;
}

std::uint32_t enterCall(WarpContext &context, const MicroOp &op, std::uint32_t &active) {
    Launcher &launcher = Launcher::of(context);
    const Program &program = launcher.program();
    const CallSite &site = program.calls[op.extra];
    WarpState &warp = *context.warp;
    std::uint32_t pcs[32];
    for (auto &pc : pcs) pc = context.pc + 1;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        std::uint32_t callee = site.function;
        if (site.indirect) {
            const std::uint64_t pointer = context.source<std::uint64_t>(site.pointer)[lane];
            const auto target = std::ranges::find(program.functions, pointer, [](const DecodedFunction &f) { return functionAddress(f.module); });
            if (target == program.functions.end() || target == program.functions.end() - 1) { // the last is the kernel
                launcher.find(context, "out_of_bounds", true, lane, pointer, [] { return std::string("call through a pointer that is no function's address"); });
                return context.pc;
            }
            callee = static_cast<std::uint32_t>(target - program.functions.begin());
        }
        const DecodedFunction &from = program.functions[site.caller], &to = program.functions[callee];
        auto frame = std::make_unique<LaneFrame>();
        frame->outer = warp.callStack[lane];
        frame->returnPc = context.pc + 1;
        frame->site = op.extra;
        frame->callee = callee;
        std::byte *parameters = warp.callParameters + static_cast<std::size_t>(lane) * context.launch->callParameterBytes;
        if (from.recursive) {
            saveColumn(warp, from, lane, frame->savedRows);
            frame->savedPredicates.resize(from.lastPredicate - from.firstPredicate);
            for (std::uint32_t p = from.firstPredicate; p < from.lastPredicate; ++p) frame->savedPredicates[p - from.firstPredicate] = warp.predicates[p] >> lane & 1;
            frame->savedParameters.assign(parameters + from.firstParameter, parameters + from.lastParameter);
        }
        for (std::size_t i = 0; i < std::min(site.arguments.size(), to.parameters.size()); ++i)
            std::memmove(parameters + to.parameters[i].offset, parameters + site.arguments[i].offset, std::min(site.arguments[i].bytes, to.parameters[i].bytes));
        warp.frameBase[lane] += from.frameBytes;
        frame->allocaBytes = warp.allocaBytes[lane];
        frame->depth = frame->outer ? frame->outer->depth + 1 : 1;
        if (frame->depth > mostCalls || std::uint64_t{warp.frameBase[lane]} + to.frameBytes + warp.allocaBytes[lane] > context.launch->localBytes) {
            launcher.find(context, "out_of_bounds", true, lane, warp.frameBase[lane], [&] { return std::format("the stack of calls needs more than the {} bytes it has", context.launch->localBytes); });
            return context.pc;
        }
        warp.callStack[lane] = frame.release();
        pcs[lane] = to.entry;
    }
    return scatter(warp, pcs, active, active);
}

std::uint32_t leaveCall(WarpContext &context, const MicroOp &, std::uint32_t &active) {
    Launcher &launcher = Launcher::of(context);
    const Program &program = launcher.program();
    WarpState &warp = *context.warp;
    std::uint32_t pcs[32];
    for (auto &pc : pcs) pc = context.pc + 1;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const std::unique_ptr<LaneFrame> frame(warp.callStack[lane]);
        warp.callStack[lane] = frame->outer;
        const CallSite &site = program.calls[frame->site];
        const DecodedFunction &back = program.functions[site.caller], &gone = program.functions[frame->callee];
        std::byte *parameters = warp.callParameters + static_cast<std::size_t>(lane) * context.launch->callParameterBytes;
        std::vector<std::byte> results;
        for (const auto &slot : gone.results) results.insert(results.end(), parameters + slot.offset, parameters + slot.offset + slot.bytes);
        if (back.recursive) {
            std::byte *base = warp.registers + back.firstRow;
            const std::size_t units = rowsOf(back);
            // which reading is the right one depends on the register that lives there; wide rows were laid out in pairs
            for (std::size_t u = 0; u < units; ++u) {
                const bool wide = launcher.rowIsWide(site.caller, static_cast<std::uint32_t>(u));
                if (wide) { std::memcpy(base + u * 128 + lane * 8, &frame->savedRows[units + u], 8); ++u; }
                else std::memcpy(base + u * 128 + lane * 4, &frame->savedRows[u], 4);
            }
            for (std::uint32_t p = back.firstPredicate; p < back.lastPredicate; ++p)
                warp.predicates[p] = (warp.predicates[p] & ~(1u << lane)) | (frame->savedPredicates[p - back.firstPredicate] ? 1u << lane : 0u);
            std::memcpy(parameters + back.firstParameter, frame->savedParameters.data(), frame->savedParameters.size());
        }
        std::size_t at = 0;
        for (std::size_t i = 0; i < std::min(site.results.size(), gone.results.size()); ++i) {
            std::memcpy(parameters + site.results[i].offset, results.data() + at, std::min(site.results[i].bytes, gone.results[i].bytes));
            at += gone.results[i].bytes;
        }
        warp.frameBase[lane] -= back.frameBytes;
        warp.allocaBytes[lane] = frame->allocaBytes;
        pcs[lane] = frame->returnPc;
    }
    return scatter(warp, pcs, active, active);
}

} // namespace kernelskill::simulator
