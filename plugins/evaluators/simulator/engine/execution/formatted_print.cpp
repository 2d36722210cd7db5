// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/formatted_print.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string_view>

namespace kernelskill::simulator {
namespace {
constexpr std::int64_t mostColumns = 500;
} // namespace

std::string formattedPrint(const std::string &format, const std::function<std::uint64_t(std::size_t, std::size_t)> &value,
                           const std::function<std::string(std::uint64_t)> &text) {
    std::string out;
    std::size_t offset = 0;
    const auto next = [&](std::size_t bytes) {
        offset = (offset + bytes - 1) / bytes * bytes;
        const std::uint64_t v = value(offset, bytes);
        offset += bytes;
        return v;
    };
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') { out += format[i]; continue; }
        if (i + 1 < format.size() && format[i + 1] == '%') { out += '%'; ++i; continue; }
        std::string flags = "%";
        std::size_t j = i + 1;
        for (; j < format.size() && std::string_view("-+ #0").find(format[j]) != std::string_view::npos; ++j)
            if (flags.size() < 8) flags += format[j];
        // width and precision, as numbers or from the arguments; wider than the buffer makes no sense
        for (int part = 0; part < 2; ++part) {
            if (part == 1) {
                if (j >= format.size() || format[j] != '.') break;
                flags += '.';
                ++j;
            }
            std::int64_t number = 0;
            bool given = part == 1;
            if (j < format.size() && format[j] == '*') {
                number = static_cast<std::int32_t>(next(4));
                given = true;
                ++j;
            } else {
                for (; j < format.size() && format[j] >= '0' && format[j] <= '9'; ++j, given = true)
                    if (number < 100'000) number = number * 10 + (format[j] - '0');
            }
            if (part == 1 && number < 0) flags.pop_back(); // a negative precision counts as none
            else if (given) flags += std::to_string(std::clamp<std::int64_t>(number, -mostColumns, mostColumns));
        }
        int longs = 0;
        for (; j < format.size() && std::string_view("hlzjtL").find(format[j]) != std::string_view::npos; ++j)
            longs += format[j] == 'l' || format[j] == 'z' || format[j] == 'j' || format[j] == 't' ? 1 : 0;
        if (j >= format.size()) break;
        char buffer[1024];
        buffer[0] = 0;
        const char kind = format[j];
        switch (kind) {
        case 'd': case 'i': {
            const std::uint64_t v = next(longs ? 8 : 4);
            const long long number = longs ? static_cast<long long>(v) : static_cast<std::int32_t>(v);
            std::snprintf(buffer, sizeof buffer, (flags + "lld").c_str(), number);
            break;
        }
        case 'u': case 'x': case 'X': case 'o': {
            const unsigned long long number = next(longs ? 8 : 4);
            std::snprintf(buffer, sizeof buffer, (flags + "ll" + kind).c_str(), number);
            break;
        }
        case 'c': std::snprintf(buffer, sizeof buffer, (flags + "c").c_str(), static_cast<int>(next(4))); break;
        case 'p': std::snprintf(buffer, sizeof buffer, "%#llx", static_cast<unsigned long long>(next(8))); break;
        case 's': {
            const std::string string = text(next(8));
            if (flags == "%") out += string;
            else std::snprintf(buffer, sizeof buffer, (flags + "s").c_str(), string.c_str());
            break;
        }
        case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
            std::snprintf(buffer, sizeof buffer, (flags + kind).c_str(), std::bit_cast<double>(next(8)));
            break;
        default: break;
        }
        out += buffer;
        i = j;
    }
    return out;
}

} // namespace kernelskill::simulator
