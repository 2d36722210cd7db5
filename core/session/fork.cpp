// SPDX-License-Identifier: Apache-2.0
#include "session/fork.h"

#include "session/session_file.h"
#include "session/trajectory.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace kernelskill {

namespace {

// "NAME-fork1.kss", "NAME-fork2.kss", …: the first that is free.
QString freePathBeside(const QString &path)
{
    const QFileInfo info(path);
    QString target;
    for (int i = 1; target.isEmpty() || QFileInfo::exists(target); ++i)
        target = info.dir().filePath(QStringLiteral("%1-fork%2.kss").arg(info.completeBaseName()).arg(i));
    return target;
}

Result<void> copyBlobs(const SessionFile &from, SessionFile &to, const Event &event)
{
    for (const QString &digest : blobsOf(event)) {
        auto content = from.blob(digest);
        if (!content) return std::unexpected(content.error());
        if (auto put = to.putBlob(*content); !put) return std::unexpected(put.error());
    }
    return {};
}

} // namespace

Result<QString> forkSession(const QString &path, int nodeId, QString target)
{
    auto source = SessionFile::open(path, true);
    if (!source) return std::unexpected(source.error());
    auto all = source->events();
    if (!all) return std::unexpected(all.error());
    qsizetype end = -1;
    for (qsizetype i = 0; i < all->size(); ++i) {
        const Event &event = all->at(i);
        if (event.kind == u"node.evaluated" && event.data.value("node").toInt() == nodeId) end = i + 1;
    }
    if (end < 0)
        return failure("session.node",
                       QStringLiteral("%1: node %2 was never evaluated; “kernelskill session show” lists the nodes").arg(path).arg(nodeId));
    const Trajectory trajectory = Trajectory::fold(*all);
    const TrajectoryNode *node = trajectory.node(nodeId);
    if (!node || !canBeBuiltOn(*node))
        return failure("session.node", QStringLiteral("node %1 is %2; fork from a node that passed its checks")
                                           .arg(nodeId)
                                           .arg(node ? toString(node->state) : QStringLiteral("unknown")));
    if (target.isEmpty()) target = freePathBeside(path);
    auto file = SessionFile::create(target);
    if (!file) return std::unexpected(file.error());
    QList<Event> events = all->first(end);
    for (const Event &event : std::as_const(events)) {
        if (auto copied = copyBlobs(*source, *file, event); !copied) return std::unexpected(copied.error());
    }
    events.append(Event{0, QStringLiteral("node.promoted"), 0, {{"node", nodeId}, {"base", true}, {"best", false}}});
    if (auto appended = file->append(events); !appended) return std::unexpected(appended.error());
    return target;
}

} // namespace kernelskill
