// SPDX-License-Identifier: Apache-2.0
#include "mutations.h"

#include <algorithm>
#include <cctype>

namespace kernelskill::fuzz {
namespace {

// Where the statements of a text lie: from after the last ';', '{' or '}' to the next ';'.
std::vector<std::pair<std::size_t, std::size_t>> statements(const std::string &text) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ';') found.emplace_back(start, i + 1);
        if (text[i] == ';' || text[i] == '}' || text[i] == '\n') start = i + 1;
    }
    return found;
}

std::string strangeNumber(Random &random) {
    static constexpr const char *numbers[] = {"0", "1", "-1", "255", "256", "4095", "65535", "2147483647", "-2147483648", "4294967295", "4294967296", "9223372036854775807",
                                              "18446744073709551615", "99999999999999999999", "0x", "0xffffffffffffffff", "0f7F800000", "0f7FC00000", "0f", "0d7FF0000000000000", "1.0e400",
                                              "0b101", "017", "1048576", "200001", "33", "63", "64", "128", "1e5"};
    return numbers[random.below(std::size(numbers))];
}

void damageBytes(std::string &text, Random &random) {
    if (text.empty()) return;
    const std::size_t at = random.below(text.size());
    switch (random.below(5)) {
    case 0: text[at] = static_cast<char>(random.next()); break;
    case 1: text.erase(at, 1 + random.below(16)); break;
    case 2: text.insert(at, 1 + random.below(4), static_cast<char>(random.below(128))); break;
    case 3: text.resize(at); break;
    default: {
        const std::string piece = text.substr(at, 1 + random.below(200));
        const std::size_t copies = 1 + random.below(random.chance(3) ? 200 : 3);
        for (std::size_t i = 0; i < copies; ++i) text.insert(random.below(text.size()), piece);
    }
    }
}

void damageTokens(std::string &text, const Material &material, Random &random) {
    const auto spans = [&] {
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (std::size_t i = 0; i < text.size();) {
            std::size_t end = i;
            while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_' || text[end] == '%' || text[end] == '$')) ++end;
            if (end == i) { ++i; continue; }
            found.emplace_back(i, end - i);
            i = end;
        }
        return found;
    }();
    if (spans.empty()) return;
    const auto [at, length] = spans[random.below(spans.size())];
    switch (random.below(4)) {
    case 0: text.replace(at, length, material.tokens[random.below(material.tokens.size())]); break;
    case 1: text.replace(at, length, strangeNumber(random)); break;
    case 2: text.erase(at, length); break;
    default: {
        const auto [other, otherLength] = spans[random.below(spans.size())];
        const std::string piece = text.substr(other, otherLength);
        text.replace(at, length, piece);
    }
    }
}

// Another modifier, one less, or another register.
std::string bentInstruction(std::string line, const Material &material, Random &random) {
    switch (random.below(4)) {
    case 0: {
        const std::size_t dot = line.find('.', random.below(line.size()));
        if (dot != line.npos) {
            std::size_t end = dot + 1;
            while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == ':' || line[end] == '_')) ++end;
            line.erase(dot, end - dot);
        }
        break;
    }
    case 1: {
        const std::string &token = material.tokens[random.below(material.tokens.size())];
        const std::size_t space = line.find(' ');
        line.insert(space == line.npos ? 0 : space, "." + token);
        break;
    }
    case 2: {
        const std::size_t digit = line.find_first_of("0123456789", random.below(line.size()));
        if (digit != line.npos) line[digit] = static_cast<char>('0' + random.below(10));
        break;
    }
    default: {
        const std::size_t comma = line.find(',', random.below(line.size()));
        if (comma != line.npos) line.erase(comma, std::min(line.size() - comma, 1 + random.below(8)));
    }
    }
    return line;
}

void damageStatements(std::string &text, const Material &material, Random &random) {
    const auto found = statements(text);
    if (found.empty()) return;
    const auto [begin, end] = found[random.below(found.size())];
    const std::string line = text.substr(begin, end - begin);
    switch (random.below(6)) {
    case 0: text.erase(begin, end - begin); break;
    case 1: text.insert(end, "\n" + material.instructions[random.below(material.instructions.size())]); break;
    case 2: text.insert(end, "\n" + bentInstruction(material.instructions[random.below(material.instructions.size())], material, random)); break;
    case 3: {
        const auto [otherBegin, otherEnd] = found[random.below(found.size())];
        text.insert(otherEnd, "\n" + line);
        (void)otherBegin;
        break;
    }
    case 4: {
        const auto [otherBegin, otherEnd] = found[random.below(found.size())];
        const std::string other = text.substr(otherBegin, otherEnd - otherBegin);
        text.replace(begin, end - begin, other);
        break;
    }
    default: text.replace(begin, end - begin, bentInstruction(line, material, random));
    }
}

// A kernel made of forms only, with the registers they use.
std::string ofForms(const Material &material, Random &random) {
    std::string text = ".version 8.3\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 gs[1024];\n.global .align 16 .b8 gv[256];\n.const .align 16 .b8 gc[64];\n"
                       ".visible .entry k(.param .u64 kp, .param .u64 kq)\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .b64 %d<16>;\n.reg .f64 %e<16>;\n.reg .b128 %q<4>;\n"
                       "ld.param.u64 %d2, [kp];\nmov.u32 %r2, gs;\nmov.u32 %r1, gs;\nadd.u32 %r4, %r1, 64;\nmov.u32 %r3, 16;\nmov.u64 %d1, %d2;\nmov.u64 %d3, %d2;\nmov.u32 %r10, %tid.x;\nsetp.lt.u32 %p1, %r10, 7;\n";
    const std::size_t count = 1 + random.below(12);
    for (std::size_t i = 0; i < count; ++i) {
        std::string line = material.instructions[random.below(material.instructions.size())];
        if (random.chance(25)) line = bentInstruction(line, material, random);
        if (random.chance(15)) line = "@%p1 " + line;
        text += line + "\n";
    }
    return text + "ret;\n}\n";
}

} // namespace

std::vector<std::string> tokensOf(std::string_view text) {
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_' || text[end] == '%' || text[end] == '$')) ++end;
        if (end == i) { ++i; continue; }
        tokens.emplace_back(text.substr(i, end - i));
        i = end;
    }
    std::ranges::sort(tokens);
    const auto repeated = std::ranges::unique(tokens);
    tokens.erase(repeated.begin(), repeated.end());
    return tokens;
}

std::string mutated(const Material &material, Random &random) {
    std::string text = random.chance(40) ? ofForms(material, random) : material.texts[random.below(material.texts.size())];
    const std::size_t steps = random.below(random.chance(60) ? 3 : 8);
    for (std::size_t i = 0; i < steps && text.size() < 400'000; ++i) {
        switch (random.below(6)) {
        case 0: damageBytes(text, random); break;
        case 1: case 2: damageTokens(text, material, random); break;
        default: damageStatements(text, material, random);
        }
    }
    return text;
}

} // namespace kernelskill::fuzz
