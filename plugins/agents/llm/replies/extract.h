// SPDX-License-Identifier: Apache-2.0
// What is wanted, out of what a model wrote. Models wrap, explain, forget a fence, think aloud, stop half-way; nothing of
// that may cost a round where the meaning is plain. Pure. Never fails hard: what could not be had is said in a sentence.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace kernelskill::llm {

// What happened to a reply, for the transcript: what was taken, what dropped, and why.
struct Extraction
{
    QStringList notes;        // "took the second of 3 code blocks: it defines solve", "dropped 812 characters of thinking"
    QString problem;          // empty: there is a result. Else what is missing, in words a model can act on
    bool truncated = false;   // it stops in the middle: worth asking to go on
};

struct ExtractedObject : Extraction
{
    std::optional<QJsonObject> object;
};

struct ExtractedCode : Extraction
{
    QString code;             // whole file, ends in \n
};

// One change of a file: `before` stands in it exactly once and is replaced by `after`.
struct Edit
{
    QString before, after;
};

struct ExtractedChange : Extraction
{
    QString code;             // a whole file, or
    QList<Edit> edits;        // edits; not both
};

// The JSON object of a reply. `required`: keys that tell it from other objects in the text. Takes fenced and bare objects,
// prose around them, comments and trailing commas, single quotes, Python's True/False/None, thinking blocks before it, a
// string-encoded object, the object inside {"reply": {…}} or a list of one; of several the last complete one that has all
// required keys.
[[nodiscard]] ExtractedObject extractObject(const QString &reply, const QStringList &required);

// Checks against a JSON Schema of our own subset (type, properties, required, items, enum, additionalProperties, minLength,
// maxItems, nullable as ["string", "null"]). Empty: it fits; else "/plan/skill: expected one of a, b". Keys that are no part
// of it are dropped from `object` and told in `notes`; numbers in strings and strings for lists of one are mended.
[[nodiscard]] QString fitToSchema(QJsonObject &object, const QJsonObject &schema, QStringList &notes);

// CUDA C++ that defines `entry` (`solve`). Fences with any or no language tag, missing closing fence, several blocks (the
// one that defines entry; when a file was split over blocks in order, joined), a JSON string with escapes, HTML-escaped
// code, line numbers or diff markers in front of all lines, prose before and after without any fence.
[[nodiscard]] ExtractedCode extractCode(const QString &reply, const QString &entry);

// A whole file as above, or edits: blocks of
//     <<<<<<< before
//     …
//     =======
//     …
//     >>>>>>> after
// with any number of < = > from 5 on and any word or none behind, fenced or not, or a unified diff.
[[nodiscard]] ExtractedChange extractChange(const QString &reply, const QString &entry);

// The file with all edits made, or why one does not apply ("edit 2: its first line stands nowhere in the file"). A `before`
// that differs from the file only in spacing is found all the same; one that stands twice is refused.
struct Applied
{
    QString code;      // empty when problem is set
    QString problem;
    QStringList notes;
};
[[nodiscard]] Applied applyEdits(const QString &file, const QList<Edit> &edits);

// A reply that stopped at its length limit and what came when asked to go on: joined without repeating the overlap.
[[nodiscard]] QString joinContinuation(const QString &first, const QString &second);

} // namespace kernelskill::llm
