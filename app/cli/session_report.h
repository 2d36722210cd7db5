// SPDX-License-Identifier: Apache-2.0
// A session in words, as JSON and as a page of HTML that needs nothing else.
#pragma once

#include "session/session_file.h"
#include "session/trajectory.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QString>

namespace kernelskill::cli {

QString nodeLine(const TrajectoryNode &node);
QString sessionLine(const Trajectory &trajectory);
QJsonObject sessionSummary(const Trajectory &trajectory);
QJsonArray nodesJson(const Trajectory &trajectory);
QString sessionHtml(const SessionFile &file, const Trajectory &trajectory);

// What the session's talk with language models came to, in all and by role; nothing where there was none.
[[nodiscard]] QStringList usageLines(const Trajectory &trajectory);

} // namespace kernelskill::cli
