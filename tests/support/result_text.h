// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <QByteArray>

namespace kernelskill::test {

// The error in words, for QVERIFY2, which asks for its text also when all is well; empty then.
template <class Value> [[nodiscard]] QByteArray errorIn(const Result<Value> &result)
{
    return result ? QByteArray() : result.error().message.toUtf8();
}

} // namespace kernelskill::test
