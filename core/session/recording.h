// SPDX-License-Identifier: Apache-2.0
// A session as what its agents proposed, step by step: what is needed to play it again. Value type.
#pragma once

#include "agent/roles.h"
#include "session/session_file.h"
#include "session/trajectory.h"

#include <QHash>
#include <QList>
#include <QString>

namespace kernelskill {

// A plan as it was proposed, and what came of it.
struct RecordedProposal
{
    int round = 0;
    Plan plan;
    QString refusal;  // why no code came of it
    bool wrote = false; // the optimizer was asked
    int node = -1;    // whose candidate came of it; −1: none
    double planned_ms = 0, wrote_ms = 0; // what planner and optimizer took
};

struct RecordedDiagnosis
{
    Diagnosis diagnosis;
    int repair = -1;  // node of the repaired candidate; −1: none came of it
    QString refusal;  // why not
    double diagnosed_ms = 0, repaired_ms = 0;
};

struct RecordedCode
{
    CodeChange change; // `recorded` is set
    QString kind;      // "seed", "optimise", "repair", "human"
    QString digest;    // as short-term memory compares it
    QString agent;
};

struct Recording
{
    QString path, session, taskName, taskDigest;
    QJsonObject settings;
    int rounds = 0;
    QList<RecordedProposal> proposals; // in order
    QHash<int, RecordedCode> codes;    // by node
    QHash<QString, int> nodes;         // by the digest of its code: the first that had it
    QHash<int, QList<RecordedDiagnosis>> diagnoses; // by failing node, in order
    QHash<int, Features> features;     // by base node
    QHash<int, double> extracted_ms;   // likewise

    // The recorded node with this code; −1: none.
    [[nodiscard]] int nodeWith(const QString &digest) const { return nodes.value(digest, -1); }

    // Errors: those of SessionFile::open and recording.damaged, recording.empty, each with the file and what to do.
    [[nodiscard]] static Result<Recording> read(const QString &path);
};

} // namespace kernelskill
