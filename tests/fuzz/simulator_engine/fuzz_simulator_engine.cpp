// SPDX-License-Identifier: Apache-2.0
// Damaged PTX and odd launches through the simulator's engine. Exits with 0 when every case ended by itself.
//   fuzz_simulator_engine [--seed S] [--cases N] [--seconds T] [--only CASE]
#include "engine/device.h"
#include "mutations.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace kernelskill;
using fuzz::Random;

namespace {

constexpr unsigned hangLimit_s = 60; // of one case, sanitizers included
volatile std::uint64_t currentSeed = 0, currentCase = 0;

// A case that takes too long, or a signal: name the case, then die.
void report(int signal) {
    char text[128];
    const int length = std::snprintf(text, sizeof text, "\nseed %llu case %llu: %s\n", static_cast<unsigned long long>(currentSeed), static_cast<unsigned long long>(currentCase), signal == SIGALRM ? "does not end" : "crashed");
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
}

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

void runCase(const fuzz::Material &m, std::uint64_t seed, std::uint64_t number, Tally &tally, bool print) {
    Random random(seed * 1'000'003 + number);
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
    std::uint64_t seed = 1, cases = ~0ull, only = ~0ull, first = 0;
    double seconds = 1e9;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
        else if (option == "--cases") cases = std::strtoull(argv[i + 1], nullptr, 10);
        else if (option == "--from") first = std::strtoull(argv[i + 1], nullptr, 10);
        else if (option == "--seconds") seconds = std::strtod(argv[i + 1], nullptr);
        else if (option == "--only") only = std::strtoull(argv[i + 1], nullptr, 10);
        else return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
    }
    currentSeed = seed;
    for (const int signal : {SIGALRM, SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(signal, report);
    const fuzz::Material m = material();
    if (m.texts.empty() || m.texts[0].empty() || m.instructions.empty()) return std::fprintf(stderr, "no seeds\n"), 2;
    Tally tally;
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    double slowest = 0;
    std::uint64_t number = only != ~0ull ? only : first, slowestCase = 0, done = 0;
    for (; done < (only != ~0ull ? 1 : cases); ++number, ++done) {
        const auto start = Clock::now();
        if (std::chrono::duration<double>(start - begin).count() > seconds) break;
        currentCase = number;
        alarm(hangLimit_s);
        runCase(m, seed, number, tally, only != ~0ull);
        const double took = std::chrono::duration<double>(Clock::now() - start).count();
        if (took > slowest) { slowest = took; slowestCase = number; }
    }
    alarm(0);
    std::printf("fuzz_simulator_engine: seed %llu, %llu cases in %.0f s, no crash; slowest %.2f s (case %llu)\n", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(done),
                std::chrono::duration<double>(Clock::now() - begin).count(), slowest, static_cast<unsigned long long>(slowestCase));
    for (const auto &[end, count] : tally.ends) std::printf("  %-24s %llu\n", end.c_str(), static_cast<unsigned long long>(count));
    return 0;
}
