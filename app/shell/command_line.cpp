// SPDX-License-Identifier: Apache-2.0
#include "shell/command_line.h"

#include <QCommandLineParser>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace kernelskill {

Result<CommandLine> parseCommandLine(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(u"Optimises GPU kernels with agents and a memory of skills."_s);
    parser.addPositionalArgument(u"FILE"_s, u"A session file or a task folder."_s, u"[FILE…]"_s);
    const QCommandLineOption help({u"h"_s, u"help"_s}, u"Shows this text."_s);
    const QCommandLineOption perspective(u"perspective"_s, u"Tune, Teach or Review."_s, u"NAME"_s);
    const QCommandLineOption panel(u"panel"_s, u"Shows Skills, Why, Evidence, Transcript or Log."_s, u"NAME"_s);
    const QCommandLineOption select(u"select"_s, u"Selects a node."_s, u"NODE"_s);
    const QCommandLineOption size(u"size"_s, u"Size of the window, 1600x1000."_s, u"WxH"_s);
    const QCommandLineOption theme(u"theme"_s, u"light or dark; else as the desktop."_s, u"NAME"_s);
    const QCommandLineOption screenshot(u"screenshot"_s, u"Writes a picture of the window and ends."_s, u"OUT.png"_s);
    const QCommandLineOption run(u"run"_s, u"Starts the run at once."_s);
    const QCommandLineOption atRound(u"at-round"_s, u"Takes the picture while this round of the run is under way."_s,
                                     u"N"_s);
    parser.addOptions({help, atRound, perspective, panel, select, size, theme, screenshot, run});
    if (!parser.parse(arguments)) return failure(u"usage.wrong"_s, parser.errorText());
    if (parser.isSet(help)) return failure(u"usage.help"_s, parser.helpText());

    CommandLine result;
    result.files = parser.positionalArguments();
    result.perspective = parser.value(perspective);
    result.panel = parser.value(panel);
    if (!result.perspective.isEmpty() &&
        !QStringList{u"Tune"_s, u"Teach"_s, u"Review"_s}.contains(result.perspective, Qt::CaseInsensitive))
        return failure(u"usage.wrong"_s, u"--perspective takes Tune, Teach or Review."_s);
    if (parser.isSet(select)) {
        bool isNumber = false;
        result.select = parser.value(select).toInt(&isNumber);
        if (!isNumber || result.select < 0) return failure(u"usage.wrong"_s, u"--select takes the number of a node."_s);
    }
    if (parser.isSet(size)) {
        static const QRegularExpression form(u"^(\\d{3,5})[x×](\\d{3,5})$"_s);
        const auto match = form.match(parser.value(size));
        if (!match.hasMatch()) return failure(u"usage.wrong"_s, u"--size takes width and height, like 1600x1000."_s);
        result.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
    }
    if (parser.isSet(theme)) {
        if (parser.value(theme) != "light"_L1 && parser.value(theme) != "dark"_L1)
            return failure(u"usage.wrong"_s, u"--theme takes light or dark."_s);
        result.theme = parser.value(theme) == "dark"_L1 ? ThemeMode::Dark : ThemeMode::Light;
    }
    result.screenshot = parser.value(screenshot);
    result.run = parser.isSet(run);
    if (parser.isSet(atRound)) result.atRound = parser.value(atRound).toInt();
    return result;
}

} // namespace kernelskill
