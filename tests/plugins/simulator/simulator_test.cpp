// SPDX-License-Identifier: Apache-2.0
#include "simulator_test.h"

#include "plugin/simulator_evaluator.h"

#include <QCoroTask>
#include <QDir>
#include <QFile>

namespace kernelskill::test {

namespace {

QString textOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("missing fixture %s", qPrintable(path));
    return QString::fromUtf8(file.readAll());
}

Task taskIn(const QString &folder)
{
    const Result<Task> task = readTask(folder);
    if (!task) qFatal("%s", qPrintable(task.error().message));
    return *task;
}

} // namespace

void useOwnFolders()
{
    const QString folder = QStringLiteral(BUILD_DIR "/tests/simulator-home");
    QDir().mkpath(folder);
    qputenv("XDG_CACHE_HOME", (folder + QStringLiteral("/cache")).toLocal8Bit());
    qputenv("XDG_DATA_HOME", (folder + QStringLiteral("/data")).toLocal8Bit());
}

QString fixture(const QString &name)
{
    return textOf(QStringLiteral(TEST_DIR "/fixtures/") + name);
}

Task fixtureTask(const QString &name)
{
    return taskIn(QStringLiteral(TEST_DIR "/fixtures/") + name);
}

Task bundledTask(const QString &name)
{
    return taskIn(QStringLiteral(SOURCE_DIR "/resources/tasks/") + name);
}

Candidate candidate(const QString &fixtureName)
{
    return Candidate::fromText(QStringLiteral("solve.cu"), fixture(fixtureName));
}

simulator::BuildProduct build(const Task &task, const Candidate &candidate)
{
    const auto installation = simulator::Installation::find();
    const auto compiler = simulator::Compiler::find(QStringLiteral("clang"));
    if (!installation || !compiler)
        qFatal("%s", qPrintable(installation ? compiler.error().message : installation.error().message));
    const auto product = QCoro::waitFor(simulator::build({task, candidate, *compiler, *installation, false}, {}));
    if (!product) qFatal("%s %s", qPrintable(product.error().message), qPrintable(product.error().detail));
    return *product;
}

Evaluation evaluate(const Task &task, const Candidate &candidate, bool time, const QJsonObject &settings)
{
    simulator::SimulatorEvaluator evaluator(settings);
    EvaluationRequest request;
    request.task = task;
    request.candidate = candidate;
    request.time = time;
    const auto evaluation = QCoro::waitFor(evaluator.evaluate(request, {}, {}));
    if (!evaluation) qFatal("%s %s", qPrintable(evaluation.error().message), qPrintable(evaluation.error().detail));
    return *evaluation;
}

const Finding *findingOf(const Evaluation &evaluation, const QString &kind)
{
    for (const Finding &finding : evaluation.findings) {
        if (finding.kind == kind) return &finding;
    }
    return nullptr;
}

const Check *checkNamed(const Evaluation &evaluation, const QString &name)
{
    for (const Check &check : evaluation.checks) {
        if (check.name == name) return &check;
    }
    return nullptr;
}

QByteArray describe(const Evaluation &evaluation)
{
    QString text =
        QStringLiteral("status %1, verdict %2\n").arg(toString(evaluation.status), toString(evaluation.verdict));
    for (const Check &check : evaluation.checks) {
        if (check.outcome != QLatin1String("passed"))
            text += QStringLiteral("  check %1: %2 %3\n").arg(check.name, check.outcome, check.detail);
    }
    for (const Finding &finding : evaluation.findings)
        text += QStringLiteral("  finding %1 at %2:%3: %4\n")
                    .arg(finding.kind, finding.file)
                    .arg(finding.line)
                    .arg(finding.message);
    return (text + evaluation.log).toUtf8();
}

} // namespace kernelskill::test
