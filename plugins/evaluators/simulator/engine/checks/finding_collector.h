// SPDX-License-Identifier: Apache-2.0
// Findings of a launch, one for each kind and place.
#pragma once

#include "engine/launch_report.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace kernelskill::simulator {

class FindingCollector {
public:
    // True when it is the first of its kind at its place; then describe() gives the sentence.
    bool count(const std::string &kind, const std::string &file, int line);
    void add(Finding finding); // counts too; keeps the first message of a place
    [[nodiscard]] bool fatal() const { return m_fatal; }
    [[nodiscard]] std::vector<Finding> take() { return std::move(m_findings); }

private:
    std::vector<Finding> m_findings;
    std::map<std::tuple<std::string, std::string, int>, std::size_t> m_index;
    bool m_fatal = false;
};

} // namespace kernelskill::simulator
