// SPDX-License-Identifier: Apache-2.0
#include "engine/ptx/lexer.h"

namespace kernelskill::simulator::ptx {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool startsWord(char c) { return isLetter(c) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool continuesWord(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '.' || c == '%'; }

// Directives that a type may follow without a blank, as inline assembly in the toolkit's headers has it.
bool declares(std::string_view word) {
    return word == ".reg" || word == ".param" || word == ".local" || word == ".shared" || word == ".global" || word == ".const";
}

} // namespace

void Lexer::skipBlanksAndComments() {
    while (m_position < m_text.size()) {
        const char c = m_text[m_position];
        if (c == '\n') { ++m_line; ++m_position; continue; }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') { ++m_position; continue; }
        if (c == '/' && m_position + 1 < m_text.size() && m_text[m_position + 1] == '/') {
            const auto end = m_text.find('\n', m_position);
            m_position = end == m_text.npos ? m_text.size() : end;
            continue;
        }
        if (c == '/' && m_position + 1 < m_text.size() && m_text[m_position + 1] == '*') {
            const auto end = m_text.find("*/", m_position + 2);
            const auto stop = end == m_text.npos ? m_text.size() : end + 2;
            for (; m_position < stop; ++m_position)
                if (m_text[m_position] == '\n') ++m_line;
            continue;
        }
        return;
    }
}

Token Lexer::next() {
    skipBlanksAndComments();
    if (m_position >= m_text.size()) return {Token::Kind::End, {}, m_line};
    const std::size_t begin = m_position;
    const int line = m_line;
    const char c = m_text[m_position];
    if (c == '"') {
        ++m_position;
        while (m_position < m_text.size() && m_text[m_position] != '"') {
            if (m_text[m_position] == '\\') ++m_position;
            if (m_position < m_text.size() && m_text[m_position] == '\n') ++m_line;
            ++m_position;
        }
        const std::size_t end = m_position < m_text.size() ? m_position : m_text.size();
        m_position = end + 1;
        return {Token::Kind::String, m_text.substr(begin + 1, end - begin - 1), line};
    }
    if (startsWord(c)) {
        ++m_position;
        while (m_position < m_text.size()) {
            if (m_text[m_position] == '.' && declares(m_text.substr(begin, m_position - begin))) break; // ".reg.b32" is two words
            if (continuesWord(m_text[m_position])) { ++m_position; continue; }
            // "shared::cta" and "L2::128B" are one word
            if (m_text.substr(m_position, 2) == "::" && m_position + 2 < m_text.size() && continuesWord(m_text[m_position + 2])) {
                m_position += 2;
                continue;
            }
            break;
        }
        return {Token::Kind::Word, m_text.substr(begin, m_position - begin), line};
    }
    if (isDigit(c)) {
        ++m_position;
        while (m_position < m_text.size()) {
            const char n = m_text[m_position];
            const char previous = m_text[m_position - 1];
            const bool decimal = !(m_text[begin] == '0' && m_position > begin + 1
                                   && (m_text[begin + 1] == 'x' || m_text[begin + 1] == 'X' || m_text[begin + 1] == 'f'
                                       || m_text[begin + 1] == 'F' || m_text[begin + 1] == 'd' || m_text[begin + 1] == 'D'));
            const bool exponentSign = decimal && (n == '+' || n == '-') && (previous == 'e' || previous == 'E');
            if (!isDigit(n) && !isLetter(n) && n != '.' && !exponentSign) break;
            ++m_position;
        }
        return {Token::Kind::Number, m_text.substr(begin, m_position - begin), line};
    }
    ++m_position;
    return {Token::Kind::Punctuation, m_text.substr(begin, 1), line};
}

} // namespace kernelskill::simulator::ptx
