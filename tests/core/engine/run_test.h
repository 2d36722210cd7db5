// SPDX-License-Identifier: Apache-2.0
// What the tests of a whole run share: playing one with a fake evaluator and agent, and reading what it left.
#pragma once

#include "fake_players.h"

#include <QCoroTask>
#include <QTest>

namespace kernelskill::test {

class RunTest : public QObject
{
protected:
    Result<RunSummary> play(const QString &session, const RunSettings &settings, const FakePlayers &players = {},
                            SkillStore *store = nullptr)
    {
        Run run(players.factory(), store);
        return QCoro::waitFor(run.start(settings, m_world.path(session)));
    }
    FakeWorld m_world;
};

// One line a node: what was decided, without times.
inline QStringList outline(const Trajectory &trajectory)
{
    QStringList lines;
    for (const TrajectoryNode &node : trajectory.nodes) {
        lines.append(QStringLiteral("%1<%2 r%3 %4 %5 %6%7%8")
                         .arg(node.id)
                         .arg(node.parent)
                         .arg(node.round)
                         .arg(node.kind, node.skill.isEmpty() ? QStringLiteral("-") : node.skill, toString(node.state),
                              node.wasBase ? QStringLiteral(" base") : QString(),
                              node.isBest ? QStringLiteral(" best") : QString()));
    }
    return lines;
}

inline Trajectory read(const QString &path)
{
    auto file = SessionFile::open(path, true);
    if (!file) qFatal("%s", qPrintable(file.error().message));
    return Trajectory::fold(*file->events());
}

} // namespace kernelskill::test
