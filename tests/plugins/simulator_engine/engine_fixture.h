// SPDX-License-Identifier: Apache-2.0
// A device and short ways to run a piece of PTX on it.
#pragma once

#include "engine/device.h"

#include <QTest>

#include <cstring>
#include <string>
#include <vector>

namespace kernelskill::simulator {

template <class T> std::vector<std::byte> argument(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// A kernel "k" with pointer parameters p0, p1, …, whose global addresses are in %a0, %a1, …; %t is the thread's number in
// the grid, %o four times that, %tid its number in the block.
inline std::string kernelText(int pointers, const std::string &body, const std::string &moduleText = {}) {
    std::string text = ".version 8.3\n.target sm_80\n.address_size 64\n.file 1 \"kernel.cu\"\n" + moduleText + "\n.visible .entry k(";
    for (int i = 0; i < pointers; ++i) text += (i ? ", " : "") + std::string(".param .u64 p") + std::to_string(i);
    text += ")\n{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .b64 %d<32>;\n.reg .f64 %e<16>;\n"
            ".reg .b32 %t, %o, %tid, %c, %n;\n.reg .b64 %a<8>;\n.reg .b64 %o64;\n"
            "mov.u32 %tid, %tid.x;\nmov.u32 %c, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.s32 %t, %c, %n, %tid;\nshl.b32 %o, %t, 2;\ncvt.u64.u32 %o64, %o;\n";
    for (int i = 0; i < pointers; ++i) {
        const std::string n = std::to_string(i);
        text += "ld.param.u64 %a" + n + ", [p" + n + "];\ncvta.to.global.u64 %a" + n + ", %a" + n + ";\n";
    }
    return text + ".loc 1 100 1\n" + body + "\nret;\n}\n";
}

// PTX executed as it is written: what the tests count by hand. The lowering has tests of its own.
inline ExecutionModel asWritten() {
    ExecutionModel model;
    model.lowering = false;
    return model;
}

class Engine {
public:
    Device device{asWritten()};
    LaunchReport report;
    LaunchLimits limits;
    std::vector<BlockWindow> windows;
    std::uint32_t concurrentBlocks = 1, blocksPerSm = 0;
    std::uint64_t firstWaveBlocks = 0;

    template <class T> std::uint64_t upload(const std::vector<T> &values, const std::string &name = "x") {
        const std::uint64_t address = *device.allocate(values.size() * sizeof(T), name);
        const auto done = device.write(address, std::as_bytes(std::span(values)));
        Q_ASSERT(done.has_value());
        return address;
    }
    template <class T> std::vector<T> download(std::uint64_t address, std::size_t count) {
        std::vector<T> values(count);
        const auto done = device.read(address, std::as_writable_bytes(std::span(values)));
        Q_ASSERT(done.has_value());
        return values;
    }
    // Loads the text and launches "k"; false, with the reason on the test's log, when it could not begin.
    bool run(const std::string &text, Dim3 grid, Dim3 block, const std::vector<std::uint64_t> &pointers, std::uint32_t dynamicShared = 0) {
        if (const auto loaded = device.loadModule(text); !loaded) {
            qWarning("%s", loaded.error().message.c_str());
            return false;
        }
        LaunchRequest request;
        request.kernel = "k";
        request.grid = grid;
        request.block = block;
        request.dynamicSharedBytes = dynamicShared;
        request.limits = limits;
        request.windows = windows;
        request.concurrentBlocks = concurrentBlocks;
        request.blocksPerSm = blocksPerSm;
        request.firstWaveBlocks = firstWaveBlocks;
        for (const auto p : pointers) request.arguments.push_back(argument(p));
        auto result = device.launch(request);
        if (!result) {
            qWarning("%s", result.error().message.c_str());
            return false;
        }
        report = std::move(*result);
        return true;
    }
    // Finding of a kind, or null.
    const Finding *finding(const std::string &kind) const {
        for (const auto &f : report.findings)
            if (f.kind == kind) return &f;
        return nullptr;
    }
};

} // namespace kernelskill::simulator
