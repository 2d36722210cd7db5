// SPDX-License-Identifier: Apache-2.0
#include "client/reply_builder.h"

#include <QJsonDocument>

#include <algorithm>

namespace kernelskill::llm {

void ReplyBuilder::add(const StreamEvent &event)
{
    switch (event.kind) {
    case StreamEvent::Kind::Text:
        m_reply.text += event.text;
        break;
    case StreamEvent::Kind::Reasoning:
        m_reply.reasoning += event.text;
        break;
    case StreamEvent::Kind::ToolCall:
        addToolCall(event);
        break;
    case StreamEvent::Kind::Usage:
        addUsage(event.usage);
        break;
    case StreamEvent::Kind::Stop:
        m_reply.stop = event.stop;
        break;
    case StreamEvent::Kind::Model:
        m_reply.model = event.text;
        break;
    case StreamEvent::Kind::Verbatim:
        for (const QJsonValue &part : event.verbatim)
            m_reply.verbatim.append(part);
        break;
    case StreamEvent::Kind::Error:
        if (!m_error) m_error = event;
        break;
    }
}

void ReplyBuilder::addToolCall(const StreamEvent &event)
{
    qsizetype place = m_toolKeys.indexOf(event.key);
    if (place < 0) {
        place = m_toolKeys.size();
        m_toolKeys.append(event.key);
        m_reply.toolCalls.append(ToolCall{});
    }
    ToolCall &call = m_reply.toolCalls[place];
    if (!event.id.isEmpty()) call.id = event.id;
    if (!event.name.isEmpty()) call.name = event.name;
    if (event.whole) {
        call.arguments = *event.whole;
        call.argumentsText = QString::fromUtf8(QJsonDocument(*event.whole).toJson(QJsonDocument::Compact));
    } else {
        call.argumentsText += event.text;
    }
}

// Providers tell it once or more often, in part or growing: the larger figure stands.
void ReplyBuilder::addUsage(const Usage &usage)
{
    Usage &known = m_reply.usage;
    known.tokensIn = std::max(known.tokensIn, usage.tokensIn);
    known.tokensCached = std::max(known.tokensCached, usage.tokensCached);
    known.tokensCacheWrite = std::max(known.tokensCacheWrite, usage.tokensCacheWrite);
    known.tokensOut = std::max(known.tokensOut, usage.tokensOut);
    known.tokensReasoning = std::max(known.tokensReasoning, usage.tokensReasoning);
    known.known = known.known || usage.known;
}

Reply ReplyBuilder::take()
{
    for (ToolCall &call : m_reply.toolCalls) {
        if (call.arguments.isEmpty()) call.arguments = QJsonDocument::fromJson(call.argumentsText.toUtf8()).object();
    }
    return std::move(m_reply);
}

} // namespace kernelskill::llm
