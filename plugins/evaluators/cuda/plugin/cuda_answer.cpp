// SPDX-License-Identifier: Apache-2.0
#include "cuda_answer.h"

#include "evaluation/checks.h"
#include "evaluation/compile_diagnostics.h"
#include "evaluation/worker_answer.h"

#include <QJsonArray>

namespace kernelskill::cuda {

namespace {

QString text(const QJsonObject &object, QLatin1String key)
{
    return object.value(key).toString();
}

// False when the candidate could not be built.
bool addBuild(const QJsonObject &build, const QString &mainFile, Evaluation &evaluation)
{
    evaluation.log += text(build, QLatin1String("log"));
    for (const QLatin1String kind : {QLatin1String("ptx"), QLatin1String("sass")}) {
        if (const QString code = text(build, kind); !code.isEmpty()) evaluation.artefacts.insert(kind, code);
    }
    evaluation.manifest.insert(QStringLiteral("build_cached"), build.value(u"cached").toBool());
    evaluation.manifest.insert(QStringLiteral("build_ms"), 1000 * build.value(u"seconds").toDouble());
    if (build.value(u"ok").toBool(true)) {
        evaluation.checks.append(checks::passed(QStringLiteral("build")));
        return true;
    }
    evaluation.status = Status::BuildFailed;
    evaluation.findings += compileErrors(text(build, QLatin1String("log")), mainFile);
    evaluation.checks.append(checks::failed(
        QStringLiteral("build"), evaluation.findings.isEmpty() ? QString() : evaluation.findings.first().message));
    return false;
}

} // namespace

void addAnswer(const QJsonObject &answer, const QString &device, const QString &mainFile, Evaluation &evaluation)
{
    const QJsonObject build = answer.value(u"build").toObject();
    const bool built = addBuild(build, mainFile, evaluation);
    addWorkerAnswer(answer, device, TimeKind::Measured, evaluation);
    if (!built && evaluation.status != Status::Timeout) evaluation.status = Status::BuildFailed;
    if (const QJsonArray resources = build.value(u"resources").toArray(); !resources.isEmpty())
        evaluation.evidence.insert(QStringLiteral("resources"), resources);
}

std::optional<Error> troubleIn(const QJsonObject &answer, const QString &log)
{
    const QString message = text(answer, QLatin1String("error"));
    if (message.isEmpty()) return {};
    const QString code = text(answer, QLatin1String("code"));
    return Error{code.isEmpty() ? QStringLiteral("environment.cuda") : code, message, log};
}

bool explainWorkerEnd(const Error &error, bool greeted, Evaluation &evaluation)
{
    if (!greeted) return false;
    if (error.code == QLatin1String("worker.timeout")) {
        evaluation.status = Status::Timeout;
        evaluation.findings.append(checks::finding(
            QStringLiteral("timeout"), QStringLiteral("the evaluation was given up: %1").arg(error.message)));
        return true;
    }
    if (error.code == QLatin1String("worker.died") || error.code == QLatin1String("worker.protocol")) {
        evaluation.status = Status::Crashed;
        evaluation.findings.append(
            checks::finding(QStringLiteral("worker_fault"),
                            QStringLiteral("the CUDA worker itself failed on this candidate: %1").arg(error.message)));
        evaluation.log += error.detail;
        return true;
    }
    return false;
}

} // namespace kernelskill::cuda
