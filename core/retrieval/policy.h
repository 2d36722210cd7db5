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
    QString place; // where it stands: "file:line:column: "
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

    // Errors name file, line and column, the unknown name or type, and the remedy. Refused too: a case that no evidence
    // can satisfy (policy.unreachable), and one that adds nothing to the cases before it, which hold whenever it does
    // (policy.shadowed). `overlay`: a person's own changes (policy_overlay.h tells their form); a path, or empty.
    [[nodiscard]] static Result<Policy> read(const QString &path, const QString &overlay = {});
    [[nodiscard]] static Result<Policy> parse(const QString &text, const QString &source,
                                              const QString &overlayText = {}, const QString &overlaySource = {});
    [[nodiscard]] QByteArray digest() const;
};

// One thing in which two policies differ: place "memory_bandwidth.streaming", what "allowed", and the values; what is
// only in one has the other empty.
struct PolicyDifference
{
    QString place, what, before, after;
};
[[nodiscard]] QList<PolicyDifference> differences(const Policy &before, const Policy &after);

// Methods that a case allows although no skill teaches them, in words; a policy may be ahead of the skills.
[[nodiscard]] QStringList untaughtMethods(const Policy &policy, const QStringList &skillNamesAndMethods);

// The policy in force: the shipped one with a person's overlay where there is one. What is broken never stops the
// program: then the last good one serves, or the shipped one, and `problems` says why.
struct PolicyInForce
{
    Policy policy;
    QString overlay;       // path of the overlay that is in it; empty: none
    QList<Error> problems;
};
// `overlay` empty: policy.yaml in the user's configuration folder, if it exists.
[[nodiscard]] Result<PolicyInForce> policyInForce(const QString &overlay = {});
[[nodiscard]] QString userPolicyFile(); // that file's path

} // namespace kernelskill
