// SPDX-License-Identifier: Apache-2.0
// make_example_session FILE [running|repairs] [memory MEMORY]
#include "example_memory.h"
#include "example_session.h"

#include <QCoreApplication>

#include <cstdio>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc < 2) return 2;
    const QStringList arguments = application.arguments();
    const QString memory = arguments.value(arguments.indexOf(QStringLiteral("memory")) + 1);
    auto written = arguments.contains(QStringLiteral("repairs"))
                       ? kernelskill::writeSession(arguments[1], kernelskill::sessionWithFailedRepairs())
                       : kernelskill::writeExampleSession(arguments[1], arguments.contains(QStringLiteral("running")));
    if (written && arguments.contains(QStringLiteral("memory")))
        written = kernelskill::writeExampleMemory(memory, arguments[1]);
    if (!written) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(written.error().message));
        return 1;
    }
    return 0;
}
