// SPDX-License-Identifier: Apache-2.0
#include "settings/theme.h"
#include "shell/command_line.h"
#include "shell/main_window.h"
#include "shell/screenshot.h"

#include <QApplication>
#include <QIcon>

#include <cstdio>

int main(int argc, char **argv)
{
    using namespace kernelskill;
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("kernelskill-workbench"));
    QApplication::setApplicationDisplayName(QStringLiteral("KernelSkill Workbench"));
    QApplication::setDesktopFileName(QStringLiteral("kernelskill-workbench"));

    const auto options = parseCommandLine(QApplication::arguments());
    if (!options) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(options.error().message));
        return options.error().code == QLatin1StringView("usage.help") ? 0 : 2;
    }
    Theme::instance().setMode(options->theme);
    Theme::instance().applyToApplication();

    MainWindow window(*options);
    window.show();
    if (!options->screenshot.isEmpty()) takeScreenshotWhenSettled(&window, options->screenshot);
    return QApplication::exec();
}
