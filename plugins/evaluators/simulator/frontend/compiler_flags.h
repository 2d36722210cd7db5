// SPDX-License-Identifier: Apache-2.0
// How clang is asked to compile CUDA C++ against the simulator's headers: the same for a candidate and for a whole
// program.
#pragma once

#include "frontend/installation.h"

#include <QString>
#include <QStringList>

namespace kernelskill::simulator {

struct CodeOptions
{
    QString architecture = QStringLiteral("sm_80");
    QString standard = QStringLiteral("c++20");
    QStringList more; // include paths, definitions
};

// Everything but files: to PTX text, and to an object file with placeholder.bin where the device code would be (the
// worker has the PTX itself, so the host side need not wait for the device pass).
[[nodiscard]] QStringList deviceFlags(const Installation &installation, const CodeOptions &options = {});
[[nodiscard]] QStringList hostFlags(const Installation &installation, const CodeOptions &options = {});
[[nodiscard]] QStringList placeholderArguments();
inline const QString placeholderFile = QStringLiteral("placeholder.bin");

} // namespace kernelskill::simulator
