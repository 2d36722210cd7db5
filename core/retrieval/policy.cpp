// SPDX-License-Identifier: Apache-2.0
#include "retrieval/policy.h"

#include "retrieval/compiled_policy.h"
#include "retrieval/policy_reader.h"

#include <QCryptographicHash>
#include <QFile>

namespace kernelskill {

Result<Policy> Policy::read(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return failure("policy.missing", QStringLiteral("%1: cannot be read (%2)").arg(path, file.errorString()));
    }
    return parse(QString::fromUtf8(file.readAll()), path);
}

Result<Policy> Policy::parse(const QString &text, const QString &source)
{
    auto policy = readPolicyText(text, source);
    if (!policy) return policy;
    auto compiled = CompiledPolicy::compile(*policy);
    if (!compiled) {
        Error error = compiled.error();
        error.message = QStringLiteral("%1: %2").arg(source, error.message);
        return std::unexpected(error);
    }
    if (const QString id = unreachableCase(*policy, **compiled); !id.isEmpty()) {
        return failure("policy.unreachable",
                       QStringLiteral("%1: no evidence can ever satisfy the case '%2' together with its bottleneck; "
                                      "correct its conditions or take it out")
                           .arg(source, id),
                       id);
    }
    return policy;
}

QByteArray Policy::digest() const
{
    return QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
}

} // namespace kernelskill
