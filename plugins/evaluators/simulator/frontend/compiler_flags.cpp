// SPDX-License-Identifier: Apache-2.0
#include "compiler_flags.h"

namespace kernelskill::simulator {

namespace {

// What both passes share. Why each is needed: simulator.md, "Front end".
QStringList clangFlags(const Installation &installation, const CodeOptions &options)
{
    return QStringList{QStringLiteral("-x"),
                       QStringLiteral("cuda"),
                       QStringLiteral("-std=") + options.standard,
                       QStringLiteral("-O3"),
                       QStringLiteral("--cuda-gpu-arch=") + options.architecture,
                       QStringLiteral("-nocudainc"),
                       QStringLiteral("-nocudalib"),
                       QStringLiteral("--cuda-path=/nonexistent"),
                       QStringLiteral("-Xclang"),
                       QStringLiteral("-target-sdk-version=12.3"),
                       QStringLiteral("-Xclang"),
                       QStringLiteral("-fcuda-allow-variadic-functions"), // declared only, by the C++ library's traits
                       QStringLiteral("-Wno-unknown-cuda-version"),
                       QStringLiteral("-fno-color-diagnostics"),
                       QStringLiteral("-fno-caret-diagnostics"),
                       QStringLiteral("-isystem"),
                       installation.headers(),
                       QStringLiteral("-fdebug-compilation-dir=.")} +
           options.more;
}

} // namespace

// Loops of known length are unrolled as nvcc does: 32 rounds of two loads and a multiply-add are, 31 with a test are not.
QStringList deviceFlags(const Installation &installation, const CodeOptions &options)
{
    return clangFlags(installation, options) +
           QStringList{QStringLiteral("--cuda-feature=+ptx83"),    QStringLiteral("-mllvm"),
                       QStringLiteral("-inline-threshold=100000"), QStringLiteral("-mllvm"),
                       QStringLiteral("-unroll-threshold=450"),    QStringLiteral("-mllvm"),
                       QStringLiteral("-unroll-max-count=4"), QStringLiteral("-mllvm"), QStringLiteral("-sink-common-insts=false"), QStringLiteral("-gline-tables-only"),
                       QStringLiteral("--cuda-device-only"),       QStringLiteral("-S")};
}

QStringList hostFlags(const Installation &installation, const CodeOptions &options)
{
    return clangFlags(installation, options) + QStringList{QStringLiteral("-w"), QStringLiteral("--cuda-host-only"),
                                                           QStringLiteral("-fPIC"), QStringLiteral("-c")};
}

QStringList placeholderArguments()
{
    return {QStringLiteral("-Xclang"), QStringLiteral("-fcuda-include-gpubinary"), QStringLiteral("-Xclang"),
            placeholderFile};
}

} // namespace kernelskill::simulator
