// SPDX-License-Identifier: Apache-2.0
// What every trusted child process has in common: a group of its own, and an end with whoever started it.
#pragma once

#include <QProcess>

namespace kernelskill {

// Before start(): the child leads a process group and dies with the thread that starts it.
void leadsItsGroup(QProcess &process);
// Ends a child, all its descendants and its group; nothing when it does not run.
void killWithGroup(const QProcess &process);
// This process's environment, with messages in English so that they can be understood.
[[nodiscard]] QProcessEnvironment englishEnvironment();

} // namespace kernelskill
