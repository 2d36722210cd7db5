// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/formatted_print.h"

#include <bit>
#include <cstdio>
#include <string_view>

namespace kernelskill::simulator {

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
        for (; j < format.size() && std::string_view("-+ #0123456789.*").find(format[j]) != std::string_view::npos; ++j) {
            if (format[j] == '*') flags += std::to_string(static_cast<std::int32_t>(next(4)));
            else flags += format[j];
        }
        int longs = 0;
        for (; j < format.size() && std::string_view("hlzjtL").find(format[j]) != std::string_view::npos; ++j)
            longs += format[j] == 'l' || format[j] == 'z' || format[j] == 'j' || format[j] == 't' ? 1 : 0;
        if (j >= format.size() || flags.size() > 24) break;
        char buffer[512];
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
        case 's': out += text(next(8)); break;
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
