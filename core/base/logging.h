// SPDX-License-Identifier: Apache-2.0
// One logging category a part: kernelskill.<part>.
#pragma once

#include <QLoggingCategory>

namespace kernelskill {

Q_DECLARE_LOGGING_CATEGORY(logWorker)

} // namespace kernelskill
