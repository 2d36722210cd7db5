// SPDX-License-Identifier: Apache-2.0
// The skill store's inside, shared by its .cpp files. Functions that take a database run inside the caller's
// transaction.
#pragma once

#include "base/sql_connections.h"
#include "memory/longterm/skill_store.h"

#include <QTemporaryDir>

namespace kernelskill {

// Who wrote a revision that came with the program.
inline const QString shippedAuthor = QStringLiteral("kernelskill");

// An attachment as the database has it: its bytes stand once, under their digest.
struct StoredFile
{
    QString path, digest;
    bool executable = false;
};

// A row of skills with its current revision.
struct StoredSkill
{
    QString name, source, stateReason, author, diskDigest;
    int revision = 0;
    SkillState state = SkillState::Active;
    int readerVersion = 0;
    QByteArray reading, text;
};

// A change of text, state or both, before it is stored.
struct NewChange
{
    QString name, reason, author;
    int revision = 0;                // after the change
    std::optional<SkillState> state; // none: stays
    QString stateReason;
    std::optional<qint64> undoes;
};

struct SkillStore::Impl
{
    Impl(const QString &shownPath, const QString &path, const QString &options, QStringList pragmas)
        : path(shownPath), connections(path, options, std::move(pragmas))
    {
    }
    [[nodiscard]] Result<QSqlDatabase> database() const;
    [[nodiscard]] Result<QSqlDatabase> writable() const; // fails in a read-only store
    [[nodiscard]] std::unexpected<Error> trouble(const Error &error) const;
    [[nodiscard]] Result<std::unique_ptr<sql::Transaction>> begin(const QSqlDatabase &db) const;
    [[nodiscard]] Result<void> commit(sql::Transaction &transaction) const;

    // Reading.
    [[nodiscard]] Result<std::optional<StoredSkill>> stored(const QSqlDatabase &db, const QString &name) const;
    [[nodiscard]] Result<StoredSkill> known(const QSqlDatabase &db, const QString &name) const; // "memory.no_skill"
    // Empty when neither it nor any earlier revision can be read.
    [[nodiscard]] Result<std::optional<Skill>> served(const QSqlDatabase &db, const StoredSkill &row,
                                                      bool withText = true) const;
    [[nodiscard]] Result<QByteArray> text(const QSqlDatabase &db, const QString &name, int revision) const;
    [[nodiscard]] Result<QList<StoredFile>> files(const QSqlDatabase &db, const QString &name, int revision) const;
    [[nodiscard]] Result<QByteArray> packageDigest(const QSqlDatabase &db, const QString &name, int revision) const;

    // Writing.
    [[nodiscard]] Result<QString> putContent(const QSqlDatabase &db, const QByteArray &bytes) const;
    [[nodiscard]] Result<void> putFiles(const QSqlDatabase &db, const QString &name, int revision,
                                        const QList<SkillAttachment> &attachments) const;
    [[nodiscard]] Result<void> copyFiles(const QSqlDatabase &db, const QString &name, int from, int to) const;
    // Stores the text and makes it the current revision; the attachments are the caller's.
    [[nodiscard]] Result<int> addRevision(const QSqlDatabase &db, const QString &name, const QByteArray &text,
                                          const QString &reason, const QString &author) const;
    [[nodiscard]] Result<void> addSkill(const QSqlDatabase &db, const QString &name, SkillState state,
                                        const QString &stateReason, const QString &source) const;
    [[nodiscard]] Result<void> noteChange(const QSqlDatabase &db, const NewChange &change) const;
    [[nodiscard]] Result<void> index(const QSqlDatabase &db, const Skill &skill) const; // for search
    // Readings of an older reader are made anew.
    [[nodiscard]] Result<void> refreshReadings(const QSqlDatabase &db) const;

    // The folder of skills that ship.
    [[nodiscard]] Result<void> takeIn(const QString &skillsFolder);
    [[nodiscard]] Result<void> takeInOne(const QSqlDatabase &db, const SkillPackage &package,
                                         const QString &stamp) const;
    [[nodiscard]] Result<bool> importOne(const QSqlDatabase &db, const SkillPackage &package, const QString &author,
                                         ImportedSkill &result) const;

    QString path; // as the person named it
    bool readOnly = false;
    std::unique_ptr<QTemporaryDir> copy; // of a read-only file; must outlive the connections
    SqlConnections connections;
    QList<SkillProblem> diskProblems;
};

[[nodiscard]] QByteArray packageDigestOf(const QString &textDigest, const QList<StoredFile> &files);
[[nodiscard]] qint64 now_ms();
[[nodiscard]] QString contentDigest(const QByteArray &bytes);
// A parsed skill beside its text, as quick to read as it is to write. The skill is without its text, which is used up.
[[nodiscard]] QByteArray packReading(const Skill &skill);
[[nodiscard]] std::optional<Skill> unpackReading(const QByteArray &bytes, QString text);

} // namespace kernelskill
