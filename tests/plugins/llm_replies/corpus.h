// SPDX-License-Identifier: Apache-2.0
// The corpus of reply shapes: corpus/NAME.txt. A file is a list of sections, each behind a line "%% …":
//     %% object KEYS… | code ENTRY | change ENTRY      how the reply is read
//     %% reply [escapes]                               the reply; with "escapes" \r and \uXXXX in it are resolved
//     %% object | code | before, after …               what comes out, exactly
//     %% problem TEXT, note TEXT                       a part of the problem; a part of one of the notes
//     %% truncated                                     it stops in the middle
// The line end in front of a %% line belongs to that line.
#pragma once

#include "replies/extract.h"

namespace kernelskill::llm {

struct Shape
{
    QString kind;            // "object", "code", "change"
    QStringList arguments;   // required keys, or the entry
    QString reply;
    std::optional<QJsonObject> object;
    QString code;
    QList<Edit> edits;
    QString problem;
    QStringList notes;
    bool truncated = false;
};

[[nodiscard]] QStringList shapeNames();
// The test stops at a file it can't read.
[[nodiscard]] Shape shape(const QString &name);

} // namespace kernelskill::llm
