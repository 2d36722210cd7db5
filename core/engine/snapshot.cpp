// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot.h"

#include "base/paths.h"
#include "retrieval/policy_reader.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace kernelskill {

namespace {

constexpr qint64 maximumTaskFileBytes = 4 << 20;

QJsonObject toJson(const SkillStatistics &row)
{
    return {{"skill", row.skill},
            {"architecture", row.architecture},
            {"bottleneck", row.bottleneck},
            {"structure", row.structure},
            {"uses", row.uses},
            {"wins", row.wins},
            {"losses", row.losses},
            {"sum", row.sumLogSpeedup},
            {"sum_squared", row.sumSquaredLogSpeedup}};
}

SkillStatistics statisticsFromJson(const QJsonObject &object)
{
    return {object.value("skill").toString(),      object.value("architecture").toString(),
            object.value("bottleneck").toString(), object.value("structure").toString(),
            object.value("uses").toInt(),          object.value("wins").toInt(),
            object.value("losses").toInt(),        object.value("sum").toDouble(),
            object.value("sum_squared").toDouble()};
}

// Long-term memory off: an agent may still be told that a method exists, not what the memory says of it.
Skill nameOnly(const Skill &skill)
{
    Skill bare;
    bare.name = skill.name;
    bare.title = skill.title;
    bare.method = skill.method;
    bare.languages = skill.languages;
    bare.revision = skill.revision;
    return bare;
}

Result<QList<Skill>> skillsOf(const SkillStore *store)
{
    if (store) return store->skills();
    auto shipped = SkillStore::open(QStringLiteral(":memory:"), paths::skills());
    if (!shipped) return std::unexpected(shipped.error());
    return shipped->skills();
}

} // namespace

Result<MemorySnapshot> MemorySnapshot::take(const RunSettings &settings, const SkillStore *store,
                                            const QString &taskName)
{
    MemorySnapshot snapshot;
    auto policy = policyInForce(settings.policy);
    if (!policy) return std::unexpected(policy.error());
    snapshot.policy = policy->policy;
    for (const Error &problem : policy->problems)
        snapshot.problems.append(problem.message + QStringLiteral(": ") + problem.detail);
    auto skills = skillsOf(store);
    if (!skills) return std::unexpected(skills.error());
    snapshot.skills = *skills;
    if (settings.longTerm == LongTerm::Off) {
        for (Skill &skill : snapshot.skills)
            skill = nameOnly(skill);
        return snapshot;
    }
    if (store) {
        const bool frozen = settings.longTerm == LongTerm::Frozen;
        std::optional<qint64> upToRow;
        if (frozen) {
            auto row = store->frozenAt();
            if (!row) return std::unexpected(row.error());
            upToRow = *row;
        }
        auto statistics = store->statistics(frozen ? taskName : QString(), upToRow);
        if (!statistics) return std::unexpected(statistics.error());
        snapshot.statistics = *statistics;
    }
    return snapshot;
}

Result<QJsonObject> MemorySnapshot::store(Journal &journal) const
{
    QJsonArray skillArray, statisticsArray;
    for (const Skill &skill : skills)
        skillArray.append(skill.toJson());
    for (const SkillStatistics &row : statistics.rows())
        statisticsArray.append(toJson(row));
    auto policyBlob = journal.putText(policy.text);
    if (!policyBlob) return std::unexpected(policyBlob.error());
    auto skillsBlob = journal.putJson({{"skills", skillArray}});
    if (!skillsBlob) return std::unexpected(skillsBlob.error());
    auto statisticsBlob = journal.putJson({{"statistics", statisticsArray}});
    if (!statisticsBlob) return std::unexpected(statisticsBlob.error());
    QJsonObject data{{"policy_blob", *policyBlob},
                     {"skills_blob", *skillsBlob},
                     {"statistics_blob", *statisticsBlob},
                     {"policy_source", policy.source}};
    if (!problems.isEmpty()) data.insert("problems", QJsonArray::fromStringList(problems));
    return data;
}

Result<MemorySnapshot> MemorySnapshot::load(const Journal &journal)
{
    const Trajectory &trajectory = journal.trajectory();
    auto policyText = journal.file().blob(trajectory.policyBlob);
    if (!policyText) return std::unexpected(policyText.error());
    // Whether all its cases can be reached was checked when it was taken.
    auto policy = readPolicyText({QString::fromUtf8(*policyText), QStringLiteral("the session's policy")});
    if (!policy) return std::unexpected(policy.error());
    auto skills = journal.json(trajectory.skillsBlob);
    if (!skills) return std::unexpected(skills.error());
    auto statistics = journal.json(trajectory.statisticsBlob);
    if (!statistics) return std::unexpected(statistics.error());
    MemorySnapshot snapshot;
    snapshot.policy = *policy;
    for (const QJsonValue &value : skills->value("skills").toArray())
        snapshot.skills.append(Skill::fromJson(value.toObject()));
    QList<SkillStatistics> rows;
    for (const QJsonValue &value : statistics->value("statistics").toArray())
        rows.append(statisticsFromJson(value.toObject()));
    snapshot.statistics = rows;
    return snapshot;
}

const Skill *MemorySnapshot::skill(const QString &name) const
{
    const auto found = std::ranges::find(skills, name, &Skill::name);
    return found == skills.end() ? nullptr : &*found;
}

QJsonObject taskFiles(const Task &task)
{
    QJsonObject files;
    const QDir folder(task.folder);
    for (const QFileInfo &entry : folder.entryInfoList(QDir::Files, QDir::Name)) {
        QFile file(entry.absoluteFilePath());
        if (entry.size() > maximumTaskFileBytes || !file.open(QIODevice::ReadOnly)) continue;
        files.insert(entry.fileName(), QString::fromUtf8(file.readAll()));
    }
    return files;
}

Result<SessionTask> taskOf(const SessionFile &file, const Trajectory &trajectory)
{
    auto text = file.blob(trajectory.taskBlob);
    if (!text) return std::unexpected(text.error());
    const QJsonObject files = QJsonDocument::fromJson(*text).object();
    // The folder as it is now serves when its texts are the session's; a changed or lost folder does not change a run.
    if (auto task = readTask(trajectory.taskFolder); task && taskFiles(*task) == files)
        return SessionTask{*task, nullptr};
    SessionTask result;
    result.restored = std::make_shared<QTemporaryDir>();
    if (!result.restored->isValid()) return failure("session.task", result.restored->errorString());
    const QDir parent(result.restored->path());
    const QString folderName = QFileInfo(trajectory.taskFolder).fileName();
    if (!parent.mkpath(folderName))
        return failure("session.task", QStringLiteral("%1: cannot be made").arg(parent.filePath(folderName)));
    const QDir folder(parent.filePath(folderName));
    for (auto entry = files.begin(); entry != files.end(); ++entry) {
        const QString name = QFileInfo(entry.key()).fileName(); // a session from a stranger names no paths
        QFile copy(folder.filePath(name));
        if (!copy.open(QIODevice::WriteOnly) || copy.write(entry.value().toString().toUtf8()) < 0) {
            return failure("session.task", QStringLiteral("%1: %2").arg(copy.fileName(), copy.errorString()));
        }
    }
    auto task = readTask(folder.path());
    if (!task) return std::unexpected(task.error());
    result.task = *task;
    return result;
}

} // namespace kernelskill
