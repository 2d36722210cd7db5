// SPDX-License-Identifier: Apache-2.0
// What an arithmetic micro-op does, as the decoder asks the tables of handlers for it.
#pragma once

#include "engine/execution/micro_op.h"
#include "engine/ptx/type.h"

namespace kernelskill::simulator {

struct WarpContext;
enum class WarpStop : std::uint8_t;

enum class Operation : std::uint8_t {
    Mov,
    // integers
    Add, Sub, MulLo, MulHi, MulWide, MadLo, MadHi, MadWide, Mul24Lo, Mad24Lo, Mul24Hi, Mad24Hi, Div, Rem, Abs, Neg, Min, Max,
    And, Or, Xor, Not, Cnot, Shl, Shr, Bfe, Bfi, Prmt, Lop3, ShfLeft, ShfRight, Popc, Clz, Brev, Bfind, Bfinds, Sad, Dp4a, Dp2a,
    Bmsk, Szext, Fns, AddCarry, SubCarry,
    // floats
    Fma, Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Cos, Tanh, Copysign, MinNan, MaxNan, FmaRelu,
    // choice
    Slct,
};

enum class Rounding : std::uint8_t { Nearest, Zero, Down, Up, NearestAway };

enum class Comparison : std::uint8_t {
    Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan,
    Finite, Infinite, Number, NotANumber, Normal, Subnormal, // testp
};

struct ArithmeticKey {
    Operation operation = Operation::Mov;
    ptx::Type type = ptx::Type::B32;
    ptx::Type second = ptx::Type::None; // type of the second operand where it may differ (dp4a, slct)
    Rounding rounding = Rounding::Nearest;
    bool ftz = false, saturate = false, approximate = false;
    int mode = 0; // prmt, shf: see the decoder
};

struct ConvertKey {
    ptx::Type to = ptx::Type::B32, from = ptx::Type::B32;
    bool wideRow = false;     // the source register has 64 bits
    bool toInteger = false;   // .rni, .rzi, .rmi, .rpi
    Rounding rounding = Rounding::Nearest;
    bool ftz = false, saturate = false, relu = false;
    bool finite = false;      // .satfinite
    bool pair = false;        // two elements of a packed type at once
};

struct Handlers { Handler full = nullptr, masked = nullptr; };

// Handlers compiled for one instruction set of the host. A null handler: not covered.
struct IsaTable {
    Handlers (*integer)(const ArithmeticKey &);
    Handlers (*floating)(const ArithmeticKey &);
    Handlers (*half)(const ArithmeticKey &);
    Handlers (*convert)(const ConvertKey &);
    Handler (*compare)(ptx::Type, Comparison, bool ftz);
    Handlers (*data)(const char *name, ptx::Type); // selp, mov of special registers, packing: data_movement.cpp
    Handler (*warpWide)(const char *name, ptx::Type);        // shfl, vote, match, redux
    Handler (*memory)(const char *name, AddressSpaceKind, ptx::Type); // ld, st, atom, cp.async
    Handler (*tensor)(const char *shape, ptx::Type);
    // Until `quantum` instructions are done, the warp's clock has reached `until`, or it stops by itself.
    WarpStop (*run)(WarpContext &, std::uint64_t quantum, std::uint64_t until);
};

[[nodiscard]] const IsaTable &isaTable(); // the best one this host can run

} // namespace kernelskill::simulator
