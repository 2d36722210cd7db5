// SPDX-License-Identifier: Apache-2.0
// Splits PTX text into words, numbers, strings and punctuation. Comments are skipped.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernelskill::simulator::ptx {

struct Token {
    enum class Kind : std::uint8_t { Word, Number, String, Punctuation, End };
    Kind kind = Kind::End;
    std::string_view text; // of a string: without its quotes
    int line = 0;

    [[nodiscard]] bool is(std::string_view what) const { return text == what && kind != Kind::String && kind != Kind::End; }
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {}
    [[nodiscard]] Token next();

private:
    void skipBlanksAndComments();

    std::string_view m_text;
    std::size_t m_position = 0;
    int m_line = 1;
};

} // namespace kernelskill::simulator::ptx
