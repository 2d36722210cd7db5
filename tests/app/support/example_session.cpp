// SPDX-License-Identifier: Apache-2.0
#include "example_session.h"

#include "agent/roles.h"
#include "base/paths.h"
#include "engine/run_settings.h"
#include "evaluation/evaluation.h"
#include "retrieval/retrieval.h"
#include "session/session_file.h"
#include "session/trajectory.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

struct Invented
{
    int id, parent, round;
    QString kind, summary, skill, method;
    Verdict verdict;
    double time_us; // 0: not timed
    QString why;
    bool base, best;
    QString code;
};

QString head()
{
    return uR"(// SPDX-License-Identifier: Apache-2.0
// Softmax over the rows of a matrix: y[r, c] = exp(x[r, c] - max) / sum.
#include <cuda_runtime.h>

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// Reduces over one warp; every lane gets the result.
__device__ __forceinline__ float warpMax(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

__device__ __forceinline__ float warpSum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

)"_s;
}

QString tail()
{
    return uR"(
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += kBlock) {
        const float e = __expf(row[c] - m);
        row[c] = e;
        sum += e;
    }
    sum = blockSum(sum);
    const float scale = 1.0f / sum;
    for (int c = threadIdx.x; c < cols; c += kBlock)
        out[c] = row[c] * scale;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    rowSoftmax<<<rows, kBlock, cols * sizeof(float), stream>>>(x, y, cols);
}
)"_s;
}

QString scalarKernel()
{
    return head() + uR"(__global__ void rowSoftmax(const float *x, float *y, int cols)
{
    extern __shared__ float row[];

    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;

    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += kBlock) {
        const float v = in[c];
        row[c] = v;
        m = fmaxf(m, v);
    }
    m = blockMax(m);
)"_s + tail();
}

QString vectorKernel(const QString &comment)
{
    return head() + uR"(__global__ void rowSoftmax(const float *x, float *y, int cols)
{
    extern __shared__ float4 row4[];
    float *row = reinterpret_cast<float *>(row4);
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;
    // )"_s +
           comment + uR"(
    const int quads = cols % 4 == 0 ? cols / 4 : 0;

    float m = -INFINITY;
    for (int q = threadIdx.x; q < quads; q += kBlock) {
        const float4 v = reinterpret_cast<const float4 *>(in)[q];
        row4[q] = v;
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int c = 4 * quads + threadIdx.x; c < cols; c += kBlock) {
        const float v = in[c];
        row[c] = v;
        m = fmaxf(m, v);
    }
    m = blockMax(m);
)"_s + tail();
}

QString baseline()
{
    QFile file(paths::resources() + u"/tasks/row_softmax/baseline.cu"_s);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : scalarKernel();
}

QList<Invented> inventedNodes(bool running)
{
    const auto v = Verdict::Verified;
    QString broken = scalarKernel();
    broken.replace(u"blockMax(m);"_s, u"blockMax(m)"_s);
    QString wrong = scalarKernel();
    wrong.replace(u"c < cols;"_s, u"c < cols - 1;"_s);
    QList<Invented> nodes{
        {0, -1, 0, u"seed"_s, u"Naive baseline"_s, {}, {}, v, 1214, {}, true, true, baseline()},
        {1, 0, 1, u"optimise"_s, u"Coalesced access"_s, u"coalesced-access"_s, u"M3"_s, v, 391, {}, true, true,
         scalarKernel().replace(u"__expf"_s, u"expf"_s)},
        {2, 1, 2, u"optimise"_s, u"Shared-memory tiling"_s, u"shared-memory-tiling"_s, u"M8"_s, Verdict::Wrong, 0,
         u"outputs differ at rows=33 cols=4099: 8 of 24 checks"_s, false, false, wrong},
        {3,
         2,
         3,
         u"repair"_s,
         u"Guard ragged tail"_s,
         u"alignment-and-tail"_s,
         u"M10"_s,
         v,
         264,
         {},
         true,
         true,
         scalarKernel()},
        {4,
         3,
         4,
         u"optimise"_s,
         u"Warp-shuffle reduction"_s,
         u"warp-shuffle-reduction"_s,
         {},
         v,
         136.4,
         {},
         true,
         true,
         scalarKernel()},
        {5,
         4,
         5,
         u"optimise"_s,
         u"Asynchronous copy"_s,
         u"asynchronous-copy"_s,
         {},
         Verdict::Failed,
         0,
         u"build: 1 error, expected ';'"_s,
         false,
         false,
         broken},
        {6,
         4,
         6,
         u"optimise"_s,
         u"Vectorised loads"_s,
         u"vectorised-loads"_s,
         u"M11"_s,
         v,
         96.3,
         {},
         true,
         true,
         vectorKernel(u"Ragged rows are not 16-byte aligned: scalar loops only."_s)},
        {7, 6, 7, u"optimise"_s, u"Launch tuning"_s, u"launch-tuning"_s, u"M13"_s, v, 95.6, u"no change"_s, false,
         false, vectorKernel(u"Ragged rows take the scalar loops."_s).replace(u"kBlock = 256"_s, u"kBlock = 512"_s)},
        {8,
         4,
         5,
         u"human"_s,
         u"Online softmax"_s,
         u"online-softmax"_s,
         {},
         v,
         144.5,
         {},
         false,
         false,
         scalarKernel().replace(u"-INFINITY"_s, u"in[0]"_s)},
        {9, 8, 6, u"optimise"_s, u"Register row"_s, u"register-blocking"_s, u"M14"_s, Verdict::Suspect, 0,
         u"reads past the row"_s, false, false, scalarKernel()},
    };
    nodes.append({10, 6, 8, u"optimise"_s, u"Fused exp2"_s, u"approximate-transcendentals"_s, u"M20"_s,
                  Verdict::Verified, running ? 0.0 : 97.1, running ? QString() : u"no change"_s, false, false,
                  vectorKernel(u"Ragged rows are not 16-byte aligned: scalar loops only."_s)
                      .replace(u"__expf(row[c] - m)"_s, u"exp2f((row[c] - m) * kLog2e)"_s)});
    return nodes;
}

class Writer
{
public:
    ExampleSession session;

    QString blob(const QJsonObject &object)
    {
        const QByteArray content = QJsonDocument(object).toJson(QJsonDocument::Compact);
        const QString digest = digestOf(content);
        session.blobs.insert(digest, content);
        return digest;
    }
    void event(const QString &kind, const QJsonObject &data)
    {
        m_time_ms += 1700;
        session.events.append({qint64(session.events.size()) + 1, kind, m_time_ms, data});
    }

private:
    qint64 m_time_ms = 1'764'500'000'000;
};

Evaluation evaluationOf(const Invented &node)
{
    Evaluation e;
    e.verdict = node.verdict;
    e.status = node.verdict == Verdict::Failed  ? Status::BuildFailed
               : node.verdict == Verdict::Wrong ? Status::Wrong
                                                : Status::Ok;
    e.kind = TimeKind::Modelled;
    e.checks.append({u"build"_s, node.verdict == Verdict::Failed ? u"failed"_s : u"passed"_s, node.why});
    for (int i = 0; i < 6 && node.verdict != Verdict::Failed; ++i) {
        const bool bad = node.verdict == Verdict::Wrong && i > 3;
        e.checks.append({u"outputs rows=%1 cols=%2 seed %3"_s.arg(7 + 13 * i).arg(515 + 97 * i).arg(i + 1),
                         bad ? u"failed"_s : u"passed"_s,
                         bad ? u"largest error 3.1e-2 at [32, 4098]"_s : u"largest error 2.1e-7"_s});
    }
    e.checks.append({u"inputs unmodified"_s, node.verdict == Verdict::Failed ? u"not made"_s : u"passed"_s, {}});
    if (node.verdict == Verdict::Failed)
        e.findings.append({u"compile_error"_s, {}, u"solve.cu"_s, 36, {}, {}, false, 0, u"expected a ';'"_s});
    if (node.verdict == Verdict::Suspect)
        e.findings.append({u"out_of_bounds"_s,
                           u"rowSoftmax"_s,
                           u"solve.cu"_s,
                           34,
                           {1, 0, 0},
                           {255, 0, 0},
                           true,
                           4096,
                           u"reads past the row"_s});
    if (node.time_us <= 0) return e;
    const double t = node.time_us, share = std::min(1.0, 80.2 / t);
    e.timings.append({u"time"_s, 1, t, {t * 0.89, t * 1.12}, {}});
    KernelProfile k;
    k.name = u"rowSoftmax"_s;
    k.grid = {4096, 1, 1};
    k.block = {256, 1, 1};
    k.duration_us = t;
    k.timeShare = 1;
    k.roofline_us = 80.2;
    const double dram = 268435456.0 * (t > 1000 ? 3.0 : t > 300 ? 1.6 : 1.0);
    k.metrics = {{u"dram_throughput_pct"_s, 100 * share},
                 {u"sm_throughput_pct"_s, 20 + 20 * share},
                 {u"achieved_occupancy_pct"_s, 78},
                 {u"registers_per_thread"_s, 30.0 + node.id},
                 {u"dram_bytes"_s, dram},
                 {u"l2_bytes"_s, dram * 1.3},
                 {u"l1_bytes"_s, dram * 2.1},
                 {u"fp32_flops"_s, 5.0 * 4096 * 4096 * 4},
                 {u"sectors_per_request"_s, t > 1000 ? 32.0 : 4.0},
                 {u"stall_long_scoreboard"_s, 0.41}};
    k.stalls = {{u"long_scoreboard"_s, 0.2 + 0.25 * share},
                {u"barrier"_s, 0.25 - 0.15 * share},
                {u"short_scoreboard"_s, 0.08},
                {u"lg_throttle"_s, 0.06 - 0.04 * share},
                {u"wait"_s, 0.04},
                {u"selected"_s, 0.035}};
    k.hotSpots = {
        {u"solve.cu"_s, node.id == 0 ? 16 : 34, 0.38, u"long_scoreboard"_s, u"38 % of stalls, long scoreboard"_s}};
    e.profile = Profile{u"h200"_s, u"modelled"_s, {k}, 1};
    e.artefacts.insert(
        u"ptx"_s,
        u".version 8.7\n.target sm_90\n.visible .entry rowSoftmax()\n{\n    .reg .f32 %f<4>;\n    mov.u32 %r1, %tid.x; // thread\n    ld.global.f32 %f1, [%rd1];\n    ret;\n}\n"_s);
    e.manifest = {{u"compiler"_s, u"nvcc 13.0"_s}, {u"device"_s, u"h200"_s}, {u"mode"_s, u"strict"_s}};
    return e;
}

Retrieval retrievalOf(const Invented &node)
{
    Retrieval r;
    r.kernel = u"rowSoftmax"_s;
    r.tier = u"M"_s;
    r.evidence = {{u"primary_limiter_util"_s, 58.8}, {u"dram_throughput_pct"_s, 58.8}};
    const auto p = [](const QString &text, Truth truth, const QString &field, const QVariant &value) {
        return PredicateTrace{text, truth, {{field, value}}};
    };
    r.bottlenecks = {{u"memory_latency"_s,
                      u"Memory latency"_s,
                      Truth::True,
                      {p(u"dram_throughput_pct >= 40"_s, Truth::True, u"dram_throughput_pct"_s, 58.8),
                       p(u"dram_throughput_pct < 80"_s, Truth::True, u"dram_throughput_pct"_s, 58.8),
                       p(u"stall_long_scoreboard >= 0.30"_s, Truth::True, u"stall_long_scoreboard"_s, 0.41)}},
                     {u"memory_bandwidth"_s,
                      u"Memory bandwidth"_s,
                      Truth::False,
                      {p(u"dram_throughput_pct >= 80"_s, Truth::False, u"dram_throughput_pct"_s, 58.8)}},
                     {u"shared_conflict"_s,
                      u"Shared-memory bank conflicts"_s,
                      Truth::Unknown,
                      {p(u"shared_bank_conflicts >= 2"_s, Truth::Unknown, u"shared_bank_conflicts"_s, {})}}};
    CaseTrace c{u"memory_latency.rows"_s,
                u"memory_latency"_s,
                u"Contiguous rows, aligned base"_s,
                Truth::True,
                {},
                {u"M11"_s, u"M4"_s},
                {u"M8"_s},
                true};
    c.predicates = {p(u"is_aligned_vector_access == true"_s, Truth::True, u"is_aligned_vector_access"_s, true),
                    p(u"spilled_bytes == 0"_s, Truth::Unknown, u"spilled_bytes"_s, {})};
    r.cases = {c};
    r.allowed = {{node.method, node.skill, 0.31, false, false, u"expected 1.35× from 11 uses on sm_90"_s},
                 {u"M14"_s, u"register-blocking"_s, 0.11, false, false, u"6 won, 4 lost, wide interval"_s},
                 {{}, u"asynchronous-copy"_s, 0.04, false, true, u"policy order 3"_s}};
    r.forbidden = {u"M8"_s, u"M6"_s};
    r.explanation =
        u"The kernel waits for memory but does not saturate it: more bytes in flight per access help most."_s;
    return r;
}

Plan planOf(const Invented &node)
{
    Plan plan;
    plan.method = node.method;
    plan.skill = node.skill;
    plan.rationale =
        u"Read and write rows as float4 where a row is a multiple of 16 bytes. Keep the scalar loops for ragged rows."_s;
    plan.parameters = {{u"vector_width"_s, 4}, {u"threads"_s, 256}};
    plan.promises = {{u"dram_throughput_pct"_s, u"at least 80"_s}, {u"registers_per_thread"_s, u"at most 40"_s}};
    return plan;
}

QJsonArray observedOf(const Invented &node, const Evaluation &before, const Evaluation &after)
{
    const auto value = [](const Evaluation &e, const QString &metric) -> std::optional<double> {
        const KernelProfile *k = e.profile.deciding();
        return k ? k->metric(metric) : std::nullopt;
    };
    QJsonArray result;
    for (const auto &[metric, promised] :
         {std::pair(u"dram_throughput_pct"_s, u"at least 80"_s), std::pair(u"registers_per_thread"_s, u"at most 40"_s),
          std::pair(u"stall_long_scoreboard"_s, u"lower"_s)}) {
        QJsonObject entry{{u"metric"_s, metric}, {u"promised"_s, promised}};
        const auto b = value(before, metric), a = value(after, metric);
        if (b) entry[u"before"_s] = *b;
        if (a) entry[u"after"_s] = *a;
        if (a)
            entry[u"kept"_s] = metric == "stall_long_scoreboard"_L1 ? false
                               : metric.startsWith("dram"_L1)       ? *a >= 80
                                                                    : *a <= 40;
        result.append(entry);
    }
    Q_UNUSED(node)
    return result;
}

QJsonArray bounds(const Interval &i)
{
    return {i.low, i.high};
}

void addNode(Writer &w, const Invented &n, QHash<int, Evaluation> &evaluations, bool stillRunning)
{
    const bool planned = n.kind == "optimise"_L1 || n.kind == "human"_L1;
    if (n.round > 0) w.event(u"round.start"_s, {{u"round"_s, n.round}, {u"base"_s, n.parent}});
    if (planned) {
        const Retrieval r = retrievalOf(n);
        w.event(u"role.call"_s,
                {{u"role"_s, u"features"_s}, {u"agent"_s, u"expert"_s}, {u"round"_s, n.round}, {u"wall_ms"_s, 12}});
        w.event(u"round.features"_s, {{u"round"_s, n.round},
                                      {u"base"_s, n.parent},
                                      {u"features"_s, QJsonObject{{u"kernel_structure_id"_s, u"S3"_s}}},
                                      {u"agent"_s, u"expert"_s}});
        w.event(u"round.retrieval"_s, {{u"round"_s, n.round},
                                       {u"base"_s, n.parent},
                                       {u"retrieval_blob"_s, w.blob(r.toJson())},
                                       {u"chosen_case"_s, u"memory_latency.rows"_s}});
        w.event(u"role.call"_s,
                {{u"role"_s, u"planner"_s}, {u"agent"_s, u"expert"_s}, {u"round"_s, n.round}, {u"wall_ms"_s, 3100}});
        w.event(
            u"round.plan"_s,
            {{u"round"_s, n.round}, {u"base"_s, n.parent}, {u"plan"_s, planOf(n).toJson()}, {u"agent"_s, u"expert"_s}});
    }
    w.event(u"node.start"_s, {{u"node"_s, n.id},
                              {u"parent"_s, n.parent},
                              {u"round"_s, n.round},
                              {u"kind"_s, n.kind},
                              {u"agent"_s, u"expert"_s}});
    w.event(u"role.call"_s, {{u"role"_s, n.kind == "repair"_L1 ? u"repairer"_s
                                         : n.id == 0           ? u"generator"_s
                                                               : u"optimizer"_s},
                             {u"agent"_s, u"expert"_s},
                             {u"round"_s, n.round},
                             {u"node"_s, n.id},
                             {u"wall_ms"_s, 2140},
                             {u"tokens_in"_s, 4000},
                             {u"tokens_out"_s, 900},
                             {u"cost_usd"_s, 0.04}});
    QJsonObject candidate{{u"node"_s, n.id},
                          {u"candidate_blob"_s, w.blob(Candidate::fromText(u"solve.cu"_s, n.code).toJson())},
                          {u"summary"_s, n.summary},
                          {u"method"_s, n.method},
                          {u"skill"_s, n.skill}};
    if (planned) candidate[u"plan"_s] = planOf(n).toJson();
    w.event(u"node.candidate"_s, candidate);
    if (stillRunning) return;
    const Evaluation e = evaluationOf(n);
    evaluations[n.id] = e;
    QJsonObject data{{u"node"_s, n.id},
                     {u"evaluation_blob"_s, w.blob(e.toJson())},
                     {u"status"_s, toString(e.status)},
                     {u"verdict"_s, toString(e.verdict)},
                     {u"kind"_s, u"modelled"_s},
                     {u"why"_s, n.why}};
    if (const auto work = workOf(e.profile))
        data[u"work"_s] = QJsonObject{{u"flops"_s, work->flops}, {u"dram_bytes"_s, work->dramBytes}, {u"time_us"_s, work->time_us}};
    if (e.time_us()) {
        data[u"time_us"_s] = *e.time_us();
        data[u"interval"_s] = bounds(*e.interval());
        const double value = 1214 / n.time_us;
        data[u"speedup"_s] = value;
        data[u"speedup_interval"_s] = n.id == 0 ? QJsonArray{1, 1} : QJsonArray{value * 0.89, value * 1.13};
        if (n.parent >= 0 && evaluations.value(n.parent).time_us()) {
            const double step = *evaluations.value(n.parent).time_us() / n.time_us;
            data[u"step_speedup"_s] = step;
            data[u"step_interval"_s] = QJsonArray{step * 0.94, step * 1.07};
            data[u"observed"_s] = observedOf(n, evaluations.value(n.parent), e);
        }
    }
    w.event(u"node.evaluated"_s, data);
    if (n.base || n.best) w.event(u"node.promoted"_s, {{u"node"_s, n.id}, {u"base"_s, n.base}, {u"best"_s, n.best}});
}

} // namespace

QString digestOf(const QByteArray &content)
{
    return QString::fromLatin1(QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex());
}

namespace {

ExampleSession sessionOf(const QList<Invented> &nodes, bool running)
{
    Writer w;
    RunSettings settings;
    settings.taskFolder = paths::resources() + u"/tasks/row_softmax"_s;
    settings.rounds = 12;
    settings.budget = {1200, 2};
    w.event(
        u"session.start"_s,
        {{u"task"_s, u"row_softmax"_s}, {u"task_folder"_s, settings.taskFolder}, {u"settings"_s, settings.toJson()}});
    QHash<int, Evaluation> evaluations;
    for (const Invented &node : nodes)
        addNode(w, node, evaluations, running && node.id == nodes.last().id);
    if (!running) w.event(u"run.ended"_s, {{u"by"_s, u"rounds"_s}});
    return w.session;
}

Invented failedRepair(int id, int parent, bool builds)
{
    return {id, parent, id, u"repair"_s, u"Repair %1"_s.arg(id), {}, {}, builds ? Verdict::Wrong : Verdict::Failed, 0,
            builds ? u"outputs differ at rows=33 cols=4099"_s : u"build: 1 error, expected ';'"_s, false, false,
            scalarKernel() + u"// attempt %1\n"_s.arg(id)};
}

} // namespace

ExampleSession exampleSession(bool running)
{
    return sessionOf(inventedNodes(running), running);
}

ExampleSession sessionWithFailedRepairs()
{
    const QList<Invented> all = inventedNodes(false);
    const auto as = [&](int from, int id, int parent, int round) {
        Invented node = all[from];
        node.id = id;
        node.parent = parent;
        node.round = round;
        return node;
    };
    QList<Invented> nodes{all[0], as(2, 1, 0, 1), failedRepair(2, 1, false), failedRepair(3, 2, true), as(3, 4, 3, 4), as(5, 5, 4, 5)};
    for (int id = 6; id < 10; ++id)
        nodes.append(failedRepair(id, id - 1, id % 2 == 0));
    nodes.append(as(6, 10, 4, 10));
    return sessionOf(nodes, false);
}

ExampleSession longSession(int nodes)
{
    return longSession(nodes, exampleSession(false));
}

ExampleSession longSession(int nodes, const ExampleSession &once)
{
    const Trajectory trajectory = Trajectory::fold(once.events);
    const int perTurn = int(trajectory.nodes.size()) - 1, rounds = trajectory.lastRound();
    ExampleSession result{{}, once.blobs};
    const auto add = [&result](Event event) {
        event.sequence = result.events.size() + 1;
        result.events.append(event);
    };
    int turn = 0;
    // Each turn's work is its own, as in a session that really took that long.
    const auto ownBlob = [&](const QString &digest) {
        QJsonObject object = QJsonDocument::fromJson(once.blobs.value(digest)).object();
        object.insert(u"turn"_s, turn);
        const QByteArray content = QJsonDocument(object).toJson(QJsonDocument::Compact);
        const QString own = digestOf(content);
        result.blobs.insert(own, content);
        return own;
    };
    const auto shifted = [&](const QString &name, int value) {
        if (name == "round"_L1) return value == 0 ? 0 : value + turn * rounds;
        if (value > 0) return value + turn * perTurn;
        return value < 0 || turn == 0 ? value : (turn - 1) * perTurn + trajectory.best; // the last turn's best
    };
    for (; turn * perTurn < nodes; ++turn) {
        for (Event event : once.events) {
            const bool ofNodeZero = event.data.contains("node"_L1) && event.data["node"_L1].toInt() == 0;
            if (event.kind == "run.ended"_L1 || (turn > 0 && (event.kind == "session.start"_L1 || ofNodeZero))) continue;
            for (const QString &name : {u"node"_s, u"parent"_s, u"base"_s, u"round"_s}) {
                if (event.data.value(name).isDouble()) event.data[name] = shifted(name, event.data[name].toInt());
            }
            for (const QString &name : {u"candidate_blob"_s, u"evaluation_blob"_s, u"retrieval_blob"_s}) {
                if (const QString digest = event.data.value(name).toString(); turn > 0 && !digest.isEmpty())
                    event.data[name] = ownBlob(digest);
            }
            add(event);
        }
    }
    add(once.events.last());
    return result;
}

Result<void> writeExampleSession(const QString &path, bool running)
{
    return writeSession(path, exampleSession(running));
}

Result<void> writeSession(const QString &path, const ExampleSession &session)
{
    QFile::remove(path);
    auto file = SessionFile::create(path);
    if (!file) return std::unexpected(file.error());
    for (const QByteArray &blob : session.blobs) {
        if (const auto put = file->putBlob(blob); !put) return std::unexpected(put.error());
    }
    if (const auto appended = file->append(session.events); !appended) return std::unexpected(appended.error());
    return {};
}

} // namespace kernelskill
