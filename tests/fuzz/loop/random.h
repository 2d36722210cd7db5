// SPDX-License-Identifier: Apache-2.0
// What the cases of a fuzzer draw from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelskill::fuzz {

class Random // xorshift*: the same numbers everywhere
{
public:
    explicit Random(std::uint64_t seed) : m_state(seed * 0x9e37'79b9'7f4a'7c15u + 0x1234'5678'9abc'def1u)
    {
        for (int i = 0; i < 4; ++i)
            (void)next();
    }
    std::uint64_t next()
    {
        m_state ^= m_state >> 12;
        m_state ^= m_state << 25;
        m_state ^= m_state >> 27;
        return m_state * 0x2545'f491'4f6c'dd1du;
    }
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(next() % limit); }
    bool chance(unsigned percent) { return below(100) < percent; }

private:
    std::uint64_t m_state;
};

} // namespace kernelskill::fuzz
