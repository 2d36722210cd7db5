// SPDX-License-Identifier: Apache-2.0
#include "retrieval/policy_evaluator.h"

#include "retrieval/predicate_types.h"

#include <QHash>
#include <QSet>

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace kernelskill {

namespace {

struct CloseDatabase
{
    void operator()(sqlite3 *database) const { sqlite3_close_v2(database); }
};
struct FinaliseStatement
{
    void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinaliseStatement>;

struct Predicate
{
    QString text;
    Statement statement;
    QStringList reads;
};

// What a statement under preparation may touch: columns of the evidence and a few plain functions. Nothing else, so
// that a policy from a stranger can do nothing but compare.
int authorise(void *reads, int action, const char *first, const char *second, const char *, const char *)
{
    static const QSet<QByteArray> functions{"max", "min", "abs", "round", "coalesce", "ifnull", "nullif", "iif"};
    switch (action) {
    case SQLITE_SELECT:
        return SQLITE_OK;
    case SQLITE_READ:
        if (std::string_view(first) != "evidence") return SQLITE_DENY;
        if (second && *second) static_cast<QSet<QString> *>(reads)->insert(QString::fromUtf8(second));
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return functions.contains(QByteArray(second).toLower()) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

int editDistance(const QString &a, const QString &b)
{
    std::vector<int> row(size_t(b.size()) + 1);
    for (size_t j = 0; j < row.size(); ++j)
        row[j] = int(j);
    for (qsizetype i = 0; i < a.size(); ++i) {
        int diagonal = std::exchange(row[0], int(i) + 1);
        for (size_t j = 1; j < row.size(); ++j) {
            const int replaced = diagonal + (a[i] == b[qsizetype(j) - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
        }
    }
    return row.back();
}

} // namespace

QString nearestName(const QString &name, const QStringList &known)
{
    QString best;
    int least = std::numeric_limits<int>::max();
    for (const QString &candidate : known) {
        const int distance = editDistance(name.toLower(), candidate.toLower());
        if (distance < least) least = distance, best = candidate;
    }
    return least <= std::max<qsizetype>(2, name.size() / 2) ? best : QString();
}

struct PolicyEvaluator::Impl
{
    [[nodiscard]] bool execute(const QString &sql)
    {
        return sqlite3_exec(database.get(), sql.toUtf8().constData(), nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    [[nodiscard]] QString trouble() const { return QString::fromUtf8(sqlite3_errmsg(database.get())); }
    [[nodiscard]] Result<Predicate> prepare(const QString &expression);
    [[nodiscard]] Error explain(const QString &expression) const;
    void bind(sqlite3_stmt *statement, int index, const QVariant &value) const;

    Database database;
    QStringList fields, derivedNames;
    QMap<QString, QString> kinds;
    QHash<QString, QStringList> derivedReads;
    std::vector<Predicate> predicates;
    QHash<QString, int> numbers;
    Statement update;
    // Per field or derived value: reads it back. Per field: sets it alone.
    std::map<QString, Statement> getters, setters;
};

Error PolicyEvaluator::Impl::explain(const QString &expression) const
{
    const QString message = trouble();
    const QString prefix = QStringLiteral("no such column: ");
    if (message.startsWith(prefix)) {
        const QString name = message.mid(prefix.size());
        const QString near = nearestName(name, fields + derivedNames);
        return {QStringLiteral("policy.name"),
                near.isEmpty() ? QStringLiteral("unknown name '%1'; declare it under 'fields' or 'derived'").arg(name)
                               : QStringLiteral("unknown name '%1'; did you mean '%2'?").arg(name, near),
                name};
    }
    if (message.contains(QLatin1String("not authorized")) || message.contains(QLatin1String("prohibited"))) {
        return {QStringLiteral("policy.expression"),
                QStringLiteral(
                    "'%1': only comparisons, arithmetic, AND, OR, NOT, IS, IN, BETWEEN and the functions max, min, "
                    "abs, round, coalesce, ifnull, nullif, iif may be used")
                    .arg(expression),
                {}};
    }
    return {QStringLiteral("policy.expression"), QStringLiteral("'%1': %2").arg(expression, message), {}};
}

Result<Predicate> PolicyEvaluator::Impl::prepare(const QString &expression)
{
    if (auto typed = checkPredicateTypes(expression, kinds); !typed) return std::unexpected(typed.error());
    QSet<QString> reads;
    sqlite3_set_authorizer(database.get(), authorise, &reads);
    const QByteArray sql = QStringLiteral("SELECT (%1) FROM evidence").arg(expression).toUtf8();
    sqlite3_stmt *statement = nullptr;
    const char *tail = nullptr;
    const int code = sqlite3_prepare_v3(database.get(), sql.constData(), int(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                        &statement, &tail);
    Predicate predicate{expression, Statement(statement), QStringList(reads.begin(), reads.end())};
    const Error error = code == SQLITE_OK ? Error{} : explain(expression);
    // A later schema change prepares statements again by itself, which the authoriser must not refuse then.
    sqlite3_set_authorizer(database.get(), nullptr, nullptr);
    if (code != SQLITE_OK) return std::unexpected(error);
    if (tail && *tail)
        return failure("policy.expression", QStringLiteral("'%1': more than one expression").arg(expression));
    predicate.reads.sort();
    return predicate;
}

void PolicyEvaluator::Impl::bind(sqlite3_stmt *statement, int index, const QVariant &value) const
{
    if (!value.isValid() || value.isNull()) {
        sqlite3_bind_null(statement, index);
    } else if (value.typeId() == QMetaType::QString) {
        const QByteArray text = value.toString().toUtf8();
        sqlite3_bind_text(statement, index, text.constData(), int(text.size()), SQLITE_TRANSIENT);
    } else if (value.typeId() == QMetaType::Bool) {
        sqlite3_bind_int(statement, index, value.toBool() ? 1 : 0);
    } else {
        sqlite3_bind_double(statement, index, value.toDouble());
    }
}

PolicyEvaluator::PolicyEvaluator(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
PolicyEvaluator::~PolicyEvaluator() = default;

Result<std::unique_ptr<PolicyEvaluator>> PolicyEvaluator::make(const QStringList &fields,
                                                               const QMap<QString, QString> &kinds)
{
    auto impl = std::make_unique<Impl>();
    sqlite3 *raw = nullptr;
    const int code =
        sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nullptr);
    impl->database.reset(raw);
    if (code != SQLITE_OK) return failure("policy.database", impl->trouble());
    // Otherwise SQLite would read a misspelt "name" in double quotes as a text.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    impl->fields = fields;
    impl->kinds = kinds;
    QStringList columns, assignments;
    for (const QString &field : fields) {
        const bool text = kinds.value(field) == QLatin1String("structure");
        columns.append(field + (text ? QStringLiteral(" TEXT") : QStringLiteral(" NUMERIC")));
        assignments.append(QStringLiteral("%1 = ?").arg(field));
    }
    if (!impl->execute(QStringLiteral("CREATE TABLE evidence(%1)").arg(columns.join(u','))) ||
        !impl->execute(QStringLiteral("INSERT INTO evidence DEFAULT VALUES"))) {
        return failure("policy.expression", QStringLiteral("the names of fields: %1").arg(impl->trouble()));
    }
    const QByteArray sql = QStringLiteral("UPDATE evidence SET %1").arg(assignments.join(u',')).toUtf8();
    sqlite3_stmt *update = nullptr;
    if (sqlite3_prepare_v3(raw, sql.constData(), int(sql.size()), SQLITE_PREPARE_PERSISTENT, &update, nullptr) !=
        SQLITE_OK) {
        return failure("policy.expression", impl->trouble());
    }
    impl->update.reset(update);
    return std::unique_ptr<PolicyEvaluator>(new PolicyEvaluator(std::move(impl)));
}

Result<void> PolicyEvaluator::addDerived(const QString &name, const QString &expression, const QString &kind)
{
    auto predicate = m_impl->prepare(expression);
    if (!predicate) return std::unexpected(predicate.error());
    if (!m_impl->execute(QStringLiteral("ALTER TABLE evidence ADD COLUMN %1 AS (%2) VIRTUAL").arg(name, expression))) {
        return std::unexpected(m_impl->explain(expression));
    }
    m_impl->derivedNames.append(name);
    m_impl->derivedReads.insert(name, predicate->reads);
    m_impl->kinds.insert(name, kind);
    return {};
}

Result<int> PolicyEvaluator::addPredicate(const QString &expression)
{
    if (const auto known = m_impl->numbers.constFind(expression); known != m_impl->numbers.constEnd()) return *known;
    auto predicate = m_impl->prepare(expression);
    if (!predicate) return std::unexpected(predicate.error());
    const int number = int(m_impl->predicates.size());
    m_impl->predicates.push_back(std::move(*predicate));
    m_impl->numbers.insert(expression, number);
    return number;
}

void PolicyEvaluator::setRow(const QVariantMap &row)
{
    sqlite3_stmt *statement = m_impl->update.get();
    for (qsizetype i = 0; i < m_impl->fields.size(); ++i) {
        m_impl->bind(statement, int(i) + 1, row.value(m_impl->fields[i]));
    }
    sqlite3_step(statement);
    sqlite3_reset(statement);
}

void PolicyEvaluator::setField(const QString &field, const QVariant &value)
{
    Statement &setter = m_impl->setters[field];
    if (!setter) {
        const QByteArray sql = QStringLiteral("UPDATE evidence SET %1 = ?").arg(field).toUtf8();
        sqlite3_stmt *statement = nullptr;
        sqlite3_prepare_v3(m_impl->database.get(), sql.constData(), int(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &statement, nullptr);
        setter.reset(statement);
    }
    m_impl->bind(setter.get(), 1, value);
    sqlite3_step(setter.get());
    sqlite3_reset(setter.get());
}

Truth PolicyEvaluator::truth(int predicate) const
{
    sqlite3_stmt *statement = m_impl->predicates[size_t(predicate)].statement.get();
    Truth result = Truth::Unknown;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        result = sqlite3_column_double(statement, 0) != 0 ? Truth::True : Truth::False;
    }
    sqlite3_reset(statement);
    return result;
}

QVariant PolicyEvaluator::value(const QString &fieldOrDerived) const
{
    Statement &getter = m_impl->getters[fieldOrDerived];
    if (!getter) {
        const QByteArray sql = QStringLiteral("SELECT %1 FROM evidence").arg(fieldOrDerived).toUtf8();
        sqlite3_stmt *statement = nullptr;
        sqlite3_prepare_v3(m_impl->database.get(), sql.constData(), int(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &statement, nullptr);
        getter.reset(statement);
    }
    QVariant result;
    if (sqlite3_step(getter.get()) == SQLITE_ROW) {
        switch (sqlite3_column_type(getter.get(), 0)) {
        case SQLITE_NULL:
            break;
        case SQLITE_TEXT:
            result = QString::fromUtf8(reinterpret_cast<const char *>(sqlite3_column_text(getter.get(), 0)));
            break;
        default:
            if (m_impl->kinds.value(fieldOrDerived) == QLatin1String("boolean")) {
                result = sqlite3_column_double(getter.get(), 0) != 0;
            } else {
                result = sqlite3_column_double(getter.get(), 0);
            }
        }
    }
    sqlite3_reset(getter.get());
    return result;
}

const QStringList &PolicyEvaluator::reads(int predicate) const
{
    return m_impl->predicates[size_t(predicate)].reads;
}

QStringList PolicyEvaluator::rawFieldsBehind(const QString &fieldOrDerived) const
{
    if (!m_impl->derivedReads.contains(fieldOrDerived)) return {fieldOrDerived};
    QStringList result;
    for (const QString &name : m_impl->derivedReads.value(fieldOrDerived))
        result += rawFieldsBehind(name);
    result.removeDuplicates();
    result.sort();
    return result;
}

QStringList PolicyEvaluator::names() const
{
    return m_impl->fields + m_impl->derivedNames;
}

} // namespace kernelskill
