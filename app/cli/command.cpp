// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include "base/paths.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QDir>
#include <QJsonDocument>
#include <QSocketNotifier>
#include <QTextStream>
#include <QTimer>

#include <cmath>

#include <csignal>
#include <cstdio>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelskill::cli {

void print(const QString &text)
{
    QTextStream(stdout) << text << '\n';
}

void progressLine(const QString &text)
{
    QTextStream(stderr) << text << '\n';
}

void printJson(const QJsonObject &object)
{
    QTextStream(stdout) << QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Indented));
}

int report(const Error &error, bool json)
{
    progressLine(QStringLiteral("kernelskill: %1").arg(error.message));
    if (!error.detail.isEmpty()) progressLine(error.detail);
    if (json) {
        printJson({{QStringLiteral("error"), QJsonObject{{QStringLiteral("code"), error.code},
                                                         {QStringLiteral("message"), error.message},
                                                         {QStringLiteral("detail"), error.detail}}}});
    }
    static const QStringList environment{QStringLiteral("environment."), QStringLiteral("sandbox."),
                                         QStringLiteral("worker."),      QStringLiteral("plugin."),
                                         QStringLiteral("compiler."),    QStringLiteral("evaluator."),
                                         QStringLiteral("provider."),    QStringLiteral("http."),
                                         QStringLiteral("secrets.keychain"), QStringLiteral("spending."),
                                         QStringLiteral("reference.environment")};
    for (const QString &prefix : environment)
        if (error.code.startsWith(prefix)) return EnvironmentLacks;
    return WrongUsage;
}

Result<Budget> budgetFrom(const QString &text)
{
    Budget budget;
    for (const QString &pair : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const QString name = pair.section(QLatin1Char('='), 0, 0).trimmed();
        const double amount = pair.section(QLatin1Char('='), 1).trimmed().toDouble(&isNumber);
        if (!isNumber || !(amount > 0))
            return failure(QStringLiteral("usage"), QStringLiteral("--budget takes time=SECONDS, money=USD, tokens=N and calls=N, not “%1”").arg(pair));
        if (name == QLatin1String("time")) budget.time_s = amount;
        else if (name == QLatin1String("money")) budget.money_usd = amount;
        else if ((name == QLatin1String("tokens") || name == QLatin1String("calls")) && (amount != std::floor(amount) || amount > 1e15))
            return failure(QStringLiteral("usage"), QStringLiteral("--budget counts tokens and calls in whole numbers, not “%1”").arg(pair));
        else if (name == QLatin1String("tokens")) budget.tokens = qint64(amount);
        else if (name == QLatin1String("calls")) budget.calls = qint64(amount);
        else return failure(QStringLiteral("usage"), QStringLiteral("--budget knows time, money, tokens and calls, not “%1”").arg(name));
    }
    return budget;
}

// A run may be resumed from elsewhere: files and folders are meant from here.
static QString withAbsolutePath(const QString &name, const QString &text)
{
    static const QStringList paths{QStringLiteral("session"), QStringLiteral("prompts"), QStringLiteral("ca_file"), QStringLiteral("folder")};
    if (text.isEmpty()) return text;
    if (paths.contains(name)) return QFileInfo(text).absoluteFilePath();
    if (name == QLatin1String("cassette") && text.contains(QLatin1Char(':')))
        return text.section(QLatin1Char(':'), 0, 0) + QLatin1Char(':') + QFileInfo(text.section(QLatin1Char(':'), 1)).absoluteFilePath();
    return text;
}

Result<QMap<QString, QJsonObject>> agentOptionsFrom(const QStringList &options, const QString &agent)
{
    QMap<QString, QJsonObject> all;
    for (const QString &option : options) {
        const QString key = option.section(QLatin1Char('='), 0, 0), text = option.section(QLatin1Char('='), 1);
        const QString whose = key.contains(QLatin1Char('.')) ? key.section(QLatin1Char('.'), 0, 0) : agent;
        const QString name = key.section(QLatin1Char('.'), -1);
        if (name.isEmpty() || whose.isEmpty() || !option.contains(QLatin1Char('=')))
            return failure(QStringLiteral("usage"), QStringLiteral("--agent-option takes NAME=VALUE or AGENT.NAME=VALUE, not “%1”").arg(option));
        all[whose].insert(name, withAbsolutePath(name, text));
    }
    return all;
}

ParsedArguments parse(QCommandLineParser &parser, const QString &command, const QStringList &arguments,
                      int minimumPositional, int maximumPositional)
{
    const QCommandLineOption help({QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("Shows this help."));
    parser.addOption(help);
    parser.setSingleDashWordOptionMode(QCommandLineParser::ParseAsLongOptions);
    const QString program = QStringLiteral("kernelskill ") + command;
    const bool parsed = parser.parse(QStringList{program} + arguments);
    if (parsed && parser.isSet(help)) {
        QString text = parser.helpText();
        text.replace(QCoreApplication::arguments().constFirst(), program);
        QTextStream(stdout) << text;
        return {true, Done};
    }
    QString mistake;
    const int given = int(parser.positionalArguments().size());
    if (!parsed) mistake = parser.errorText();
    else if (given < minimumPositional) mistake = QStringLiteral("an argument is missing");
    else if (maximumPositional >= 0 && given > maximumPositional)
        mistake = QStringLiteral("unexpected argument “%1”").arg(parser.positionalArguments().at(maximumPositional));
    if (mistake.isEmpty()) return {};
    progressLine(QStringLiteral("%1: %2. “%1 --help” lists what it takes.").arg(program, mistake));
    return {true, WrongUsage};
}

Result<SkillStore> openStore(const QString &memoryOption)
{
    if (memoryOption == QLatin1String("none")) return SkillStore::open(QStringLiteral(":memory:"), paths::skills());
    QString path = memoryOption;
    if (path.isEmpty()) {
        QDir().mkpath(paths::dataFolder());
        path = QDir(paths::dataFolder()).filePath(QStringLiteral("memory.db"));
    }
    auto store = SkillStore::open(path, paths::skills());
    if (store && store->isReadOnly())
        progressLine(QStringLiteral("warning: %1 cannot be written; it is read, but nothing is learnt or changed").arg(path));
    return store;
}

namespace {

int interruptPipe[2] = {-1, -1};

void onSignal(int)
{
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(interruptPipe[0], &byte, 1);
}

QCoro::Task<void> finish(const std::function<QCoro::Task<int>()> &body)
{
    QCoreApplication::exit(co_await body());
}

} // namespace

int runToEnd(const std::function<QCoro::Task<int>()> &body, const std::function<void()> &interrupt)
{
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, interruptPipe) != 0) return EnvironmentLacks;
    QSocketNotifier notifier(interruptPipe[1], QSocketNotifier::Read);
    int interrupts = 0;
    QObject::connect(&notifier, &QSocketNotifier::activated, &notifier, [&] {
        char byte = 0;
        [[maybe_unused]] const auto got = ::read(interruptPipe[1], &byte, 1);
        if (++interrupts > 1) std::_Exit(StoppedByPerson);
        progressLine(QStringLiteral("stopping; once more to end at once"));
        interrupt();
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);

    std::optional<QCoro::Task<void>> running;
    QTimer::singleShot(0, QCoreApplication::instance(), [&] { running.emplace(finish(body)); });
    return QCoreApplication::exec();
}

QString number(double value, int decimals)
{
    return QString::number(value, 'f', decimals).replace(QLatin1Char('-'), QChar(0x2212));
}

namespace {

int speedupDecimals(double value)
{
    return value < 2 ? 2 : value < 100 ? 1 : 0;
}

} // namespace

QString speedupText(const Speedup &speedup, Verdict verdict)
{
    const auto text = [](double value) { return number(value, speedupDecimals(value)); };
    return QStringLiteral("%1× [%2, %3] %4, %5")
        .arg(text(speedup.value), text(speedup.interval.low), text(speedup.interval.high), toString(speedup.kind),
             toString(verdict));
}

QString timeText(double time_us)
{
    if (time_us >= 1e6) return number(time_us / 1e6, 2) + QStringLiteral(" s");
    if (time_us >= 1e4) return number(time_us / 1e3, 2) + QStringLiteral(" ms");
    return number(time_us, 1) + QStringLiteral(" µs");
}

} // namespace kernelskill::cli
