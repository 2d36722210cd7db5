// SPDX-License-Identifier: Apache-2.0
// From the truth of every case to the methods that may be used now, ranked, and a paragraph that says why.
#pragma once

#include "retrieval/compiled_policy.h"
#include "retrieval/retriever.h"

namespace kernelskill {

// Fills allowed, forbidden, fallback and explanation of a Retrieval whose cases are evaluated. The row of evidence is
// still set in compiled.evaluator: skills' gates are evaluated there.
void offerMethods(const RetrievalInput &input, CompiledPolicy &compiled, Retrieval &retrieval);

} // namespace kernelskill
