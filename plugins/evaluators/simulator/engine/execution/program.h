// SPDX-License-Identifier: Apache-2.0
// A kernel with the device functions it may call, decoded.
#pragma once

#include "engine/device.h"
#include "engine/execution/micro_op.h"
#include "engine/lowering/lower.h"
#include "engine/ptx/module.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelskill::simulator {

struct ParameterSlot { std::uint32_t offset = 0, bytes = 0; }; // in the lane's call parameter memory

struct CallSite {
    std::uint32_t function = 0;       // index into Program::functions; for an indirect call: see `pointer`
    bool indirect = false;
    std::uint32_t pointer = 0;        // row of the function's address
    std::uint32_t caller = 0;         // index into Program::functions
    std::vector<ParameterSlot> arguments, results;
    std::string builtin;              // "vprintf", …: done by the host
};

struct DecodedFunction {
    std::string name;
    std::uint32_t entry = 0;          // pc
    std::uint32_t module = 0;         // index into Module::functions
    std::vector<ParameterSlot> parameters, results;
    std::uint32_t firstRow = 0, lastRow = 0;             // byte offsets of its rows
    std::uint32_t firstPredicate = 0, lastPredicate = 0;
    std::uint32_t firstParameter = 0, lastParameter = 0; // its part of call parameter memory
    std::uint32_t frameBytes = 0;     // of local memory
    bool recursive = false;
    std::vector<bool> wideRow;        // of each 128-byte unit: the first half of a row of 64-bit lanes
};

struct BarrierSite {
    enum class Kind : std::uint8_t { Sync, Arrive, ReduceCount, ReduceAnd, ReduceOr, ClusterWait };
    Kind kind = Kind::Sync;
    std::uint32_t id = 0;             // row
    bool counted = false;
    std::uint32_t count = 0;          // row of the number of threads
    std::uint32_t predicate = truePredicate; // of a reduction
    bool predicateNegated = false;
    std::uint32_t result = 0;         // row, or predicate
};

struct Place { std::string file; int line = 0; };

struct Program {
    std::string mangled, demangled;
    std::vector<MicroOp> code;
    std::vector<std::uint32_t> placeOfPc;   // index into places
    std::vector<lowering::MachineCost> costOfPc;
    std::vector<Place> places;
    std::vector<std::string> texts;         // of unsupported instructions
    std::vector<std::byte> constants;
    std::vector<MemoryOperand> memory;
    std::vector<std::uint32_t> entries;
    std::vector<std::vector<std::uint32_t>> branchTables; // pcs
    std::vector<CallSite> calls;
    std::vector<BarrierSite> barriers;
    std::vector<DecodedFunction> functions; // callees first, the kernel last
    std::uint32_t entry = 0;
    std::uint32_t registerBytes = 0, predicateCount = firstPredicate, readyCount = firstReady;
    std::uint32_t localBytes = 0, callParameterBytes = 0;
    std::uint32_t staticSharedBytes = 0;
    std::vector<ParameterInfo> parameters;
    std::uint32_t parameterBytes = 0;
    KernelResources resources;
    int maxThreadsPerBlock = 1024;
    Dim3 cluster;                           // blocks of a cluster the kernel asks for
    bool usesAlloca = false;
    std::string problem;                    // why it cannot be launched at all; empty: it can
    std::optional<std::string> firstUnsupported;
    int firstUnsupportedLine = 0;
};

// Address of a module's variable in global memory; nullopt when it is not one.
using SymbolAddress = std::function<std::optional<std::uint64_t>(const std::string &)>;

[[nodiscard]] std::shared_ptr<Program> decode(const ptx::Module &module, std::size_t kernel, const ExecutionModel &model, const SymbolAddress &addressOf,
                                              std::span<const lowering::FunctionFacts> lowered = {}); // of the module's functions; empty: PTX as written

} // namespace kernelskill::simulator
