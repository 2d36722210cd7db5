// SPDX-License-Identifier: Apache-2.0
// Damaged PTX and odd launches through the simulator's engine. Exits with 0 when every case ended by itself.
// Options: loop/fuzz_loop.h.
#include "engine/device.h"
#include "fuzz_loop.h"
#include "mutations.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>

using namespace kernelskill;
using fuzz::Random;

namespace {

std::string contents(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

fuzz::Material material() {
    fuzz::Material m;
    std::istringstream paths(SEED_FILES);
    for (std::string path; std::getline(paths, path, ':');) m.texts.push_back(contents(path));
    std::istringstream forms(contents(FORMS_FILE));
    std::string all;
    for (std::string line; std::getline(forms, line);)
        if (!line.empty() && line[0] != '#') m.instructions.push_back(line);
    for (const auto &text : m.texts) all += text;
    for (const auto &line : m.instructions) all += line + "\n";
    m.tokens = fuzz::tokensOf(all);
    return m;
}

std::uint32_t oddNumber(Random &random, std::uint32_t usual) {
    static constexpr std::uint32_t odd[] = {0, 1, 2, 31, 32, 33, 64, 1023, 1024, 1025, 65535, 65536, 0x7fff'ffff, 0xffff'ffff};
    return random.chance(85) ? 1 + static_cast<std::uint32_t>(random.below(usual)) : odd[random.below(std::size(odd))];
}

simulator::LaunchRequest oddLaunch(const simulator::KernelInfo &kernel, Random &random, const std::vector<std::uint64_t> &memory) {
    simulator::LaunchRequest request;
    request.kernel = kernel.mangled;
    request.grid = {oddNumber(random, 3), random.chance(90) ? 1 : oddNumber(random, 3), random.chance(95) ? 1 : oddNumber(random, 2)};
    request.block = {oddNumber(random, 70), random.chance(90) ? 1 : oddNumber(random, 3), random.chance(95) ? 1 : oddNumber(random, 2)};
    if (random.chance(10)) request.cluster = {oddNumber(random, 4), 1, 1};
    request.dynamicSharedBytes = random.chance(70) ? static_cast<std::uint32_t>(random.below(4096)) : oddNumber(random, 300'000);
    request.limits = {20'000, 8'000};
    request.checks = random.chance(90);
    if (random.chance(5)) request.windows = {{random.next(), random.next()}, {0, 1}};
    std::size_t count = kernel.parameters.size();
    if (random.chance(3)) count += random.below(3);
    for (std::size_t i = 0; i < count && i < 4096; ++i) {
        const std::size_t bytes = i < kernel.parameters.size() ? kernel.parameters[i].bytes : 8;
        std::vector<std::byte> value(bytes > (1u << 20) ? 8 : bytes, std::byte{0});
        std::uint64_t bits = bytes == 8 && random.chance(90) ? memory[random.below(memory.size())] + (random.chance(10) ? random.below(300) : 0) : random.chance(70) ? random.below(100) : random.next();
        std::memcpy(value.data(), &bits, std::min<std::size_t>(sizeof bits, value.size()));
        if (random.chance(2)) value.resize(random.below(20));
        request.arguments.push_back(std::move(value));
    }
    return request;
}

struct Tally { std::map<std::string, std::uint64_t> ends; };

void runCase(const fuzz::Material &m, const fuzz::Case &one, Tally &tally) {
    const bool print = one.alone;
    Random random(one.seed * 1'000'003 + one.number);
    const std::string text = fuzz::mutated(m, random);
    if (print) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
    simulator::ExecutionModel model;
    model.smCount = 2;
    model.l2Bytes = 64 * 1024;
    simulator::Device device(model);
    const auto kernels = device.loadModule(text);
    if (!kernels) {
        ++tally.ends["refused text"];
        if (print) std::printf("refused: %s\n", kernels.error().message.c_str());
        return;
    }
    std::vector<std::uint64_t> memory;
    for (const std::size_t bytes : {64u, 4096u, 65536u}) {
        memory.push_back(*device.allocate(bytes, "m"));
        if (random.chance(50)) (void)device.fill(memory.back(), static_cast<std::byte>(random.next()), bytes);
    }
    memory.push_back(0);
    for (std::size_t k = 0; k < kernels->size() && k < 4; ++k) {
        const auto launched = device.launch(oddLaunch((*kernels)[random.below(kernels->size())], random, memory));
        if (!launched) { ++tally.ends["refused launch"]; continue; }
        std::string end = launched->completed ? "completed" : "stopped";
        for (const auto &finding : launched->findings) {
            if (finding.fatal) end = finding.kind;
            if (print) std::printf("%s: %s\n", finding.kind.c_str(), finding.message.c_str());
        }
        ++tally.ends[end];
    }
}

} // namespace

int main(int argc, char **argv) {
    const fuzz::Material m = material();
    if (m.texts.empty() || m.texts[0].empty() || m.instructions.empty()) return std::fprintf(stderr, "no seeds\n"), 2;
    Tally tally;
    const auto summary = [&] {
        std::ostringstream text;
        for (const auto &[end, count] : tally.ends) text << "  " << std::left << std::setw(24) << end << ' ' << count << '\n';
        return text.str();
    };
    return fuzz::runCases("fuzz_simulator_engine", argc, argv, [&](const fuzz::Case &one) { runCase(m, one, tally); }, summary);
}
