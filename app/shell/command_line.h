// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "settings/theme.h"

#include <QSize>
#include <QStringList>

namespace kernelskill {

struct CommandLine
{
    QStringList files;   // session files, task folders
    QString perspective; // "Tune", "Teach", "Review"; empty: the last one
    QString panel;       // "Skills", "Why", "Evidence", "Log"; empty: the perspective's
    int select = -1;     // node
    QSize size;          // invalid: as the window was last
    ThemeMode theme = ThemeMode::System;
    QString screenshot; // PNG to write, then end
    bool run = false;   // start the run at once
    int atRound = -1;   // the picture is taken in this round of the run; −1: after its end
};

// Error "usage.help" carries the help text, "usage.wrong" what is wrong with it.
[[nodiscard]] Result<CommandLine> parseCommandLine(const QStringList &arguments);

} // namespace kernelskill
