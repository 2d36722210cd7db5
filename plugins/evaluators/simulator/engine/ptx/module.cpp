// SPDX-License-Identifier: Apache-2.0
#include "engine/ptx/module.h"

#include <algorithm>

namespace kernelskill::simulator::ptx {

bool Instruction::has(std::string_view modifier) const {
    return std::ranges::find(modifiers, modifier) != modifiers.end();
}

std::string Instruction::fullName() const {
    std::string text = opcode;
    for (const auto &m : modifiers) text += "." + m;
    return text;
}

namespace {
// Headers of the toolkit or of the clean-room runtime: nobody edits those, so a mark belongs on the caller's line.
bool isLibraryHeader(std::string_view file) {
    if (file.ends_with(".cu") || file.ends_with(".cpp") || file.ends_with(".cuh")) return false;
    return file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".inl") || file.find("/include/") != file.npos;
}
} // namespace

std::string Module::fileName(int file) const {
    return file >= 0 && static_cast<std::size_t>(file) < files.size() ? files[static_cast<std::size_t>(file)] : std::string{};
}

SourcePlace Module::visiblePlace(std::int32_t place) const {
    if (place < 0) return {};
    SourcePlace here = places[static_cast<std::size_t>(place)];
    for (int depth = 0; depth < 64 && here.inlinedAt >= 0; ++depth) {
        if (here.line != 0 && !isLibraryHeader(fileName(here.file))) break;
        here = places[static_cast<std::size_t>(here.inlinedAt)];
    }
    return here;
}

} // namespace kernelskill::simulator::ptx
