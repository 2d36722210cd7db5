// SPDX-License-Identifier: Apache-2.0
// Evaluates a policy's expressions over one row of evidence. The expressions are SQL and SQLite itself evaluates them:
// its NULL is our "unknown", and its three-valued logic is Kleene's.
#pragma once

#include "base/result.h"
#include "retrieval/retrieval.h"

#include <QString>
#include <QStringList>
#include <QVariantMap>

#include <memory>
#include <vector>

namespace kernelskill {

// One in-memory table with a column a field and a generated column a derived value. Not for use by two threads at once.
class PolicyEvaluator
{
public:
    // `kinds`: "number", "boolean", "structure"
    [[nodiscard]] static Result<std::unique_ptr<PolicyEvaluator>> make(const QStringList &fields,
                                                                       const QMap<QString, QString> &kinds);
    ~PolicyEvaluator();

    // Errors: policy.name (detail: the unknown name), policy.type, policy.expression.
    [[nodiscard]] Result<void> addDerived(const QString &name, const QString &expression, const QString &kind);
    // The predicate's number. The same text gets the same number.
    [[nodiscard]] Result<int> addPredicate(const QString &expression);

    // Entries that are no field are ignored; fields without an entry, or with an invalid one, are unknown.
    void setRow(const QVariantMap &row);
    void setField(const QString &field, const QVariant &value);
    [[nodiscard]] Truth truth(int predicate) const;
    [[nodiscard]] QVariant value(const QString &fieldOrDerived) const; // invalid: unknown
    [[nodiscard]] const QStringList &reads(int predicate) const;       // fields and derived values, sorted
    [[nodiscard]] QStringList rawFieldsBehind(const QString &fieldOrDerived) const;
    [[nodiscard]] QStringList names() const; // all fields and derived values

private:
    struct Impl;
    explicit PolicyEvaluator(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

// The known name that is spelt most like `name`; empty when none is near.
[[nodiscard]] QString nearestName(const QString &name, const QStringList &known);

} // namespace kernelskill
