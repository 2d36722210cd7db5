// SPDX-License-Identifier: Apache-2.0
// What the simulator's tests share: fixtures as candidates, evaluation, a look at the outcome.
#pragma once

#include "evaluation/evaluator.h"
#include "frontend/build.h"

#include <QJsonObject>
#include <QString>

namespace kernelskill::test {

// A cache folder of the tests' own, so that builds are shared between them and nothing of the user's is touched.
void useOwnFolders();
[[nodiscard]] QString fixture(const QString &name);                            // the text of fixtures/NAME
[[nodiscard]] Task fixtureTask(const QString &name = QStringLiteral("scale")); // fixtures/NAME
[[nodiscard]] Task bundledTask(const QString &name);                           // resources/tasks/NAME
[[nodiscard]] Candidate candidate(const QString &fixtureName);                 // as "solve.cu"

[[nodiscard]] simulator::BuildProduct build(const Task &task, const Candidate &candidate);
// Aborts the test program when the evaluator itself is in trouble: no test goes on from there.
[[nodiscard]] Evaluation evaluate(const Task &task, const Candidate &candidate, bool time = false,
                                  const QJsonObject &settings = {});

[[nodiscard]] const Finding *findingOf(const Evaluation &evaluation, const QString &kind);
[[nodiscard]] const Check *checkNamed(const Evaluation &evaluation, const QString &name);
// Status, verdict, checks that did not pass and findings, for a failing test's message.
[[nodiscard]] QByteArray describe(const Evaluation &evaluation);

} // namespace kernelskill::test
