// SPDX-License-Identifier: Apache-2.0
// kernelskill-simulate: see program/README.md.
#include "program/simulate.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QTextStream>

#include <cstdio>

using namespace kernelskill;
using namespace kernelskill::simulator;

namespace {

enum ExitCode { Failed = 1, WrongUsage = 2, EnvironmentLacks = 3 };

void say(const QString &text)
{
    QTextStream(stderr) << text << '\n';
}

void print(bool isError, const QByteArray &text)
{
    FILE *stream = isError ? stderr : stdout;
    std::fwrite(text.constData(), 1, std::size_t(text.size()), stream);
    std::fflush(stream);
}

int report(const Error &error, bool json)
{
    say(QStringLiteral("kernelskill: %1").arg(error.message));
    if (!error.detail.isEmpty()) say(error.detail);
    if (json) {
        const QJsonObject object{{QStringLiteral("error"), QJsonObject{{QStringLiteral("code"), error.code},
                                                                       {QStringLiteral("message"), error.message},
                                                                       {QStringLiteral("detail"), error.detail}}}};
        print(false, QJsonDocument(object).toJson());
    }
    return error.code.startsWith(QStringLiteral("gpu.")) ? WrongUsage : EnvironmentLacks;
}

int report(const ProgramOutcome &outcome, const ProgramOptions &options)
{
    if (options.json) {
        print(false, QJsonDocument(toJson(outcome)).toJson());
        return outcome.exitStatus();
    }
    std::fflush(stdout);
    for (const Finding &finding : outcome.findings)
        say(findingText(finding));
    if (options.profile) print(false, profileText(outcome).toUtf8());
    return outcome.exitStatus();
}

} // namespace

int main(int argc, char *argv[])
{
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("kernelskill"));
    const auto options = readArguments(QCoreApplication::arguments().mid(1));
    if (!options) {
        say(QStringLiteral("kernelskill simulate: %1. “kernelskill simulate --help” lists what it takes.")
                .arg(options.error()));
        return WrongUsage;
    }
    if (options->help) {
        print(false, helpText().toUtf8());
        return 0;
    }
    std::function<void(bool, const QByteArray &)> printed;
    if (!options->json) printed = print;
    const auto outcome = QCoro::waitFor(simulate(*options, printed, {}));
    return outcome ? report(*outcome, *options) : report(outcome.error(), options->json);
}
