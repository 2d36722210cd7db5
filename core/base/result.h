// SPDX-License-Identifier: Apache-2.0
// Errors are data: a code a program can test, a message a person can act on.
#pragma once

#include <QString>

#include <expected>
#include <utility>

namespace kernelskill {

struct Error
{
    QString code;    // dotted and stable: "task.syntax", "plugin.abi", "sandbox.unavailable"
    QString message; // one sentence: file, place, what was expected, remedy
    QString detail;  // log or context, may be long, may be empty

    friend bool operator==(const Error &, const Error &) = default;
};

template <class T> using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> failure(QString code, QString message, QString detail = {})
{
    return std::unexpected(Error{std::move(code), std::move(message), std::move(detail)});
}

} // namespace kernelskill
