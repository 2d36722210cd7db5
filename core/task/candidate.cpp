// SPDX-License-Identifier: Apache-2.0
#include "task/candidate.h"

#include <QCryptographicHash>
#include <QJsonArray>

namespace kernelskill {

namespace {

// Every part goes in with its length, so that moving a character between two parts changes the digest.
void addPart(QCryptographicHash &hash, const QString &text)
{
    const QByteArray bytes = text.toUtf8();
    hash.addData(QByteArray::number(bytes.size()) + ':');
    hash.addData(bytes);
}

} // namespace

QByteArray Candidate::digest() const
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    addPart(hash, language);
    addPart(hash, entryPoint);
    for (const CandidateFile &file : files) {
        addPart(hash, file.path);
        addPart(hash, file.content);
    }
    for (const QString &library : libraries) addPart(hash, library);
    return hash.result().toHex();
}

Candidate Candidate::withMainText(const QString &text) const
{
    Candidate changed = *this;
    if (changed.files.isEmpty()) changed.files.append(CandidateFile{QStringLiteral("solve.cu"), {}});
    changed.files.first().content = text;
    changed.agentData = {};
    return changed;
}

Candidate Candidate::fromText(const QString &path, const QString &content)
{
    Candidate candidate;
    candidate.files.append({path, content});
    return candidate;
}

QJsonObject Candidate::toJson() const
{
    QJsonArray array;
    for (const CandidateFile &file : files)
        array.append(QJsonObject{{QStringLiteral("path"), file.path}, {QStringLiteral("content"), file.content}});
    QJsonObject object{{QStringLiteral("language"), language},
                       {QStringLiteral("entry_point"), entryPoint},
                       {QStringLiteral("files"), array}};
    if (!libraries.isEmpty()) object.insert(QStringLiteral("libraries"), QJsonArray::fromStringList(libraries));
    if (!agentData.isEmpty()) object.insert(QStringLiteral("agent_data"), agentData);
    return object;
}

Candidate Candidate::fromJson(const QJsonObject &object)
{
    Candidate candidate;
    candidate.language = object.value(u"language").toString(candidate.language);
    candidate.entryPoint = object.value(u"entry_point").toString(candidate.entryPoint);
    const QJsonArray array = object.value(u"files").toArray();
    for (const QJsonValue &value : array)
        candidate.files.append({value[u"path"].toString(), value[u"content"].toString()});
    for (const QJsonValue &value : object.value(u"libraries").toArray()) candidate.libraries.append(value.toString());
    candidate.agentData = object.value(u"agent_data").toObject();
    return candidate;
}

} // namespace kernelskill
