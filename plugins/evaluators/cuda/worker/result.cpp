// SPDX-License-Identifier: Apache-2.0
#include "result.h"

namespace kernelskill::cuda {

void Result::giveUp(const char *code, const std::string &why)
{
    if (!trouble.empty()) return;
    trouble = why;
    troubleCode = code;
}

// Void without anything but the reason when there was trouble.
nlohmann::json Result::toJson() const
{
    if (!trouble.empty()) return {{"done", true}, {"error", trouble}, {"code", troubleCode}, {"log", log}};
    nlohmann::json object = WorkAnswer::toJson();
    object["build"] = build;
    object["device"] = device;
    object["findings"] = nlohmann::json::array();
    for (const Finding &finding : findings)
        object["findings"].push_back({{"kind", finding.kind}, {"message", finding.message}, {"fatal", true}});
    return object;
}

} // namespace kernelskill::cuda
