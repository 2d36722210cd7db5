// SPDX-License-Identifier: Apache-2.0
#include "engine/replay.h"

#include <QFileInfo>

#include <algorithm>

namespace kernelskill {

Result<RunSettings> replaySettings(const QString &sessionPath, const QString &speed)
{
    const auto recording = Recording::read(sessionPath);
    if (!recording) return std::unexpected(recording.error());
    auto recorded = RunSettings::fromJson(recording->settings);
    if (!recorded) return recorded;
    RunSettings settings = *recorded;
    const QString id = QString::fromLatin1(replayAgent);
    settings.agent = id;
    settings.cast.clear();
    settings.agentSettings = {{id, QJsonObject{{"session", QFileInfo(sessionPath).absoluteFilePath()}, {"speed", speed}}}};
    settings.rounds = std::max(1, recording->rounds);
    settings.longTerm = LongTerm::Frozen;
    settings.budget = {};
    settings.plateauRounds = 0;
    settings.rooflineFraction = 0;
    settings.stepMode = false;
    return settings;
}

} // namespace kernelskill
