// SPDX-License-Identifier: Apache-2.0
// One evaluation from request to result: the order of the stages.
#pragma once

#include "request.h"
#include "result.h"

#include <string>

namespace kernelskill::cuda {

// `programFolder` has kernelskill-cuda-host and the sources that are compiled here.
void evaluate(const Request &request, const std::string &programFolder, const Progress &progress, Result &result);

// Answer to {"list_devices": true}.
[[nodiscard]] nlohmann::json listMachine();

} // namespace kernelskill::cuda
