// SPDX-License-Identifier: Apache-2.0
// Rows of 32 lanes: how a scalar operation becomes a handler. Loops have a constant count and independent iterations, so
// that the host compiler turns them into vector code. Included only by the files of this folder.
#pragma once

#include "engine/execution/operation.h"
#include "engine/execution/warp_context.h"

#include <bit>
#include <cstdint>
#include <type_traits>

#ifndef KERNELSKILL_ISA
#error "compiled once per instruction set: see CMakeLists.txt"
#endif

namespace kernelskill::simulator::KERNELSKILL_ISA {

inline constexpr int laneCount = 32;

template <class T> struct UnsignedOf { using type = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>; };
template <class T> using Bits = typename UnsignedOf<T>::type;
template <class T> using Row = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>; // lane of a row

template <class T> inline T fromLane(Row<T> lane) { return __builtin_bit_cast(T, static_cast<Bits<T>>(lane)); }
template <class T> inline Row<T> toLane(T value) { return static_cast<Row<T>>(__builtin_bit_cast(Bits<T>, value)); }

alignas(128) inline constexpr std::uint32_t laneBit[32] = {
    1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
alignas(128) inline constexpr std::uint64_t laneBit64[32] = {
    1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// Writes the lanes in `exec` only.
template <bool Full, class L> inline void keep(L *row, int lane, L value, std::uint32_t exec) {
    if constexpr (Full) row[lane] = value;
    else if constexpr (sizeof(L) == 8) row[lane] = (exec & laneBit64[lane]) != 0 ? value : row[lane];
    else row[lane] = (exec & laneBit[lane]) != 0 ? value : row[lane];
}

// One value for all lanes.
template <class L> inline void spread(L *row, L value, std::uint32_t exec) {
    if (exec == fullMask) {
        for (int i = 0; i < laneCount; ++i) row[i] = value;
    } else {
        for (int i = 0; i < laneCount; ++i) keep<false>(row, i, value, exec);
    }
}

template <class R, class A, auto F, bool Full> void map1(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<Row<R>>(op.d);
    const auto *a = context.source<Row<A>>(op.a);
    const std::uint32_t exec = context.exec;
    const std::int64_t immediate = op.immediate;
#pragma GCC ivdep
    for (int i = 0; i < laneCount; ++i) {
        if constexpr (requires { F(A{}, immediate); }) keep<Full>(d, i, toLane<R>(F(fromLane<A>(a[i]), immediate)), exec);
        else keep<Full>(d, i, toLane<R>(F(fromLane<A>(a[i]))), exec);
    }
}

template <class R, class A, class B, auto F, bool Full> void map2(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<Row<R>>(op.d);
    const auto *a = context.source<Row<A>>(op.a);
    const auto *b = context.source<Row<B>>(op.b);
    const std::uint32_t exec = context.exec;
#pragma GCC ivdep
    for (int i = 0; i < laneCount; ++i) keep<Full>(d, i, toLane<R>(F(fromLane<A>(a[i]), fromLane<B>(b[i]))), exec);
}

template <class R, class A, class B, class C, auto F, bool Full> void map3(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<Row<R>>(op.d);
    const auto *a = context.source<Row<A>>(op.a);
    const auto *b = context.source<Row<B>>(op.b);
    const auto *c = context.source<Row<C>>(op.c);
    const std::uint32_t exec = context.exec;
    const std::int64_t immediate = op.immediate;
#pragma GCC ivdep
    for (int i = 0; i < laneCount; ++i) {
        if constexpr (requires { F(A{}, B{}, C{}, immediate); })
            keep<Full>(d, i, toLane<R>(F(fromLane<A>(a[i]), fromLane<B>(b[i]), fromLane<C>(c[i]), immediate)), exec);
        else keep<Full>(d, i, toLane<R>(F(fromLane<A>(a[i]), fromLane<B>(b[i]), fromLane<C>(c[i]))), exec);
    }
}

template <class R, class A, auto F> Handlers unary() { return {map1<R, A, F, true>, map1<R, A, F, false>}; }
template <class R, class A, class B, auto F> Handlers binary() { return {map2<R, A, B, F, true>, map2<R, A, B, F, false>}; }
template <class R, class A, class B, class C, auto F> Handlers ternary() {
    return {map3<R, A, B, C, F, true>, map3<R, A, B, C, F, false>};
}

// Mask of the lanes where F holds.
template <class T, auto F> inline std::uint32_t maskOf(const Row<T> *a, const Row<T> *b) {
    if constexpr (sizeof(T) == 8) {
        std::uint64_t mask = 0;
#pragma GCC ivdep
        for (int i = 0; i < laneCount; ++i) mask |= F(fromLane<T>(a[i]), fromLane<T>(b[i])) ? laneBit64[i] : 0;
        return static_cast<std::uint32_t>(mask);
    } else {
        std::uint32_t mask = 0;
#pragma GCC ivdep
        for (int i = 0; i < laneCount; ++i) mask |= F(fromLane<T>(a[i]), fromLane<T>(b[i])) ? laneBit[i] : 0;
        return mask;
    }
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
