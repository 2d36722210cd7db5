// SPDX-License-Identifier: Apache-2.0
// make_example_session FILE [running]
#include "example_session.h"

#include <QCoreApplication>

#include <cstdio>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc < 2) return 2;
    const auto written = kernelskill::writeExampleSession(QString::fromLocal8Bit(argv[1]), argc > 2);
    if (!written) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(written.error().message));
        return 1;
    }
    return 0;
}
