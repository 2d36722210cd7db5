// SPDX-License-Identifier: Apache-2.0
#include "settings/theme.h"
#include "shell/command_line.h"
#include "shell/main_window.h"
#include "shell/screenshot.h"

#include <QApplication>
#include <QIcon>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

// Help needs no display.
bool asksForHelp(int argc, char **argv)
{
    return std::any_of(argv + 1, argv + argc, [](const char *argument) {
        return std::string_view(argument) == "--help" || std::string_view(argument) == "-h";
    });
}

} // namespace

int main(int argc, char **argv)
{
    using namespace kernelskill;
    if (asksForHelp(argc, argv)) {
        const QCoreApplication application(argc, argv);
        std::fprintf(stdout, "%s\n", qUtf8Printable(parseCommandLine({QString::fromLocal8Bit(argv[0]), QStringLiteral("--help")}).error().message));
        return 0;
    }
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
