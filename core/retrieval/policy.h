// SPDX-License-Identifier: Apache-2.0
// skills/policy.yaml: fields, derived values, tiers, bottlenecks, cases, global rules. Validated when it is loaded.
#pragma once

#include "base/result.h"
#include "retrieval/retrieval.h"

#include <QJsonObject>
#include <QMap>
#include <QStringList>

namespace kernelskill {

struct PolicyMethod { QString id, title; bool cacheOrReuse = false; };
struct PolicyBottleneck { QString id, title; int priority = 0; QStringList all; QStringList any; bool fallback = false; };
struct PolicyCase
{
    QString id, bottleneck, title;
    QStringList tiers;      // empty: any
    QStringList structures; // empty: any
    QStringList all, any;   // predicates
    QStringList allowed, forbidden;
};
struct DerivedField { QString name, expression, meaning; };

struct Policy
{
    int version = 1;
    QStringList fields;          // raw evidence fields
    QMap<QString, QString> kinds; // of fields and derived values: "number", "boolean", "structure"
    QList<DerivedField> derived; // in order of evaluation
    QMap<QString, QString> tiers; // "H" → predicate, tried in order H, M, L
    QList<PolicyBottleneck> bottlenecks; // priority order
    QList<PolicyCase> cases;
    QList<PolicyMethod> methods; // ids of the 24 methods, and names of skills beyond them
    QString reuseSource;         // predicate: methods with cacheOrReuse are not offered where it is false
    QStringList advice;          // global rules that are for whoever plans and writes code
    QString text;                // as read, for snapshots
    QString source;

    // Errors name file, line and column, the unknown name or type, and the remedy.
    [[nodiscard]] static Result<Policy> read(const QString &path);
    [[nodiscard]] static Result<Policy> parse(const QString &text, const QString &source);
    [[nodiscard]] QByteArray digest() const;
};

} // namespace kernelskill
