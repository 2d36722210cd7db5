// SPDX-License-Identifier: Apache-2.0
#include "engine/checks/finding_collector.h"

namespace kernelskill::simulator {

bool FindingCollector::count(const std::string &kind, const std::string &file, int line) {
    const auto known = m_index.find({kind, file, line});
    if (known == m_index.end()) return true;
    ++m_findings[known->second].occurrences;
    return false;
}

void FindingCollector::add(Finding finding) {
    m_fatal = m_fatal || finding.fatal;
    if (!count(finding.kind, finding.file, finding.line)) {
        m_findings[m_index[{finding.kind, finding.file, finding.line}]].fatal |= finding.fatal;
        return;
    }
    m_index[{finding.kind, finding.file, finding.line}] = m_findings.size();
    m_findings.push_back(std::move(finding));
}

} // namespace kernelskill::simulator
