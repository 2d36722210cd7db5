// SPDX-License-Identifier: Apache-2.0
#include "base/paths.h"
#include "retrieval/policy.h"
#include "retrieval/policy_reader.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace kernelskill {

namespace {

QString shippedPolicyFile()
{
    return QDir(paths::skills()).filePath(QStringLiteral("policy.yaml"));
}

// The last policy that was good, as text: what serves when a file has since been broken.
QString lastGoodFile()
{
    return QDir(paths::dataFolder()).filePath(QStringLiteral("policy-last-good.yaml"));
}

// Losing this copy costs nothing but the rescue, so a full disk is no error here.
void remember(const Policy &policy)
{
    QFile known(lastGoodFile());
    const QByteArray text = policy.text.toUtf8();
    if (known.open(QIODevice::ReadOnly) && known.readAll() == text) return;
    if (!QDir().mkpath(QFileInfo(lastGoodFile()).absolutePath())) return;
    QSaveFile file(lastGoodFile());
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size()) file.commit();
}

} // namespace

QString userPolicyFile()
{
    return QDir(paths::configFolder()).filePath(QStringLiteral("policy.yaml"));
}

Result<PolicyInForce> policyInForce(const QString &overlay)
{
    PolicyInForce result;
    const bool asked = !overlay.isEmpty();
    if (asked || QFileInfo::exists(userPolicyFile())) result.overlay = asked ? overlay : userPolicyFile();
    auto policy = Policy::read(shippedPolicyFile(), result.overlay);
    if (policy) {
        if (!asked) remember(*policy);
        result.policy = *policy;
        return result;
    }
    // A file named for this run must be right; one that merely lies there must not stop every run.
    if (asked) return std::unexpected(policy.error());
    result.problems.append(policy.error());
    if (auto lastGood = Policy::read(lastGoodFile())) {
        result.problems.last().detail = QStringLiteral("the last good policy serves instead");
        result.policy = *lastGood;
        return result;
    }
    if (result.overlay.isEmpty()) return std::unexpected(policy.error());
    result.problems.last().detail = QStringLiteral("the policy that ships serves instead");
    result.overlay.clear();
    auto shipped = Policy::read(shippedPolicyFile());
    if (!shipped) return std::unexpected(shipped.error());
    result.policy = *shipped;
    return result;
}

} // namespace kernelskill
