// SPDX-License-Identifier: Apache-2.0
// Damaged requests and frames against the simulator's worker. Exits with 0 when each was answered. Options:
// loop/fuzz_loop.h.
#include "fuzz_loop.h"
#include "mutations.h"
#include "worker/device_server.h"
#include "worker/request.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace kernelskill;
using namespace kernelskill::simulator;
using fuzz::Random;

namespace {

constexpr int sharers = 64; // of the device's memory: a case that gets all it asks for stays small

const char *const validRequest = R"({"gpu": "h200.json", "ptx": ["a.ptx"], "host": "host", "library": "lib.so", "readable": ["/usr"], "unconfined": false,
 "absolute": 1e-5, "relative": 1e-4, "parameters": [{"name": "x", "dtype": "float32", "tensor": true, "read": true, "written": false, "distribution": "normal", "first": 0, "second": 1}],
 "checks": [{"name": "c", "shapes": [[4, 5], []], "scalars": [0, 3], "inputs": ["x"], "expected": ["y"]}],
 "times": [{"name": "t", "weight": 1, "shapes": [[4096]], "scalars": [0], "seeds": ["17"]}], "host_limit_ms": 100, "stage_limit_ms": 100})";

std::string damaged(std::string text, Random &random) {
    static constexpr const char *pieces[] = {"null", "[]", "{}", "-1", "1e999", "\"\"", "99999999999999999999", "true", "\"\\u0000\"", "[[[[", "}", ",", "0.5"};
    for (std::size_t steps = 1 + random.below(5); steps > 0 && !text.empty(); --steps) {
        const std::size_t at = random.below(text.size());
        switch (random.below(4)) {
        case 0: text[at] = static_cast<char>(random.next()); break;
        case 1: text.resize(at); break;
        case 2: text.erase(at, random.below(20)); break;
        default: {
            const std::size_t colon = text.find_first_of(":[,", at);
            if (colon == text.npos) break;
            const std::size_t end = text.find_first_of(",]}", colon + 1);
            text.replace(colon + 1, end == text.npos ? text.npos : end - colon - 1, pieces[random.below(std::size(pieces))]);
        }
        }
    }
    return text;
}

std::uint64_t strange(Random &random, const std::vector<std::uint64_t> &known) {
    static constexpr std::uint64_t odd[] = {0, 1, 7, 255, 4096, 1u << 20, 0xffff'ffff, 0x1'0000'0000, ~0ull, ~0ull - 7, 1ull << 40, 1ull << 63};
    return random.chance(60) ? known[random.below(known.size())] + (random.chance(30) ? random.below(64) : 0) : odd[random.below(std::size(odd))];
}

// A frame's payload: roughly what the kind asks for, then cut or spoilt.
std::vector<std::byte> payload(wire::Kind kind, Random &random, const std::vector<std::string> &names, const std::vector<std::uint64_t> &known) {
    wire::Writer w;
    const auto name = [&] { w.text(random.chance(80) ? names[random.below(names.size())] : std::string(random.below(40), 'x')); };
    const auto word = [&](std::uint32_t usual) { w.value(random.chance(80) ? 1 + static_cast<std::uint32_t>(random.below(usual)) : static_cast<std::uint32_t>(random.next())); };
    switch (kind) {
    case wire::Kind::KernelQuery: case wire::Kind::GlobalQuery: name(); break;
    case wire::Kind::Occupancy: name(); word(1024); word(4096); break;
    case wire::Kind::SharedLimit: name(); word(100'000); break;
    case wire::Kind::Launch:
        name();
        for (int i = 0; i < 6; ++i) word(i < 3 ? 3 : 64);
        word(1024);
        w.value(static_cast<std::uint32_t>(random.below(3)));
        {
            const auto count = static_cast<std::uint32_t>(random.below(6));
            w.value(random.chance(95) ? count : static_cast<std::uint32_t>(random.next()));
            for (std::uint32_t i = 0; i < count; ++i) {
                const std::uint64_t value = strange(random, known);
                w.block(std::as_bytes(std::span(&value, 1)).first(random.chance(50) ? 8 : random.chance(80) ? 4 : random.below(9)));
            }
        }
        break;
    case wire::Kind::AllocateShared: w.value(random.chance(70) ? random.below(1 << 16) : strange(random, known)); break;
    case wire::Kind::Allocate: { // refused or small: what is given may be filled
        const std::uint64_t bytes = random.chance(70) ? random.below(1 << 16) : strange(random, known);
        w.value(bytes > (1ull << 24) && bytes < (1ull << 40) ? bytes % (1ull << 24) : bytes);
        w.value(static_cast<std::uint32_t>(random.below(3)));
        w.text(random.chance(50) ? "main.cu:12" : random.chance(50) ? "" : "7:x:");
        break;
    }
    default:
        for (std::size_t i = random.below(4); i > 0; --i) w.value(strange(random, known));
    }
    std::vector<std::byte> bytes = w.bytes();
    if (!bytes.empty() && random.chance(25)) bytes.resize(random.below(bytes.size()));
    if (!bytes.empty() && random.chance(25)) bytes[random.below(bytes.size())] = static_cast<std::byte>(random.next());
    return bytes;
}

struct Tally { std::uint64_t parsed = 0, refused = 0; std::map<std::int32_t, std::uint64_t> answers; };

void requestCase(Random &random, Tally &tally) {
    const auto json = nlohmann::json::parse(damaged(validRequest, random), nullptr, false);
    if (json.is_discarded()) { ++tally.refused; return; }
    WorkRequest::parse(json) ? ++tally.parsed : ++tally.refused;
}

void serverCase(Random &random, const std::string &ptx, const GpuModel &gpu, Tally &tally) {
    Device device(gpu.executionModel());
    DeviceServer server(device, gpu);
    if (!server.load(ptx)) return;
    server.shareMemory(sharers);
    server.checkLaunchBudget = server.checkBlockBudget = 20'000;
    server.fullBudget = server.sampleBudget = server.repeatBudget = 200'000;
    const std::vector<std::string> names{"vadd", "gemm", "rowsum", "hits", "coef", "v4copy"};
    std::vector<std::uint64_t> known{server.allocate(4096, "x"), server.allocate(65536, "y")};
    server.begin(static_cast<ServeMode>(random.below(5)));
    for (int i = 0; i < 30; ++i) {
        const auto kind = static_cast<wire::Kind>(random.chance(95) ? 16 + random.below(18) : random.next());
        const auto bytes = payload(kind, random, names, known);
        wire::Reader reader(bytes);
        wire::Writer reply;
        const std::int32_t answer = server.handle(kind, reader, reply);
        ++tally.answers[answer];
        if (reply.descriptor >= 0) ::close(reply.descriptor);
        if ((kind == wire::Kind::Allocate || kind == wire::Kind::AllocateShared) && answer == 0 && reply.bytes().size() == 8) {
            std::uint64_t address;
            std::memcpy(&address, reply.bytes().data(), 8);
            known.push_back(address);
        }
    }
    (void)server.end();
}

} // namespace

int main(int argc, char **argv) {
    std::ifstream file(KERNELS);
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    const auto gpu = GpuModel::read(GPU_FILE);
    if (!gpu || ptx.empty()) return std::fprintf(stderr, "no kernels or no GPU file\n"), 2;
    Tally tally;
    const auto run = [&](const fuzz::Case &one) {
        Random random(one.seed * 1'000'003 + one.number);
        if (one.number % 4 == 0) serverCase(random, ptx, *gpu, tally);
        else requestCase(random, tally);
    };
    const auto summary = [&] {
        std::ostringstream text;
        text << "  requests understood " << tally.parsed << ", refused " << tally.refused << "; answers";
        for (const auto &[answer, count] : tally.answers) text << ' ' << answer << ": " << count;
        text << '\n';
        return text.str();
    };
    return fuzz::runCases("fuzz_simulator_worker", argc, argv, run, summary);
}
