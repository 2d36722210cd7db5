// SPDX-License-Identifier: Apache-2.0
#include "wire/transport.h"

#include <algorithm>

namespace kernelskill::llm {

Transport::~Transport() = default;

QByteArray HttpAnswer::header(const QByteArray &name) const
{
    const auto found = std::ranges::find_if(headers, [&](const auto &entry) { return entry.first == name; });
    return found == headers.end() ? QByteArray() : found->second;
}

} // namespace kernelskill::llm
