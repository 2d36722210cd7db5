// SPDX-License-Identifier: Apache-2.0
#include "neutral/message.h"

namespace kernelskill::llm {

QString toString(Stop stop)
{
    switch (stop) {
    case Stop::End:
        return QStringLiteral("end");
    case Stop::Length:
        return QStringLiteral("length");
    case Stop::ToolCalls:
        return QStringLiteral("tool_calls");
    case Stop::Refusal:
        return QStringLiteral("refusal");
    case Stop::Filter:
        return QStringLiteral("filter");
    }
    return {};
}

Message Reply::asMessage() const
{
    return {Message::From::Assistant, text, toolCalls, {}, verbatim};
}

} // namespace kernelskill::llm
