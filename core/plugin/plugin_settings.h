// SPDX-License-Identifier: Apache-2.0
// What a person set for plugins: plugins.ini in the configuration folder, one group a plugin.
#pragma once

#include "base/result.h"

#include <QJsonObject>
#include <QString>

namespace kernelskill {

// The group "<kind>-<id>" ("evaluator-cuda"). Values are text, or lists of text where there are commas: whoever reads
// them turns text into numbers. Empty without the file.
[[nodiscard]] QJsonObject storedSettings(const QString &kind, const QString &id);

// Sets what `settings` names, takes away what is null or empty text there, and leaves the group's other keys. Errors:
// "settings.write" with the file.
[[nodiscard]] Result<void> storeSettings(const QString &kind, const QString &id, const QJsonObject &settings);

// `over` put over `settings`, name by name. With another address ("base_url") what was said of the old one goes: which key it
// gets, how, and whom to trust.
[[nodiscard]] QJsonObject mergedSettings(QJsonObject settings, const QJsonObject &over);
// Of an agent's settings in a session what a file may decide that came from who knows where: not which secret goes to
// whom, whom to trust, or what is written.
[[nodiscard]] QJsonObject trustedSettings(QJsonObject settings);

// `settings`, completed from what is stored.
[[nodiscard]] QJsonObject completedSettings(const QString &kind, const QString &id, const QJsonObject &settings);

} // namespace kernelskill
