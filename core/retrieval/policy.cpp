// SPDX-License-Identifier: Apache-2.0
#include "retrieval/policy.h"

#include "retrieval/compiled_policy.h"
#include "retrieval/policy_reader.h"

#include <QCryptographicHash>
#include <QFile>
#include <QMutex>
#include <QSet>

namespace kernelskill {

namespace {

Result<QString> textOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure("policy.missing", QStringLiteral("%1: cannot be read (%2)").arg(path, file.errorString()));
    constexpr qint64 largest = 1 << 20;
    if (file.size() > largest)
        return failure("policy.syntax", QStringLiteral("%1: larger than 1 MiB; this is no policy").arg(path));
    return QString::fromUtf8(file.readAll());
}

} // namespace

Result<Policy> Policy::read(const QString &path, const QString &overlay)
{
    auto text = textOf(path);
    if (!text) return std::unexpected(text.error());
    if (overlay.isEmpty()) return parse(*text, path);
    auto changes = textOf(overlay);
    if (!changes) return std::unexpected(changes.error());
    if (changes->trimmed().isEmpty()) return parse(*text, path);
    return parse(*text, path, *changes, overlay);
}

Result<Policy> Policy::parse(const QString &text, const QString &source, const QString &overlayText,
                             const QString &overlaySource)
{
    auto policy = readPolicyText({text, source}, {overlayText, overlaySource});
    if (!policy) return policy;
    // The search through the evidence takes long enough to be felt; what passed once in this process need not again.
    static QMutex mutex;
    static QSet<QByteArray> accepted;
    const QByteArray digest = policy->digest();
    {
        const QMutexLocker locker(&mutex);
        if (accepted.contains(digest)) return policy;
    }
    auto compiled = CompiledPolicy::compile(*policy);
    if (!compiled) {
        Error error = compiled.error();
        error.message = QStringLiteral("%1: %2").arg(source, error.message);
        return std::unexpected(error);
    }
    if (const PolicyCase *one = unreachableCase(*policy, **compiled)) {
        return failure("policy.unreachable",
                       QStringLiteral("%1no evidence can ever satisfy the case '%2' together with its bottleneck; "
                                      "correct its conditions or take it out")
                           .arg(one->place, one->id),
                       one->id);
    }
    if (const PolicyCase *one = shadowedCase(*policy, **compiled)) {
        return failure("policy.shadowed",
                       QStringLiteral("%1whenever the case '%2' holds, one above it in its bottleneck holds too, and "
                                      "those allow all that it allows; narrow them, move it up or take it out")
                           .arg(one->place, one->id),
                       one->id);
    }
    const QMutexLocker locker(&mutex);
    accepted.insert(digest);
    return policy;
}

QByteArray Policy::digest() const
{
    return QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
}

} // namespace kernelskill
