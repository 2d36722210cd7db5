// SPDX-License-Identifier: Apache-2.0
#include "base/logging.h"

namespace kernelskill {

Q_LOGGING_CATEGORY(logWorker, "kernelskill.worker", QtWarningMsg)

} // namespace kernelskill
