// SPDX-License-Identifier: Apache-2.0
// A run told on stderr as it goes, and its end on stdout.
#pragma once

#include "command.h"

#include "engine/run.h"

#include <QHash>
#include <QObject>

namespace kernelskill::cli {

class RunReporter : public QObject
{
public:
    explicit RunReporter(Run *run);

private:
    void tell(const Event &event);
    void tellCall(const QJsonObject &data);
    void tellEvaluated(const QJsonObject &data);
    QHash<int, QString> m_titles; // node → "memory-coalescing"
    const Run *m_run;
};

// Runs or resumes to the end, prints the result, returns the exit code.
// `endsAsAsked`: being left open to be resumed is what was asked for, not an interruption.
int runAndReport(const std::function<QCoro::Task<Result<RunSummary>>(Run &)> &begin, const QString &memoryOption, bool json,
                 bool endsAsAsked = false);

} // namespace kernelskill::cli
