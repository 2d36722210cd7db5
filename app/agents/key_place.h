// SPDX-License-Identifier: Apache-2.0
// Which key an agent would use: for which address, and from which environment variables. Read from the "x-keys" of its
// settings' schema, the settings themselves and the environment.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace kernelskill {

struct KeyPlace
{
    QString origin;          // scheme, host and port; empty: nothing says yet whose key it is
    QStringList variables;   // read for variablesOrigin only
    QString variablesOrigin;
    bool isLocal = false;    // on this machine: none is needed
    friend bool operator==(const KeyPlace &, const KeyPlace &) = default;
};

// The setting that holds a service's address; empty for an agent that needs no keys.
[[nodiscard]] QString addressSetting(const QJsonObject &schema);
[[nodiscard]] KeyPlace keyPlaceOf(const QJsonObject &schema, const QJsonObject &settings);

} // namespace kernelskill
