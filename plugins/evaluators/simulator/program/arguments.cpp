// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

#include <functional>
#include <map>

namespace kernelskill::simulator {

namespace {

bool isSource(const QString &argument)
{
    static const QSet<QString> suffixes{QStringLiteral("cu"), QStringLiteral("cpp"), QStringLiteral("cc"),
                                        QStringLiteral("cxx"), QStringLiteral("c")};
    return suffixes.contains(QFileInfo(argument).suffix());
}

QString absolute(const QString &path)
{
    return QDir::cleanPath(QDir::current().absoluteFilePath(path));
}

using Failure = std::optional<QString>; // a sentence

Failure addFolder(QStringList &to, const QString &path)
{
    if (!QFileInfo(path).isDir()) return QStringLiteral("there is no folder %1").arg(path);
    to.append(absolute(path));
    return std::nullopt;
}

// What an option with a value does with it.
using Taker = std::function<Failure(ProgramOptions &, const QString &)>;

const std::map<QString, Taker> &takers()
{
    static const std::map<QString, Taker> all{
        {QStringLiteral("-I"),
         [](ProgramOptions &o, const QString &value) {
             const Failure failed = addFolder(o.includeFolders, value);
             if (!failed) o.code.more.append(QStringLiteral("-I") + o.includeFolders.last());
             return failed;
         }},
        {QStringLiteral("-D"),
         [](ProgramOptions &o, const QString &value) {
             o.code.more.append(QStringLiteral("-D") + value);
             return Failure();
         }},
        {QStringLiteral("-l"),
         [](ProgramOptions &o, const QString &value) {
             o.libraries.append(QStringLiteral("-l") + value);
             return Failure();
         }},
        {QStringLiteral("--std"),
         [](ProgramOptions &o, const QString &value) {
             o.code.standard = value;
             return Failure();
         }},
        {QStringLiteral("--arch"),
         [](ProgramOptions &o, const QString &value) -> Failure {
             static const QRegularExpression known(QStringLiteral("^sm_(80|86|89|90a?)$"));
             if (!known.match(value).hasMatch())
                 return QStringLiteral("--arch is sm_80, sm_86, sm_89, sm_90 or sm_90a, not “%1”").arg(value);
             o.code.architecture = value;
             return std::nullopt;
         }},
        {QStringLiteral("--device"),
         [](ProgramOptions &o, const QString &value) {
             o.device = value;
             return Failure();
         }},
        {QStringLiteral("--readable"),
         [](ProgramOptions &o, const QString &value) { return addFolder(o.readable, value); }},
        {QStringLiteral("--writable"),
         [](ProgramOptions &o, const QString &value) { return addFolder(o.writable, value); }},
        {QStringLiteral("--timeout"),
         [](ProgramOptions &o, const QString &value) -> Failure {
             bool isNumber = false;
             o.timeout_s = value.toInt(&isNumber);
             if (!isNumber || o.timeout_s < 1 || o.timeout_s > 86'400)
                 return QStringLiteral("--timeout is a number of seconds from 1 to 86400, not “%1”").arg(value);
             return std::nullopt;
         }},
    };
    return all;
}

bool setFlag(ProgramOptions &options, const QString &argument)
{
    static const std::map<QString, bool ProgramOptions::*> flags{
        {QStringLiteral("--profile"), &ProgramOptions::profile},
        {QStringLiteral("--json"), &ProgramOptions::json},
        {QStringLiteral("--unconfined"), &ProgramOptions::unconfined},
        {QStringLiteral("--help"), &ProgramOptions::help},
        {QStringLiteral("-h"), &ProgramOptions::help}};
    const auto found = flags.find(argument);
    if (found == flags.end()) return false;
    options.*found->second = true;
    return true;
}

// "-DX", "-D X", "--std=X" and "--std X". Empty when `argument` is no option with a value.
std::optional<Failure> takeValue(ProgramOptions &options, const QStringList &arguments, qsizetype &i)
{
    QString argument = arguments[i];
    if (argument.startsWith(QStringLiteral("-std="))) argument.prepend(u'-');
    for (const auto &[name, take] : takers()) {
        const bool isLong = name.startsWith(QStringLiteral("--"));
        const QString joined = isLong ? name + u'=' : name;
        if (argument == name) {
            if (i + 1 >= arguments.size()) return QStringLiteral("%1 needs a value").arg(name);
            return take(options, arguments[++i]);
        }
        if (argument.startsWith(joined)) return take(options, argument.mid(joined.size()));
    }
    return std::nullopt;
}

std::optional<QString> checkSources(const ProgramOptions &options)
{
    if (options.sources.isEmpty()) return QStringLiteral("a source file is missing");
    for (const QString &source : options.sources) {
        const QFileInfo info(source);
        if (!info.exists()) return QStringLiteral("there is no file %1").arg(source);
        if (!info.isFile() || !info.isReadable()) return QStringLiteral("%1 cannot be read").arg(source);
    }
    return std::nullopt;
}

} // namespace

QStringList ProgramOptions::visibleFolders() const
{
    QStringList folders{QDir::currentPath()};
    for (const QString &source : sources) {
        const QString own = QFileInfo(source).absolutePath(), above = QFileInfo(own).absolutePath();
        // Not whole systems or homes.
        folders.append(above.count(u'/') >= 3 ? above : own);
    }
    folders += includeFolders + readable;
    folders.removeDuplicates();
    return folders;
}

std::expected<ProgramOptions, QString> readArguments(const QStringList &arguments)
{
    ProgramOptions options;
    options.code.standard = QStringLiteral("c++17"); // nvcc's own default
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString &argument = arguments[i];
        const bool ends = argument == QLatin1String("--");
        if (ends || (!argument.startsWith(u'-') && !isSource(argument) && !options.sources.isEmpty())) {
            options.programArguments = arguments.mid(ends ? i + 1 : i);
            break;
        }
        if (setFlag(options, argument)) continue;
        if (const auto taken = takeValue(options, arguments, i)) {
            if (*taken) return std::unexpected(**taken);
            continue;
        }
        if (argument.startsWith(u'-'))
            return std::unexpected(
                QStringLiteral("unknown option %1; the program's own arguments follow “--”").arg(argument));
        if (!isSource(argument))
            return std::unexpected(
                QStringLiteral("%1 is no source file: expected .cu, .cpp, .cc, .cxx or .c").arg(argument));
        options.sources.append(absolute(argument));
    }
    if (options.help) return options;
    if (const auto mistake = checkSources(options)) return std::unexpected(*mistake);
    return options;
}

QString helpText()
{
    return QStringLiteral(
        "Usage: kernelskill simulate FILE.cu… [OPTIONS] [--] [ARGUMENTS]\n"
        "Compiles a whole CUDA program, runs it on the simulated device and prints what it prints; then what is wrong "
        "with\n"
        "it, on stderr, with source lines. No GPU and no CUDA installation are needed.\n"
        "\n"
        "  -I DIR, -D NAME[=VALUE], --std c++17, -l LIBRARY  as for a compiler\n"
        "  --arch sm_80     virtual architecture: sm_80, sm_86, sm_89, sm_90, sm_90a\n"
        "  --device NAME    GPU to model, as “doctor” lists them; default h200\n"
        "  --timeout S      seconds the program may take; default 300\n"
        "  --readable DIR   what it sees is the current folder and those around its sources; this adds one\n"
        "  --writable DIR   it writes nowhere but to a private /tmp; this allows a folder\n"
        "  --profile        a table of kernels with modelled times and counters\n"
        "  --json           one JSON document on stdout, with the program's output in it\n"
        "  --unconfined     run the program without a sandbox\n"
        "\n"
        "Exit status: the program's own; 1 when something was found (memory never freed is only told), it does not\n"
        "compile or does not end well; 2 wrong usage; 3 the environment lacks something.\n");
}

} // namespace kernelskill::simulator
