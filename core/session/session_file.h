// SPDX-License-Identifier: Apache-2.0
// One session is one SQLite file: events in order, content-addressed blobs. journal_mode=TRUNCATE, synchronous=FULL.
#pragma once

#include "base/result.h"
#include "session/event.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <memory>
#include <optional>

namespace kernelskill {

inline constexpr int sessionSchemaVersion = 1;

class SessionFile
{
public:
    SessionFile(SessionFile &&) noexcept;
    SessionFile &operator=(SessionFile &&) noexcept;
    ~SessionFile();

    [[nodiscard]] static Result<SessionFile> create(const QString &path); // an error when it exists
    // Read-only when the file or its medium is. Errors: session.missing, session.not_a_session, session.newer (says which
    // version wrote it), session.damaged (says what can still be read).
    [[nodiscard]] static Result<SessionFile> open(const QString &path, bool readOnly = false);

    [[nodiscard]] QString path() const;
    [[nodiscard]] QString id() const; // given at creation, stays when the file moves: the ledger's key
    [[nodiscard]] bool isReadOnly() const;
    // Appends all of them in one transaction and returns them with sequence and time. A lock keeps a second writer out
    // ("session.locked"); the first append takes it (of nothing, too) and it is held until this object dies.
    [[nodiscard]] Result<QList<Event>> append(QList<Event> events);
    [[nodiscard]] Result<QList<Event>> events(qint64 afterSequence = 0) const;
    // Of a damaged file what comes before the damage, for looking at; nobody goes on from it.
    struct ReadableEvents
    {
        QList<Event> events;
        std::optional<Error> damage;
    };
    [[nodiscard]] ReadableEvents readableEvents(qint64 afterSequence = 0) const;
    // Stores content once; returns its SHA-256 hex. Part of the next append's transaction.
    [[nodiscard]] Result<QString> putBlob(const QByteArray &content);
    [[nodiscard]] Result<QByteArray> blob(const QString &digest) const;

private:
    struct Impl;
    explicit SessionFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace kernelskill
