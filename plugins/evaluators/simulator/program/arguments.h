// SPDX-License-Identifier: Apache-2.0
// The command line of `kernelskill simulate`: sources and options as a compiler takes them, then the program's own
// arguments.
#pragma once

#include "frontend/compiler_flags.h"

#include <QStringList>

#include <expected>

namespace kernelskill::simulator {

struct ProgramOptions
{
    QStringList sources; // absolute
    QStringList programArguments;
    CodeOptions code;
    QStringList includeFolders;     // absolute; also in `code`
    QStringList libraries;          // "-lm"
    QStringList readable, writable; // folders of the program, absolute
    QString device;
    int timeout_s = 300;
    bool profile = false, json = false, unconfined = false, help = false;

    // What compiler and program see: the current folder, those above the sources, for files beside theirs, and
    // `readable`.
    [[nodiscard]] QStringList visibleFolders() const;
};

// The error is one sentence about the first argument that is not understood.
[[nodiscard]] std::expected<ProgramOptions, QString> readArguments(const QStringList &arguments);
[[nodiscard]] QString helpText();

} // namespace kernelskill::simulator
