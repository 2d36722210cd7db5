// SPDX-License-Identifier: Apache-2.0
// What a coroutine awaits: it gets its answer once control is back in the event loop, never inside a signal of the
// network.
#pragma once

#include "wire/transport.h"

#include <QObject>

#include <optional>

namespace kernelskill::llm {

class PendingAnswer : public QObject
{
    Q_OBJECT
public:
    void give(Result<HttpAnswer> result)
    {
        m_result = std::move(result);
        QMetaObject::invokeMethod(this, &PendingAnswer::arrived, Qt::QueuedConnection);
    }
    [[nodiscard]] const Result<HttpAnswer> &result() const { return *m_result; } // after arrived

Q_SIGNALS:
    void arrived();

private:
    std::optional<Result<HttpAnswer>> m_result;
};

} // namespace kernelskill::llm
