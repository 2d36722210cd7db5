// SPDX-License-Identifier: Apache-2.0
// A message to or from a model, taken apart for reading: prose, material between data marks, fenced code. Pure.
#pragma once

#include <QList>
#include <QString>

namespace kernelskill {

struct MessagePart
{
    enum class Kind { Prose, Data, Code };
    Kind kind = Kind::Prose;
    QString title; // name of the data, language of the code
    QString text;  // without marks and fences
    friend bool operator==(const MessagePart &, const MessagePart &) = default;
};

// `<<<data NAME id=ID` … `data id=ID>>>` belong together by their id; what looks like marks or fences within data is data. An
// open end reaches to the end of the message. Parts that are blank are left out.
[[nodiscard]] QList<MessagePart> messageParts(const QString &text);

} // namespace kernelskill
