// SPDX-License-Identifier: Apache-2.0
// Where the simulator's own pieces lie, and which compiler serves as its front end.
#pragma once

#include "base/result.h"

#include <QString>
#include <QStringList>

namespace kernelskill::simulator {

// The folder <plugins>/simulator: headers, run-time library, host program, worker.
struct Installation
{
    QString folder;
    [[nodiscard]] QString headers() const { return folder + QStringLiteral("/include"); }
    [[nodiscard]] QString runtimeLibrary() const { return folder + QStringLiteral("/libkernelskill-sim-cudart.so"); }
    [[nodiscard]] QString hostProgram() const { return folder + QStringLiteral("/kernelskill-sim-host"); }
    [[nodiscard]] QString worker() const { return folder + QStringLiteral("/kernelskill-sim-worker"); }
    // Changes when any header or the run time does; part of every build's cache key. Computed once a process.
    [[nodiscard]] QByteArray digest() const;

    // Searches $KERNELSKILL_SIMULATOR, beside the plugin library, then the plugin folders.
    [[nodiscard]] static Result<Installation> find();
};

enum class CompilerKind { Clang, Nvcc };

struct Compiler
{
    CompilerKind kind = CompilerKind::Clang;
    QString program; // absolute path
    QString version; // first line of --version that names one

    // `wanted` is "clang", "nvcc" or empty: then $KERNELSKILL_SIM_COMPILER, then clang, else nvcc. Runs the program once a process
    // to learn its version.
    [[nodiscard]] static Result<Compiler> find(const QString &wanted = {});
    // Least recent clang whose CUDA headers and PTX back end the simulator was built against.
    static constexpr int leastClang = 17;
};

} // namespace kernelskill::simulator
