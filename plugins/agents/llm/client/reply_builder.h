// SPDX-License-Identifier: Apache-2.0
// A reply out of the events of its stream.
#pragma once

#include "neutral/message.h"

namespace kernelskill::llm {

class ReplyBuilder
{
public:
    void add(const StreamEvent &event);
    // What the stream told of trouble, if anything.
    [[nodiscard]] const std::optional<StreamEvent> &error() const { return m_error; }
    [[nodiscard]] qsizetype characters() const { return m_reply.text.size() + m_reply.reasoning.size(); }
    [[nodiscard]] Reply take();

private:
    void addToolCall(const StreamEvent &event);
    void addUsage(const Usage &usage);

    Reply m_reply;
    QStringList m_toolKeys; // place of a call → its key
    std::optional<StreamEvent> m_error;
};

} // namespace kernelskill::llm
