// SPDX-License-Identifier: Apache-2.0
// A candidate: a set of files in one language with an entry point.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill {

struct CandidateFile
{
    QString path; // relative, '/'-separated: "solve.cu"
    QString content;
    friend bool operator==(const CandidateFile &, const CandidateFile &) = default;
};

struct Candidate
{
    QString language = QStringLiteral("cuda"); // open registry, see languages.h
    QString entryPoint = QStringLiteral("solve");
    QList<CandidateFile> files; // the first is the main one
    // What an agent wants to find again when it works on this candidate (the expert's schedule). Opaque to everyone else,
    // no part of the digest.
    QJsonObject agentData;
    // Of the GPU's vendor, linked by name: "cublas". Only a task's vendor baseline has any.
    QStringList libraries;

    [[nodiscard]] bool isEmpty() const { return files.isEmpty(); }
    [[nodiscard]] QString mainText() const { return files.isEmpty() ? QString() : files.first().content; }
    [[nodiscard]] QByteArray digest() const; // SHA-256 hex over language, entry point, paths, contents and libraries
    // The same with another main text, and without what belonged to the old one. "solve.cu" where there was none.
    [[nodiscard]] Candidate withMainText(const QString &text) const;
    [[nodiscard]] static Candidate fromText(const QString &path, const QString &content);
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Candidate fromJson(const QJsonObject &object);
    friend bool operator==(const Candidate &, const Candidate &) = default;
};

} // namespace kernelskill
