// SPDX-License-Identifier: Apache-2.0
// Who reads a line while others read it too. Loads of one line that SMs of one GPC send within about 175 cycles of each other
// go on to L2 as one; SMs of different GPCs never join. Blocks fill the device GPC by GPC, so it is neighbours in number that
// meet there. (Measured on an H200: tests/bench/simulator_ladders, "Loads that join".)
// Plain inline code without library containers: it is compiled once per instruction set of the host.
#pragma once

#include "engine/launch_report.h"

#include <cstdint>

namespace kernelskill::simulator {

// Companies are the blocks that may meet: of the first wave, which begin together, all on a GPC; of later ones, which begin
// when others end, neighbours only. How many of a company read a line is counted; how well they keep in step is the time
// model's business.
struct JoinedLoads {
    static constexpr std::uint32_t entryBits = 18;
    struct Entry {
        std::uint32_t place = 0; // 4 · line + its first sector that is asked for, + 1; 0: free
        std::uint32_t company = 0; // its lowest bit: of a later wave
        std::uint64_t readers = 0; // a bit each
        std::uint64_t sectors = 0;
    };
    Entry *entry = nullptr; // 2^entryBits of them, lines share; null: nobody counts
    Companies *counts = nullptr;
    bool barriers = false; // the kernel has some

    // Blocks that begin together are in step, with barriers or as long as all read the same line at a time; later ones from
    // their first barrier on.
    bool inStep(std::uint32_t company, bool met, int lines) const { return met || ((company & 1u) == 0 && (barriers || lines == 1)); }
    // `member` < 64.
    void note(std::uint32_t line, unsigned sectors, std::uint32_t company, std::uint32_t member) {
        const std::uint32_t place = (line << 2 | static_cast<std::uint32_t>(__builtin_ctz(sectors))) + 1;
        Entry &e = entry[(place * 2654435761u ^ company * 0x9e37'79b1u) >> (32 - entryBits)];
        const std::uint64_t reader = std::uint64_t{1} << member;
        if (e.place != place || e.company != company || (e.readers & reader) != 0) {
            close(e);
            e = {place, company, 0, 0};
        }
        e.readers |= reader;
        e.sectors += static_cast<std::uint32_t>(__builtin_popcount(sectors));
    }
    // Counts a company that is complete.
    void close(const Entry &e) {
        if (e.place == 0) return;
        const auto readers = static_cast<std::uint32_t>(__builtin_popcountll(e.readers));
        counts->sectors[e.company & 1u][readers < Companies::most ? readers : Companies::most] += e.sectors;
    }
};

} // namespace kernelskill::simulator
