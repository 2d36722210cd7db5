// SPDX-License-Identifier: Apache-2.0
// A parsed PTX module: variables, functions and their instructions, names resolved to indices.
#pragma once

#include "engine/ptx/type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::simulator::ptx {

// A line of source as .loc names it; inlinedAt is the index of the call's place in Module::places, or -1.
struct SourcePlace {
    int file = 0, line = 0, column = 0;
    int inlinedAt = -1;
};

struct Register {
    std::string name;
    Type type = Type::B32;
};

// An address inside an initialiser that becomes known when variables are placed.
struct Relocation {
    std::size_t offset = 0; // in the variable's bytes
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;
};

struct Variable {
    std::string name;
    Space space = Space::Global;
    Type type = Type::B8;
    std::size_t alignment = 1;
    std::size_t bytes = 0;
    bool isExternal = false;
    bool dynamicShared = false; // extern .shared without a size
    std::vector<std::byte> initialiser; // at most `bytes` long; what follows is zero
    std::vector<Relocation> relocations;
};

struct Operand {
    enum class Kind : std::uint8_t {
        Register,  // index
        Integer,   // bits
        Float32,   // bits, from 0f…
        Float64,   // bits, from 0d… or a decimal with a point
        Symbol,    // symbol (+ offset): variable, parameter or function
        Variable,  // index into Function::variables (+ offset)
        Address,   // elements[0] is the base (Register, Symbol, Variable, Integer), offset the displacement
        Vector,    // elements
        Special,   // symbol holds the name ("%tid.x")
        Label,     // index: instruction index inside the function
        Sink,      // "_"
        List       // elements: ( … ) of a call
    };
    Kind kind = Kind::Integer;
    bool negated = false; // !%p, or -%r of vmad
    std::uint32_t index = 0;
    std::uint64_t bits = 0;
    std::int64_t offset = 0;
    std::string symbol;
    std::string selector; // part of a register that a video instruction takes: "b0" of %r1.b0
    std::vector<Operand> elements;
    std::vector<Operand> paired; // the q of "p|q"
};

struct Instruction {
    std::string opcode;                 // "ld"
    std::vector<std::string> modifiers; // "global", "nc", "f32"
    std::vector<Operand> operands;
    std::int32_t predicate = -1;        // register index
    bool predicateNegated = false;
    bool freshResult = false;           // guarded, and nobody sees what its results were where the guard is off
    std::int32_t place = -1;            // index into Module::places
    int ptxLine = 0;                    // line in the PTX text

    [[nodiscard]] bool has(std::string_view modifier) const;
    [[nodiscard]] std::string fullName() const; // "ld.global.nc.f32"
};

struct Function {
    std::string name;
    bool isKernel = false;
    bool isExternal = false; // declared only
    std::vector<std::uint32_t> parameters; // indices into variables
    std::vector<std::uint32_t> results;    // indices into variables
    std::vector<Register> registers;
    std::vector<Variable> variables;       // parameters, locals, shared and call parameters declared inside
    std::vector<Instruction> instructions;
    std::vector<std::vector<std::uint32_t>> branchTables; // of brx.idx: instruction indices
    std::vector<std::uint32_t> keptRolled; // instructions that follow .pragma "nounroll"
    int maxThreads = 0;                    // 0: not stated
    int maxRegisters = 0;
    int minBlocksPerSm = 0;
    std::array<std::uint32_t, 3> cluster{1, 1, 1}; // .reqnctapercluster
};

struct Module {
    std::string target; // "sm_80"
    std::vector<std::string> files; // indexed by .file number
    std::vector<SourcePlace> places;
    std::vector<Variable> variables;
    std::vector<Function> functions;

    // The place to show for an instruction: out of inlined library headers, to the line that called them.
    [[nodiscard]] SourcePlace visiblePlace(std::int32_t place) const;
    [[nodiscard]] std::string fileName(int file) const;
};

} // namespace kernelskill::simulator::ptx
