// SPDX-License-Identifier: Apache-2.0
// What the roles are shown: values of the engine as text a model reads well. Pure, and the same bytes for the same
// values: figures have three digits, so that noise in a measurement makes no new prompt.
#pragma once

#include "agent/roles.h"

namespace kernelskill::llm {

[[nodiscard]] QString taskText(const Task &task);
[[nodiscard]] QString codeText(const Candidate &candidate);
// Verdict, times and what the profiler saw of each kernel; the deciding kernel in full, others in a line.
[[nodiscard]] QString evidenceText(const Evaluation &evaluation);
[[nodiscard]] QString profileText(const Profile &profile);
[[nodiscard]] QString featuresText(const Features &features);
// The allowed skills, best first, each with what it is for and promises; then what is forbidden.
[[nodiscard]] QString offerText(const Retrieval &retrieval, const QList<Skill> &skills);
[[nodiscard]] QString skillText(const Skill &skill);
[[nodiscard]] QString planText(const Plan &plan);
// One line a try, oldest first; `base`: tries on it are marked. Older ones than the last 20 as counts.
[[nodiscard]] QString historyText(const Attempts &attempts, int base = -1);
[[nodiscard]] QString failureText(const Evaluation &evaluation);
[[nodiscard]] QString chainText(const QList<RepairAttempt> &chain);
// The change of code, as lines with + and −, with a little around them.
[[nodiscard]] QString differenceText(const Candidate &before, const Candidate &after);
[[nodiscard]] QString findingText(const Finding &finding);

} // namespace kernelskill::llm
