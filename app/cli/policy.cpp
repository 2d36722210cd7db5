// SPDX-License-Identifier: Apache-2.0
// policy: when which skill is legal; a person's overlay of it, checked and compared with what ships.
#include "command.h"

#include "base/paths.h"
#include "retrieval/policy.h"

#include <QDir>
#include <QJsonArray>

namespace kernelskill::cli {

namespace {

struct Policies
{
    Policy shipped;
    PolicyInForce inForce;
};

Result<Policies> load(const QString &overlay)
{
    auto shipped = Policy::read(QDir(paths::skills()).filePath(QStringLiteral("policy.yaml")));
    auto inForce = policyInForce(overlay);
    if (!inForce) return std::unexpected(inForce.error());
    // A shipped policy that was broken since is no ground for comparison, but what serves can still be shown.
    return Policies{shipped ? *shipped : inForce->policy, *inForce};
}

QJsonArray problemsOf(const Policies &policies)
{
    QJsonArray problems;
    for (const Error &error : policies.inForce.problems)
        problems.append(QJsonObject{{QStringLiteral("code"), error.code},
                                    {QStringLiteral("message"), error.message},
                                    {QStringLiteral("detail"), error.detail}});
    return problems;
}

void printCases(const Policy &policy)
{
    for (const PolicyBottleneck &bottleneck : policy.bottlenecks) {
        QStringList signature = bottleneck.all;
        if (!bottleneck.any.isEmpty()) signature.append(bottleneck.any.join(QStringLiteral(" or ")));
        print(QStringLiteral("%1. %2: %3").arg(bottleneck.priority).arg(bottleneck.id, bottleneck.title));
        if (!signature.isEmpty()) print(QStringLiteral("     when %1").arg(signature.join(QStringLiteral(", "))));
        for (const PolicyCase &one : policy.cases) {
            if (one.bottleneck != bottleneck.id) continue;
            print(QStringLiteral("     %1  %2").arg(one.id.section(u'.', 1), -22).arg(one.allowed.join(u' ')) +
                  (one.forbidden.isEmpty() ? QString() : QStringLiteral("  not ") + one.forbidden.join(u' ')));
        }
    }
}

int show(const Policies &policies, bool json)
{
    if (!json) {
        print(QStringLiteral("policy in force: %1").arg(policies.inForce.policy.source));
        printCases(policies.inForce.policy);
        return Done;
    }
    printJson({{QStringLiteral("source"), policies.inForce.policy.source},
               {QStringLiteral("overlay"), policies.inForce.overlay},
               {QStringLiteral("text"), policies.inForce.policy.text},
               {QStringLiteral("problems"), problemsOf(policies)}});
    return Done;
}

int diff(const Policies &policies, bool json)
{
    QJsonArray rows;
    for (const PolicyDifference &one : differences(policies.shipped, policies.inForce.policy)) {
        rows.append(QJsonObject{{QStringLiteral("place"), one.place},
                                {QStringLiteral("what"), one.what},
                                {QStringLiteral("before"), one.before},
                                {QStringLiteral("after"), one.after}});
        if (json) continue;
        print(QStringLiteral("%1, %2").arg(one.place, one.what));
        if (!one.before.isEmpty()) print(QStringLiteral("  - ") + one.before);
        if (!one.after.isEmpty()) print(QStringLiteral("  + ") + one.after);
    }
    if (json) {
        printJson({{QStringLiteral("differences"), rows}, {QStringLiteral("problems"), problemsOf(policies)}});
    } else if (rows.isEmpty()) {
        print(policies.inForce.overlay.isEmpty()
                  ? QStringLiteral("the policy is the one that ships; an overlay goes to %1").arg(userPolicyFile())
                  : QStringLiteral("%1 changes nothing").arg(policies.inForce.overlay));
    }
    return Done;
}

// Untaught methods are told but are no mistake: a policy may be ahead of the skills.
int check(const Policies &policies, const QString &memory, bool json)
{
    auto store = openStore(memory);
    if (!store) return report(store.error(), json);
    auto known = store->skills();
    if (!known) return report(known.error(), json);
    QStringList taught;
    for (const Skill &skill : *known)
        taught << skill.name << skill.method;
    const QStringList untaught = untaughtMethods(policies.inForce.policy, taught);
    if (json) {
        printJson({{QStringLiteral("source"), policies.inForce.policy.source},
                   {QStringLiteral("cases"), policies.inForce.policy.cases.size()},
                   {QStringLiteral("untaught"), QJsonArray::fromStringList(untaught)},
                   {QStringLiteral("problems"), problemsOf(policies)}});
    } else {
        print(QStringLiteral("%1: %2 bottlenecks, %3 cases")
                  .arg(policies.inForce.policy.source)
                  .arg(policies.inForce.policy.bottlenecks.size())
                  .arg(policies.inForce.policy.cases.size()));
        for (const QString &line : untaught)
            print(QStringLiteral("  ") + line);
    }
    return policies.inForce.problems.isEmpty() ? Done : WrongUsage;
}

} // namespace

int policy(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "When which skill is legal: show, diff (against what ships), check. Your own changes: %1.").arg(userPolicyFile()));
    parser.addPositionalArgument(QStringLiteral("ACTION"), QStringLiteral("show, diff or check."));
    parser.addOption({QStringLiteral("policy"), QStringLiteral("An overlay instead of your own."), QStringLiteral("FILE")});
    parser.addOption({QStringLiteral("memory"), QStringLiteral("Long-term memory file, or none."), QStringLiteral("FILE|none")});
    parser.addOption({QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")});
    if (const ParsedArguments parsed = parse(parser, QStringLiteral("policy"), arguments, 1, 1); parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(QStringLiteral("json"));
    const QString action = parser.positionalArguments().first();
    if (action != u"show" && action != u"diff" && action != u"check")
        return report({QStringLiteral("usage"), QStringLiteral("there is no action “%1”; policy takes show, diff or check").arg(action), {}}, json);
    auto policies = load(parser.value(QStringLiteral("policy")));
    if (!policies) return report(policies.error(), json);
    for (const Error &error : policies->inForce.problems)
        progressLine(QStringLiteral("kernelskill: %1; %2").arg(error.message, error.detail));
    if (action == u"show") return show(*policies, json);
    if (action == u"diff") return diff(*policies, json);
    return check(*policies, parser.value(QStringLiteral("memory")), json);
}

} // namespace kernelskill::cli
