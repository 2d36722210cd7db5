// SPDX-License-Identifier: Apache-2.0
#include "providers/provider.h"

namespace kernelskill::llm {

StreamReader::~StreamReader() = default;
Provider::~Provider() = default;

} // namespace kernelskill::llm
