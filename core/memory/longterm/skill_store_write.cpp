// SPDX-License-Identifier: Apache-2.0
// Changing skills: revisions, states, undo. Each change is one transaction and one row of history.
#include "memory/longterm/skill_store_impl.h"

#include "memory/longterm/skill_reader.h"

namespace kernelskill {

namespace {

QString personOr(const QString &author)
{
    return author.isEmpty() ? QStringLiteral("person") : author;
}

} // namespace

Result<QString> SkillStore::Impl::putContent(const QSqlDatabase &db, const QByteArray &bytes) const
{
    const QString digest = contentDigest(bytes);
    // A null QByteArray would be SQL's NULL.
    const QByteArray stored = bytes.isNull() ? QByteArray("") : bytes;
    auto added =
        sql::run(db, QStringLiteral("INSERT OR IGNORE INTO contents(digest, bytes) VALUES(?, ?)"), {digest, stored});
    if (!added) return trouble(added.error());
    return digest;
}

Result<void> SkillStore::Impl::putFiles(const QSqlDatabase &db, const QString &name, int revision,
                                        const QList<SkillAttachment> &attachments) const
{
    for (const SkillAttachment &attachment : attachments) {
        auto content = putContent(db, attachment.bytes);
        if (!content) return std::unexpected(content.error());
        auto added = sql::run(db,
                              QStringLiteral("INSERT INTO attachments(skill, revision, path, content, executable) "
                                             "VALUES(?, ?, ?, ?, ?)"),
                              {name, revision, attachment.path, *content, attachment.executable ? 1 : 0});
        if (!added) return trouble(added.error());
    }
    return {};
}

Result<void> SkillStore::Impl::copyFiles(const QSqlDatabase &db, const QString &name, int from, int to) const
{
    auto copied = sql::run(db,
                           QStringLiteral("INSERT INTO attachments(skill, revision, path, content, executable) "
                                          "SELECT skill, ?, path, content, executable FROM attachments "
                                          "WHERE skill = ? AND revision = ?"),
                           {to, name, from});
    if (!copied) return trouble(copied.error());
    return {};
}

Result<int> SkillStore::Impl::addRevision(const QSqlDatabase &db, const QString &name, const QByteArray &text,
                                          const QString &reason, const QString &author) const
{
    auto parsed = parseSkillText(decodeSkillText(text), name + QStringLiteral("/SKILL.md"), name);
    if (!parsed) return std::unexpected(parsed.error());
    parsed->name = name;
    auto latest =
        sql::value(db, QStringLiteral("SELECT coalesce(max(revision), 0) FROM revisions WHERE skill = ?"), {name});
    if (!latest) return trouble(latest.error());
    const int revision = latest->toInt() + 1;
    auto content = putContent(db, text);
    if (!content) return std::unexpected(content.error());
    auto added =
        sql::run(db,
                 QStringLiteral("INSERT INTO revisions(skill, revision, author, reason, content, when_ms, "
                                "reader, reading) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
                 {name, revision, author, reason, *content, now_ms(), skillReaderVersion, packReading(*parsed)});
    if (!added) return trouble(added.error());
    auto pointed = sql::run(db, QStringLiteral("UPDATE skills SET revision = ? WHERE name = ?"), {revision, name});
    if (!pointed) return trouble(pointed.error());
    if (auto indexed = index(db, *parsed); !indexed) return std::unexpected(indexed.error());
    return revision;
}

Result<void> SkillStore::Impl::addSkill(const QSqlDatabase &db, const QString &name, SkillState state,
                                        const QString &stateReason, const QString &source) const
{
    auto made = sql::run(db,
                         QStringLiteral("INSERT INTO skills(name, revision, state, state_reason, source, disk_digest) "
                                        "VALUES(?, 0, ?, ?, ?, '')"),
                         {name, toString(state), stateReason, source});
    if (!made) return trouble(made.error());
    return {};
}

// What was before is in the last change; a skill's first change follows revision 0 in the state it was made with.
Result<void> SkillStore::Impl::noteChange(const QSqlDatabase &db, const NewChange &change) const
{
    auto row = sql::run(db,
                        QStringLiteral("SELECT s.state, s.state_reason, coalesce((SELECT revision FROM changes WHERE "
                                       "skill = s.name ORDER BY id DESC LIMIT 1), 0) FROM skills s WHERE s.name = ?"),
                        {change.name});
    if (!row) return trouble(row.error());
    if (!row->next()) return failure("memory.no_skill", QStringLiteral("there is no skill '%1'").arg(change.name));
    const QString stateBefore = row->value(0).toString(), reasonBefore = row->value(1).toString();
    const int revisionBefore = row->value(2).toInt();
    row->finish();
    const QString state = change.state ? toString(*change.state) : stateBefore;
    const QString stateReason = change.state ? change.stateReason : reasonBefore;
    if (change.state) {
        auto changed = sql::run(db, QStringLiteral("UPDATE skills SET state = ?, state_reason = ? WHERE name = ?"),
                                {state, stateReason, change.name});
        if (!changed) return trouble(changed.error());
    }
    auto noted =
        sql::run(db,
                 QStringLiteral("INSERT INTO changes(skill, revision, previous_revision, state, previous_state, "
                                "state_reason, previous_state_reason, reason, author, when_ms, undoes) "
                                "VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
                 {change.name, change.revision, revisionBefore, state, stateBefore, stateReason, reasonBefore,
                  change.reason, change.author, now_ms(), change.undoes ? QVariant(*change.undoes) : QVariant()});
    if (!noted) return trouble(noted.error());
    return {};
}

Result<void> SkillStore::setState(const QString &name, SkillState state, const QString &reason, const QString &author)
{
    auto db = m_impl->writable();
    if (!db) return std::unexpected(db.error());
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    auto row = m_impl->known(*db, name);
    if (!row) return std::unexpected(row.error());
    auto noted = m_impl->noteChange(*db, {name, reason, personOr(author), row->revision, state, reason, {}});
    if (!noted) return noted;
    return m_impl->commit(**transaction);
}

Result<Skill> SkillStore::edit(const QString &name, const QString &text, const QString &reason, const QString &author)
{
    auto parsed = parseSkillText(text, name + QStringLiteral("/SKILL.md"), name);
    if (!parsed) return parsed;
    if (parsed->name != name) {
        return failure("skill.syntax",
                       QStringLiteral("the text names the skill '%1', not '%2'").arg(parsed->name, name));
    }
    if (text.toUtf8().size() > maximumSkillTextBytes) {
        return failure("skill.syntax",
                       QStringLiteral("the text is larger than 1 MiB; put long material under references/"));
    }
    auto db = m_impl->writable();
    if (!db) return std::unexpected(db.error());
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    auto row = m_impl->stored(*db, name);
    if (!row) return std::unexpected(row.error());
    // A name nobody knew yet becomes a draft: it is not offered before a person accepts it.
    if (!*row) {
        if (auto made = m_impl->addSkill(*db, name, SkillState::Draft, reason, {}); !made)
            return std::unexpected(made.error());
    }
    auto revision = m_impl->addRevision(*db, name, text.toUtf8(), reason, personOr(author));
    if (!revision) return std::unexpected(revision.error());
    if (*row) {
        if (auto copied = m_impl->copyFiles(*db, name, (*row)->revision, *revision); !copied)
            return std::unexpected(copied.error());
    }
    auto noted = m_impl->noteChange(*db, {name, reason, personOr(author), *revision, {}, {}, {}});
    if (!noted) return std::unexpected(noted.error());
    if (auto done = m_impl->commit(**transaction); !done) return std::unexpected(done.error());
    auto stored = skill(name);
    if (!stored) return std::unexpected(stored.error());
    return std::move(**stored);
}

Result<Skill> SkillStore::restore(const QString &name, int revision, const QString &reason, const QString &author)
{
    auto db = m_impl->writable();
    if (!db) return std::unexpected(db.error());
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    if (auto row = m_impl->known(*db, name); !row) return std::unexpected(row.error());
    auto text = m_impl->text(*db, name, revision);
    if (!text) return std::unexpected(text.error());
    const QString why = reason.isEmpty() ? QStringLiteral("revision %1 again").arg(revision) : reason;
    auto made = m_impl->addRevision(*db, name, *text, why, personOr(author));
    if (!made) return std::unexpected(made.error());
    if (auto copied = m_impl->copyFiles(*db, name, revision, *made); !copied) return std::unexpected(copied.error());
    auto noted = m_impl->noteChange(*db, {name, why, personOr(author), *made, {}, {}, {}});
    if (!noted) return std::unexpected(noted.error());
    if (auto done = m_impl->commit(**transaction); !done) return std::unexpected(done.error());
    auto stored = skill(name);
    if (!stored) return std::unexpected(stored.error());
    return std::move(**stored);
}

namespace {

// Of a skill: its changes that undo takes back, the last one first. What made it is none, nor is an undo.
QString undoableChanges(const QString &columns)
{
    return QStringLiteral("SELECT %1 FROM changes WHERE skill = ? AND undone = 0 AND undoes IS NULL AND "
                          "previous_revision > 0 ORDER BY id DESC LIMIT 1")
        .arg(columns);
}

} // namespace

Result<bool> SkillStore::canUndo(const QString &name) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto last = sql::run(*db, undoableChanges(QStringLiteral("id")), {name});
    if (!last) return m_impl->trouble(last.error());
    return last->next() && !isReadOnly();
}

Result<QString> SkillStore::undo(const QString &name, const QString &author)
{
    auto db = m_impl->writable();
    if (!db) return std::unexpected(db.error());
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    auto row = m_impl->known(*db, name);
    if (!row) return std::unexpected(row.error());
    auto last = sql::run(*db,
                         undoableChanges(QStringLiteral("id, revision, previous_revision, state, previous_state, state_reason, "
                                                        "previous_state_reason")),
                         {name});
    if (!last) return m_impl->trouble(last.error());
    if (!last->next()) {
        return failure(
            "memory.nothing_to_undo",
            QStringLiteral("skill '%1' has no change to take back; `kernelskill skills history %1` lists them")
                .arg(name));
    }
    const qint64 id = last->value(0).toLongLong();
    const int changedTo = last->value(1).toInt(), before = last->value(2).toInt();
    const QString stateBefore = last->value(4).toString(), reasonBefore = last->value(6).toString();
    const bool ofState = last->value(3).toString() != stateBefore || last->value(5).toString() != reasonBefore;
    last->finish();
    NewChange change{name, {}, personOr(author), row->revision, {}, {}, id};
    QStringList said;
    if (changedTo != before) {
        auto text = m_impl->text(*db, name, before);
        if (!text) return std::unexpected(text.error());
        change.reason = QStringLiteral("undo of revision %1").arg(changedTo);
        auto made = m_impl->addRevision(*db, name, *text, change.reason, change.author);
        if (!made) return std::unexpected(made.error());
        if (auto copied = m_impl->copyFiles(*db, name, before, *made); !copied) return std::unexpected(copied.error());
        change.revision = *made;
        said.append(QStringLiteral("revision %1 is revision %2 again").arg(*made).arg(before));
    }
    if (ofState) {
        change.state = skillStateFromString(stateBefore);
        change.stateReason = reasonBefore;
        if (change.reason.isEmpty()) change.reason = QStringLiteral("undo");
        said.append(QStringLiteral("it is %1 again").arg(stateBefore));
    }
    if (auto noted = m_impl->noteChange(*db, change); !noted) return std::unexpected(noted.error());
    auto marked = sql::run(*db, QStringLiteral("UPDATE changes SET undone = 1 WHERE id = ?"), {id});
    if (!marked) return m_impl->trouble(marked.error());
    if (auto done = m_impl->commit(**transaction); !done) return std::unexpected(done.error());
    if (said.isEmpty()) said.append(QStringLiteral("the change left everything as it was"));
    return QStringLiteral("%1: %2").arg(name, said.join(QStringLiteral(", ")));
}

Result<void> SkillStore::Impl::refreshReadings(const QSqlDatabase &db) const
{
    auto rows =
        sql::run(db,
                 QStringLiteral("SELECT s.name, s.revision, c.bytes FROM skills s JOIN revisions r ON r.skill = "
                                "s.name AND r.revision = s.revision JOIN contents c ON c.digest = r.content "
                                "WHERE r.reader <> ?"),
                 {skillReaderVersion});
    if (!rows) return trouble(rows.error());
    struct Fresh
    {
        Skill skill;
        int revision;
    };
    std::vector<Fresh> fresh;
    while (rows->next()) {
        const QString name = rows->value(0).toString();
        auto skill =
            parseSkillText(decodeSkillText(rows->value(2).toByteArray()), name + QStringLiteral("/SKILL.md"), name);
        if (!skill) continue; // problems() lists it
        skill->name = name;
        fresh.push_back({std::move(*skill), rows->value(1).toInt()});
    }
    rows->finish();
    if (fresh.empty()) return {};
    auto transaction = begin(db);
    if (!transaction) return std::unexpected(transaction.error());
    for (const Fresh &one : fresh) {
        auto updated = sql::run(db,
                                QStringLiteral("UPDATE revisions SET reader = ?, reading = ? WHERE skill = ? AND "
                                               "revision = ?"),
                                {skillReaderVersion, packReading(one.skill), one.skill.name, one.revision});
        if (!updated) return trouble(updated.error());
        if (auto indexed = index(db, one.skill); !indexed) return indexed;
    }
    return commit(**transaction);
}

} // namespace kernelskill
