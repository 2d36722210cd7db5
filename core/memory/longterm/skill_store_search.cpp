// SPDX-License-Identifier: Apache-2.0
// Full-text search: SQLite's FTS5 with stemming, so that "coalesced" finds "coalescing".
#include "memory/longterm/skill_store_impl.h"

#include <QRegularExpression>

namespace kernelskill {

namespace {

constexpr int maximumWords = 32;

// What a person types is words, whatever FTS5's own language would make of it: each is quoted, and its beginning is
// enough.
QStringList wordsOf(const QString &text)
{
    static const QRegularExpression word(QStringLiteral("[\\p{L}\\p{N}\\p{M}_]+"),
                                         QRegularExpression::UseUnicodePropertiesOption);
    QStringList words;
    for (auto match = word.globalMatch(text); match.hasNext() && words.size() < maximumWords;)
        words.append(QStringLiteral("\"%1\"*").arg(match.next().captured()));
    return words;
}

Result<QList<SkillMatch>> find(const QSqlDatabase &db, const QString &query)
{
    auto rows = sql::run(db,
                         QStringLiteral("SELECT name, snippet(skill_text, -1, '«', '»', '…', 12) FROM skill_text "
                                        "WHERE skill_text MATCH ? ORDER BY bm25(skill_text, 10, 8, 4, 1), name"),
                         {query});
    if (!rows) return std::unexpected(rows.error());
    QList<SkillMatch> result;
    while (rows->next())
        result.append({rows->value(0).toString(), rows->value(1).toString().simplified()});
    return result;
}

// Scripts written without spaces make one word of a sentence: there a piece of text is looked for as it stands.
Result<QList<SkillMatch>> findPiece(const QSqlDatabase &db, const QString &text)
{
    auto rows = sql::run(db,
                         QStringLiteral("SELECT name, description FROM skill_text WHERE "
                                        "instr(lower(name || ' ' || title || ' ' || description || ' ' || body), "
                                        "lower(?)) > 0 ORDER BY name"),
                         {text});
    if (!rows) return std::unexpected(rows.error());
    QList<SkillMatch> result;
    while (rows->next())
        result.append({rows->value(0).toString(), rows->value(1).toString()});
    return result;
}

} // namespace

Result<void> SkillStore::Impl::index(const QSqlDatabase &db, const Skill &skill) const
{
    auto row = sql::value(db, QStringLiteral("SELECT search_row FROM skills WHERE name = ?"), {skill.name});
    if (!row) return trouble(row.error());
    qint64 id = row->toLongLong();
    if (id == 0) {
        auto last = sql::value(db, QStringLiteral("SELECT max(search_row) FROM skills"));
        if (!last) return trouble(last.error());
        id = last->toLongLong() + 1;
        auto given = sql::run(db, QStringLiteral("UPDATE skills SET search_row = ? WHERE name = ?"), {id, skill.name});
        if (!given) return trouble(given.error());
    } else if (auto removed = sql::run(db, QStringLiteral("DELETE FROM skill_text WHERE rowid = ?"), {id}); !removed) {
        return trouble(removed.error());
    }
    auto added = sql::run(db,
                          QStringLiteral("INSERT INTO skill_text(rowid, name, title, description, body) "
                                         "VALUES(?, ?, ?, ?, ?)"),
                          {id, skill.name, skill.title, skill.description, skill.body});
    if (!added) return trouble(added.error());
    return {};
}

Result<QList<SkillMatch>> SkillStore::search(const QString &text) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    const QStringList words = wordsOf(text);
    if (words.isEmpty()) return QList<SkillMatch>();
    // All words if any skill has them all, else any of them.
    for (const char *between : {" AND ", " OR "}) {
        auto found = find(*db, words.join(QLatin1String(between)));
        if (!found) return m_impl->trouble(found.error());
        if (!found->isEmpty()) return found;
    }
    auto piece = findPiece(*db, text.trimmed());
    if (!piece) return m_impl->trouble(piece.error());
    return piece;
}

} // namespace kernelskill
