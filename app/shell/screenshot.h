// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace kernelskill {

class MainWindow;

// Writes the window as PNG once highlighting, charts and lists have settled, then ends the program: 0, or 1 when the
// file cannot be written.
void takeScreenshotWhenSettled(MainWindow *window, const QString &path);

} // namespace kernelskill
