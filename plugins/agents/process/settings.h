// SPDX-License-Identifier: Apache-2.0
// Which program plays, where, for how long, and what of our environment it sees. Pure but for looking the program up.
#pragma once

#include "agent/roles.h"

#include <QJsonObject>
#include <QProcessEnvironment>

#include <optional>

namespace kernelskill::process {

// The words of a command line as a POSIX shell takes them: '…' as it stands, "…" with \" \\ \$ \` in it, \ before any other
// character. Nothing is expanded or run: $HOME, * and | stand for themselves. Errors: settings.value.
[[nodiscard]] Result<QStringList> wordsOf(const QString &commandLine);

struct Settings
{
    QString program; // absolute
    QStringList arguments;
    QString folder; // absolute
    int timeout_ms = 300'000; // of one call
    std::optional<QList<Role>> roles; // missing: the program says
    QStringList environment; // variables it gets although they look like keys

    // Text values, or lists of text where there were commas (plugins.ini). Errors: settings.value, agent.program where it is
    // not there or cannot be executed.
    [[nodiscard]] static Result<Settings> read(const QJsonObject &settings);
};

// A variable's name that ends as those of keys and passwords do: _API_KEY, _TOKEN, …
[[nodiscard]] bool namesASecret(const QString &variable);
// `whole` without what names a secret, but for `kept`.
[[nodiscard]] QProcessEnvironment withoutSecrets(const QProcessEnvironment &whole, const QStringList &kept);

} // namespace kernelskill::process
