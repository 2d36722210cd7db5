// SPDX-License-Identifier: Apache-2.0
#include "kernel_facts.h"

#include <algorithm>
#include <cctype>

namespace kernelskill::simulator {

namespace {

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
}

std::size_t occurrences(std::string_view text, std::string_view word)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end]))) ++count;
    }
    return count;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

// "atom.global.add.u32 %r1, [%rd2], %r3;" with %r1 used elsewhere in the body.
bool readsOldValue(std::string_view instruction, std::string_view body)
{
    const std::size_t comma = instruction.find(',');
    std::size_t begin = comma;
    while (begin != std::string_view::npos && begin > 0 && isWord(instruction[begin - 1]))
        --begin;
    if (comma == std::string_view::npos || begin == comma) return true;
    const std::string_view result = instruction.substr(begin, comma - begin);
    return result != "_" && occurrences(body, result) > 1; // here, and where it is used; its declaration is a range: "%r<9>"
}

bool communicates(std::string_view body)
{
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = std::min(body.find(';', at), body.size());
        std::string_view instruction = body.substr(at, end - at);
        at = end + 1;
        // Drop what stands before the opcode: labels, comments, predicates, line directives.
        const std::size_t line = instruction.find_last_of('\n');
        if (line != std::string_view::npos) instruction.remove_prefix(line + 1);
        if (contains(instruction, "atom.") && !contains(instruction, "atom.shared") && readsOldValue(instruction, body))
            return true;
        const bool memory = contains(instruction, "ld.") || contains(instruction, "st.");
        if (memory && !contains(instruction, ".shared") && !contains(instruction, ".local") &&
            (contains(instruction, ".volatile") || contains(instruction, ".acquire") ||
             contains(instruction, ".relaxed") || contains(instruction, ".release")))
            return true;
    }
    return false;
}

} // namespace

std::set<std::string, std::less<>> communicatingKernels(std::string_view ptx)
{
    std::set<std::string, std::less<>> names;
    for (std::size_t at = ptx.find(".entry "); at != std::string_view::npos; at = ptx.find(".entry ", at + 1)) {
        std::size_t begin = at + 7;
        std::size_t end = begin;
        while (end < ptx.size() && isWord(ptx[end]))
            ++end;
        const std::size_t open = ptx.find('{', end);
        if (open == std::string_view::npos) break;
        std::size_t close = ptx.find("\n}", open);
        if (close == std::string_view::npos) close = ptx.size();
        if (communicates(ptx.substr(open, close - open))) names.emplace(ptx.substr(begin, end - begin));
    }
    return names;
}

} // namespace kernelskill::simulator
