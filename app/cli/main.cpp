// SPDX-License-Identifier: Apache-2.0
// kernelskill: the engine from a terminal.
#include "command.h"

#include <QCoreApplication>
#include <QMap>

using namespace kernelskill;

namespace {

const char usage[] =
    "kernelskill: makes GPU kernels faster with a team of agents and a memory of expert skills\n"
    "\n"
    "  kernelskill optimize TASK            runs the loop on a task folder\n"
    "  kernelskill evaluate TASK CANDIDATE  checks and times one candidate\n"
    "  kernelskill profile  TASK CANDIDATE | REPORT.ncu-rep  shows its counters\n"
    "  kernelskill simulate FILE.cu… [ARGS] runs a whole CUDA program without a GPU and says what is wrong with it\n"
    "  kernelskill explain  SESSION NODE    why a node came about: evidence, cases, ranking, plan, outcome\n"
    "  kernelskill session  list | show FILE | resume FILE | fork FILE NODE | try FILE NODE WHAT | again FILE NODE | export FILE --html OUT\n"
    "  kernelskill skills   list | show | history | pin | unpin | edit | reject | restore | undo | accept | import PATH\n"
    "                       | export DIR | ledger | provenance SESSION[:NODE] | check | freeze | prove\n"
    "  kernelskill policy   show | diff | check   when which skill is legal, and your own changes to it\n"
    "  kernelskill keys     list | set PROVIDER|URL | forget PROVIDER|URL   keys of language models, in the system's keychain\n"
    "  kernelskill plugins                  agents and evaluators, their states and reasons; choices AGENT SETTING\n"
    "  kernelskill doctor                   what this machine has, what it lacks and how to mend it\n"
    "\n"
    "“kernelskill COMMAND --help” lists a command's options. --json prints one JSON document on stdout.\n"
    "Exit status: 0 done, 1 the candidate failed its checks, 2 wrong usage or input, 3 the environment lacks\n"
    "something, 130 stopped.";

} // namespace

int main(int argc, char *argv[])
{
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("kernelskill"));
    QCoreApplication::setApplicationVersion(QStringLiteral(KERNELSKILL_VERSION));

    const QMap<QString, cli::Command> commands{
        {QStringLiteral("optimize"), cli::optimize}, {QStringLiteral("evaluate"), cli::evaluate},
        {QStringLiteral("profile"), cli::profile},   {QStringLiteral("explain"), cli::explain},
        {QStringLiteral("simulate"), cli::simulate},
        {QStringLiteral("session"), cli::session},   {QStringLiteral("skills"), cli::skills},
        {QStringLiteral("policy"), cli::policy},     {QStringLiteral("plugins"), cli::plugins},   {QStringLiteral("doctor"), cli::doctor},
        {QStringLiteral("keys"), cli::keys},
    };
    const QStringList arguments = QCoreApplication::arguments().mid(1);
    if (arguments.isEmpty()) {
        cli::progressLine(QString::fromUtf8(usage));
        return cli::WrongUsage;
    }
    const QString name = arguments.first();
    if (name == QLatin1String("--help") || name == QLatin1String("-h") || name == QLatin1String("help")) {
        cli::print(QString::fromUtf8(usage));
        return cli::Done;
    }
    if (name == QLatin1String("--version")) {
        cli::print(QStringLiteral("kernelskill " KERNELSKILL_VERSION));
        return cli::Done;
    }
    const auto command = commands.find(name);
    if (command == commands.end()) {
        cli::progressLine(QStringLiteral("kernelskill: there is no command “%1”. Commands: %2.")
                              .arg(name, QStringList(commands.keys()).join(QStringLiteral(", "))));
        return cli::WrongUsage;
    }
    return (*command)(arguments.mid(1));
}
