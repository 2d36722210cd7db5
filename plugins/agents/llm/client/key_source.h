// SPDX-License-Identifier: Apache-2.0
// Where the key of an endpoint is looked for.
#pragma once

#include "client/settings.h"

#include <QJsonObject>
#include <QStringList>

namespace kernelskill::llm {

struct KeySource
{
    QString origin;          // whose key it is
    QStringList variables;   // of the environment, read for variablesOrigin only
    QString variablesOrigin;
    bool isNeeded = true;    // nothing on this machine asks for one, nor does a cassette that is played
};

[[nodiscard]] KeySource keySourceOf(const Settings &settings);

// For `doctor`: whether there is a key and where, as far as that can be told without asking the keychain.
[[nodiscard]] QJsonObject keyDoctorLine(const Settings &settings);

} // namespace kernelskill::llm
