// SPDX-License-Identifier: Apache-2.0
// Random kernels with branches, loops, guards and accesses to memory, for comparing two ways to execute one. Every thread
// keeps to words of its own in global and shared memory, so the result does not depend on the order of threads.
#pragma once

#include "engine_fixture.h"

#include <random>
#include <string>

namespace kernelskill::simulator {

inline constexpr std::size_t randomKernelWords = 128 * 8; // 128 threads, 8 words each

class RandomKernel {
public:
    explicit RandomKernel(unsigned seed) : m_random(seed) {}

    std::string text() {
        std::string body = "mov.u32 %r30, tile;\nshl.b32 %r31, %tid, 5;\nadd.s32 %r30, %r30, %r31;\nshl.b32 %r31, %t, 5;\ncvt.u64.u32 %d0, %r31;\nadd.s64 %d1, %a0, %d0;\n";
        for (int r = 1; r <= 8; ++r) body += "ld.global.u32 " + value(r) + ", [%d1+" + std::to_string(4 * (r - 1)) + "];\nst.shared.u32 [%r30+" + std::to_string(4 * (r - 1)) + "], " + value(r) + ";\n";
        for (int p = 1; p <= 4; ++p) body += "setp.gt.s32 " + flag(p) + ", " + value(p) + ", 0;\n";
        for (int s = 0; s < 10; ++s) body += statement(2);
        for (int r = 1; r <= 8; ++r) body += "st.global.u32 [%d1+" + std::to_string(4 * (r - 1)) + "], " + value(r) + ";\n";
        return kernelText(1, body, ".shared .align 4 .b8 tile[2048];");
    }

private:
    int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    static std::string value(int r) { return "%r" + std::to_string(r); }
    static std::string flag(int p) { return "%p" + std::to_string(p); }
    std::string anyValue() { return value(1 + below(8)); }
    std::string operand() { return below(4) == 0 ? std::to_string(below(64) - 16) : anyValue(); }
    std::string guard() { return below(4) != 0 ? "" : std::string("@") + (below(2) ? "!" : "") + flag(1 + below(4)) + " "; }
    std::string place() { return std::to_string(4 * below(8)); }

    std::string simple() {
        if (below(8) == 0) { // a choice between a value and a sum with it
            const std::string a = "%f" + std::to_string(++m_floats), t = "%f" + std::to_string(++m_floats), d = below(3) ? "%f" + std::to_string(++m_floats) : a;
            if (m_floats < 31)
                return "cvt.rn.f32.s32 " + a + ", " + anyValue() + ";\nadd.rn.f32 " + t + ", " + a + ", 0f3F800000;\nselp.f32 " + d + ", " + (below(2) ? a + ", " + t : t + ", " + a) + ", " +
                       flag(1 + below(4)) + ";\ncvt.rzi.s32.f32 " + anyValue() + ", " + d + ";\n";
        }
        switch (below(12)) {
        case 0: return guard() + "add.s32 " + anyValue() + ", " + anyValue() + ", " + operand() + ";\n";
        case 1: return guard() + "mul.lo.s32 " + anyValue() + ", " + anyValue() + ", " + operand() + ";\n";
        case 2: return guard() + "xor.b32 " + anyValue() + ", " + anyValue() + ", " + operand() + ";\n";
        case 3: return guard() + "mov.u32 " + anyValue() + ", " + operand() + ";\n";
        case 4: return guard() + "setp.lt.s32 " + flag(1 + below(4)) + ", " + anyValue() + ", " + operand() + ";\n";
        case 5: return guard() + "selp.b32 " + anyValue() + ", " + anyValue() + ", " + operand() + ", " + flag(1 + below(4)) + ";\n";
        case 6: return guard() + "ld.global.u32 " + anyValue() + ", [%d1+" + place() + "];\n";
        case 7: return guard() + "st.global.u32 [%d1+" + place() + "], " + anyValue() + ";\n";
        case 8: return guard() + "ld.shared.u32 " + anyValue() + ", [%r30+" + place() + "];\n";
        case 9: return guard() + "st.shared.u32 [%r30+" + place() + "], " + anyValue() + ";\n";
        case 10: return "mov.u32 " + value(1 + below(8)) + ", " + anyValue() + ";\n";
        default: return guard() + "mad.lo.s32 " + anyValue() + ", " + anyValue() + ", " + operand() + ", " + anyValue() + ";\n";
        }
    }

    std::string block(int depth, int longest) {
        std::string text;
        for (int s = 1 + below(longest); s > 0; --s) text += depth > 0 && below(5) == 0 ? statement(depth - 1) : simple();
        return text;
    }

    std::string statement(int depth) {
        const std::string n = std::to_string(++m_label), condition = std::string("@") + (below(2) ? "!" : "") + flag(1 + below(4)) + " bra ";
        switch (below(7)) {
        case 0: return condition + "skip" + n + ";\n" + block(depth, 6) + "skip" + n + ":\n";
        case 1: return condition + "other" + n + ";\n" + block(depth, 4) + "bra.uni join" + n + ";\nother" + n + ":\n" + block(depth, 4) + "join" + n + ":\n";
        case 2: { // the arm lies after the place where the ways meet
            const std::string first = block(0, 3), rare = block(depth, 5);
            return condition + "rare" + n + ";\nback" + n + ":\n" + first + "bra.uni past" + n + ";\nrare" + n + ":\n" + rare + "bra.uni back" + n + ";\npast" + n + ":\n";
        }
        case 3: case 4: return loop(depth, n);
        default: return block(depth, 6);
        }
    }

    // i += step; while (i < bound), with a bound that differs among the lanes now and then
    std::string loop(int depth, const std::string &n) {
        const std::string i = "%r" + std::to_string(10 + m_loops), bound = "%r" + std::to_string(20 + m_loops), p = "%p" + std::to_string(8 + m_loops);
        if (++m_loops > 6) return simple();
        const int step = 1 + below(3);
        std::string text = "mov.u32 " + i + ", " + std::to_string(below(3)) + ";\n";
        text += below(2) ? "and.b32 " + bound + ", " + anyValue() + ", 15;\n" : "mov.u32 " + bound + ", " + std::to_string(below(13)) + ";\n";
        text += "loop" + n + ":\n" + block(below(3) == 0 ? depth : 0, 5) + "add.s32 " + i + ", " + i + ", " + std::to_string(step) + ";\n";
        text += "setp.lt.s32 " + p + ", " + i + ", " + bound + ";\n@" + p + " bra loop" + n + ";\n";
        return text;
    }

    std::mt19937 m_random;
    int m_label = 0, m_loops = 0, m_floats = 0;
};

inline std::string randomKernel(unsigned seed) { return RandomKernel(seed).text(); }

} // namespace kernelskill::simulator
