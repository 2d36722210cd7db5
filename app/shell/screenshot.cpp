// SPDX-License-Identifier: Apache-2.0
#include "shell/screenshot.h"

#include "shell/main_window.h"

#include <QApplication>
#include <QTimer>

#include <cstdio>

namespace kernelskill {

void takeScreenshotWhenSettled(MainWindow *window, const QString &path)
{
    auto *timer = new QTimer(window);
    timer->setInterval(50);
    QObject::connect(timer, &QTimer::timeout, window, [window, timer, path, quiet = 0]() mutable {
        // Settled twice in a row: the first quiet moment may be the one between two steps.
        quiet = window->isSettled() ? quiet + 1 : 0;
        if (quiet < 4) return;
        timer->stop();
        const bool written = window->grab().save(path, "PNG");
        if (!written) std::fprintf(stderr, "The picture cannot be written to %s.\n", qUtf8Printable(path));
        QApplication::exit(written ? 0 : 1);
    });
    timer->start();
}

} // namespace kernelskill
