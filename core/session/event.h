// SPDX-License-Identifier: Apache-2.0
// The stream a run consists of. Appended to the session file before anybody sees it; state is a fold over it.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace kernelskill {

// Kinds and their data (blobs are named by SHA-256 hex in fields that end in "_blob"):
//   session.start   {task: name, task_folder, task_digest, task_blob, settings: {…RunSettings}, versions: {…},
//                    agents: {id: {recording?: {path, session, task_changed}}}}   what they say of themselves
//   memory.snapshot {policy_blob, skills_blob, statistics_blob}
//   round.start     {round, base}
//   round.features  {round, base, features: {…}, agent}
//   round.retrieval {round, base, retrieval_blob, chosen_case, allowed: [{method, skill}]}
//   round.plan      {round, base, plan: {…}, agent}
//   round.refused   {round, base, plan: {…}, reason}          a plan or candidate refused by short-term memory or policy
//   node.start      {node, parent, round, kind: "seed"|"optimise"|"repair"|"human", agent}
//   node.candidate  {node, candidate_blob, code_digest, summary, method, skill, plan: {…},
//                    recorded?: {node, verdict, speedup, interval, kind}}   played again from a recorded session
//   node.evaluated  {node, evaluation_blob, status, verdict, kind, time_us, interval, speedup, speedup_interval,
//                    step_speedup, step_interval, observed: [{metric, before, after, promised, kept}], why,
//                    work: {flops, dram_bytes, time_us},
//                    divergence?: what the record said otherwise, in a sentence
//                    predicted?: as observed, "promised" being what the person predicted: "lower"|"same"|"higher"}
//   node.dropped    {node, reason}                              started, but no candidate came of it
//   node.promoted   {node, base: bool, best: bool}
//   repair.diagnosis{node, diagnosis: {…}, chain}
//   repair.rollback {node, to}
//   role.call       {role, agent, round, node, wall_ms, error?, calls?, tokens_in?, tokens_out?, tokens_cached?, cost_usd?,
//                    facts?: {provider, model, prompt: {…}, …},
//                    transcript_blob?: Markdown, messages_blob?: {messages: [{from, text, note?}]}}
//   person.skill    {action: "pin"|"unpin"|"reject"|"restore"|"edit", skill, reason, author, revision}
//   person.note     {node, text}  person.pin {node, pinned}
//   person.prediction {node, round, skill, speedup?: "less"|"same"|"some"|"more", counters: [{metric, movement}]}
//   run.waiting {role, round, until_ms, why}                     a role's provider takes no calls before that time
//   run.paused {}   run.resumed {rounds?, budget?, agent_settings?}   run.ended {by: "rounds"|"plateau"|"roofline"|"time"|"money"|"tokens"|"calls"|"provider"|
//                                               "person"|"exhausted"|"error"|"recording", message?}
struct Event
{
    qint64 sequence = 0; // 1, 2, …; given by the session file
    QString kind;
    qint64 time_ms = 0;  // since the epoch; no part of what a resume decides by
    QJsonObject data;
};

// Digests in the fields of an event that end in "_blob".
[[nodiscard]] QStringList blobsOf(const Event &event);

} // namespace kernelskill
