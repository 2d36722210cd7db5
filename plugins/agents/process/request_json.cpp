// SPDX-License-Identifier: Apache-2.0
#include "request_json.h"

#include <QJsonArray>

namespace kernelskill::process {

namespace {

// Its low 53 bits: every JSON reader has them exactly.
constexpr quint64 exactBits = (quint64(1) << 53) - 1;

QJsonObject toJson(const Sizes &sizes)
{
    QJsonObject object;
    for (auto size = sizes.begin(); size != sizes.end(); ++size)
        object.insert(size.key(), size.value());
    return object;
}

QString nameOf(Distribution::Kind kind)
{
    switch (kind) {
    case Distribution::Kind::Normal: return QStringLiteral("normal");
    case Distribution::Kind::Uniform: return QStringLiteral("uniform");
    case Distribution::Kind::Integer: return QStringLiteral("integer");
    case Distribution::Kind::Bernoulli: return QStringLiteral("bernoulli");
    case Distribution::Kind::Constant: return QStringLiteral("constant");
    case Distribution::Kind::Permutation: return QStringLiteral("permutation");
    }
    return {};
}

QString nameOf(Parameter::Role role)
{
    switch (role) {
    case Parameter::Role::In: return QStringLiteral("in");
    case Parameter::Role::Out: return QStringLiteral("out");
    case Parameter::Role::InOut: return QStringLiteral("inout");
    }
    return {};
}

QJsonObject toJson(const Parameter &parameter)
{
    QJsonObject object{{"name", parameter.name}, {"dtype", parameter.dtype}};
    if (parameter.kind == Parameter::Kind::Scalar) {
        object.insert("kind", "scalar");
        object.insert("value", parameter.value.text());
        return object;
    }
    QJsonArray shape;
    for (const Expression &extent : parameter.shape)
        shape.append(extent.text());
    object.insert("kind", "tensor");
    object.insert("shape", shape);
    object.insert("role", nameOf(parameter.role));
    if (parameter.isRead()) {
        object.insert("values", QJsonObject{{"kind", nameOf(parameter.values.kind)},
                                            {"first", parameter.values.first},
                                            {"second", parameter.values.second}});
    }
    return object;
}

QJsonObject toJson(const Attempt &attempt)
{
    return {{"node", attempt.node},
            {"base_node", attempt.baseNode},
            {"method", attempt.method},
            {"skill", attempt.skill},
            {"parameters", attempt.parameters},
            {"code_digest", QString::fromLatin1(attempt.codeDigest)},
            {"outcome", attempt.outcome},
            {"speedup_over_base", attempt.speedupOverBase > 0 ? QJsonValue(attempt.speedupOverBase) : QJsonValue()},
            {"why", attempt.why}};
}

QJsonObject toJson(const RepairAttempt &attempt)
{
    return {{"node", attempt.node},
            {"error_class", attempt.errorClass},
            {"cause", attempt.cause},
            {"fix", attempt.fix},
            {"result", attempt.result}};
}

template <class Value> QJsonArray arrayOf(const QList<Value> &values)
{
    QJsonArray array;
    for (const Value &value : values)
        array.append(toJson(value));
    return array;
}

QJsonArray skillsOf(const QList<Skill> &skills)
{
    QJsonArray array;
    for (const Skill &skill : skills)
        array.append(skill.toJson());
    return array;
}

template <class Value> QJsonValue orNull(const std::optional<Value> &value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

} // namespace

QJsonObject toJson(const Task &task)
{
    QJsonArray edges, times;
    for (const Sizes &sizes : task.edge)
        edges.append(toJson(sizes));
    for (const TimeSize &size : task.time) {
        times.append(QJsonObject{{"name", size.name},
                                 {"weight", size.weight},
                                 {"sizes", toJson(size.sizes)},
                                 {"max_regression", size.maxRegression}});
    }
    return {{"name", task.name},
            {"title", task.title},
            {"description", task.description},
            {"kind", task.kind},
            {"folder", task.folder},
            {"sizes", QJsonObject{{"check", toJson(task.check)}, {"edge", edges}, {"time", times}}},
            {"parameters", arrayOf(task.parameters)},
            {"tolerance", QJsonObject{{"absolute", task.tolerance.absolute}, {"relative", task.tolerance.relative}}},
            {"work", QJsonObject{{"flops", task.flops.text()}, {"bytes", task.bytes.text()}}},
            {"graph", task.graph ? QJsonValue(task.graph->toJson()) : QJsonValue()},
            {"reference", task.reference},
            {"baseline", task.baseline.toJson()},
            {"generate", orNull(task.generateHook)},
            {"check", orNull(task.checkHook)},
            {"prepare_entry", orNull(task.prepareEntry)},
            {"solve_declaration", task.solveDeclaration()}};
}

QJsonObject toJson(const GenerateRequest &request)
{
    return {{"task", toJson(request.task)}, {"count", request.count}};
}

QJsonObject toJson(const FeatureRequest &request)
{
    return {{"task", toJson(request.task)}, {"candidate", request.candidate.toJson()}, {"profile", request.profile.toJson()}};
}

QJsonObject toJson(const PlanRequest &request)
{
    return {{"task", toJson(request.task)},
            {"base", request.base.toJson()},
            {"evaluation", request.evaluation.toJson()},
            {"features", QJsonObject::fromVariantMap(request.features)},
            {"retrieval", request.retrieval.toJson()},
            {"skills", skillsOf(request.skills)},
            {"attempts", arrayOf(request.attempts.all())},
            {"refusals", QJsonArray::fromStringList(request.refusals)}};
}

QJsonObject toJson(const OptimizeRequest &request)
{
    return {{"task", toJson(request.task)},
            {"base", request.base.toJson()},
            {"evaluation", request.evaluation.toJson()},
            {"features", QJsonObject::fromVariantMap(request.features)},
            {"plan", request.plan.toJson()},
            {"skill", request.skill.toJson()},
            {"attempts", arrayOf(request.attempts.all())}};
}

QJsonObject toJson(const DiagnoseRequest &request)
{
    return {{"task", toJson(request.task)},
            {"candidate", request.candidate.toJson()},
            {"evaluation", request.evaluation.toJson()},
            {"base", request.base.isEmpty() ? QJsonValue() : QJsonValue(request.base.toJson())},
            {"chain", arrayOf(request.chain)}};
}

QJsonObject toJson(const RepairRequest &request)
{
    QJsonObject object = toJson(request.failure);
    object.insert("diagnosis", request.diagnosis.toJson());
    return object;
}

QJsonObject toJson(const DistillRequest &request)
{
    return {{"task", toJson(request.task)},
            {"plan", request.plan.toJson()},
            {"before", request.before.toJson()},
            {"after", request.after.toJson()},
            {"profile_before", request.profileBefore.toJson()},
            {"profile_after", request.profileAfter.toJson()},
            {"draft", request.draft}};
}

QJsonObject toJson(const RoleContext &context)
{
    return {{"seed", qint64(context.seed & exactBits)},
            {"round", context.round},
            {"device", context.device},
            {"session", context.session},
            {"person", bool(context.ask)},
            {"allowance", QJsonObject{{"money_usd", orNull(context.allowance.money_usd)},
                                      {"tokens", orNull(context.allowance.tokens)},
                                      {"calls", orNull(context.allowance.calls)}}}};
}

} // namespace kernelskill::process
