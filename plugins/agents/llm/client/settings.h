// SPDX-License-Identifier: Apache-2.0
// What a person sets for the agent `llm`: --agent-option, the form in the window, or plugins.ini. No secrets among it.
#pragma once

#include "agent/roles.h"
#include "money/spending.h"
#include "providers/provider.h"

#include <QMap>

namespace kernelskill::llm {

struct Settings
{
    Endpoint endpoint;   // without key
    QString keyVariable; // named by the person: read for whatever origin the endpoint has
    QString model;
    QMap<Role, QString> models; // <role>_model
    QString reasoning;
    std::optional<double> temperature;
    int maxOutputTokens = 16'384;
    int contextTokens = 131'072; // prompt and answer together
    std::optional<Price> price;
    DayLimits day;
    int retries = 5;
    int longestWait_s = 900; // for a provider's limit, before the run is left to be resumed
    int silence_s = 120;
    bool record = false; // of the cassette
    QString cassette;    // file; empty: none
    QString prompts;     // folder whose files go before the bundled ones
    QString caFile;
    bool allowPlainHttp = false;

    [[nodiscard]] bool isReplayed() const { return !cassette.isEmpty() && !record; } // from a cassette: nobody is asked
    [[nodiscard]] QString modelFor(Role role) const { return models.value(role, model); }
};

// Errors: settings.value, naming the setting, what stands there and what may.
[[nodiscard]] Result<Settings> settingsFrom(const QJsonObject &object);

} // namespace kernelskill::llm
