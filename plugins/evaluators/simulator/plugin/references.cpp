// SPDX-License-Identifier: Apache-2.0
#include "references.h"

namespace kernelskill::simulator {

QCoro::Task<Result<QList<ReferenceFiles>>> makeReferences(Task, QList<PlannedCheck>, std::stop_token)
{
    co_return failure(QStringLiteral("simulator.reference"), QStringLiteral("not yet"));
}

} // namespace kernelskill::simulator
