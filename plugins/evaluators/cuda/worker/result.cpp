// SPDX-License-Identifier: Apache-2.0
#include "result.h"

namespace kernelskill::cuda {

nlohmann::json Result::toJson() const
{
    nlohmann::json object = WorkAnswer::toJson();
    object["build"] = build;
    object["device"] = device;
    object["findings"] = nlohmann::json::array();
    for (const Finding &finding : findings)
        object["findings"].push_back({{"kind", finding.kind}, {"message", finding.message}, {"fatal", true}});
    return object;
}

} // namespace kernelskill::cuda
