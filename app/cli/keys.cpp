// SPDX-License-Identifier: Apache-2.0
// keys: which services have a key and from where, a new one into the system's keychain, and out of it again. A key is read
// from the terminal without echo or from standard input, never from the command line, and never shown.
#include "command.h"

#include "secrets/secrets.h"

#include <QFile>
#include <QJsonArray>
#include <QUrl>

#include <csignal>
#include <termios.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace kernelskill::cli {

namespace {

constexpr qint64 longestKey = 64 * 1024;

struct Service
{
    QString name, base;
    QStringList keyVariables, baseVariables;

    // A base in the environment takes the key in the environment with it.
    [[nodiscard]] QString origin() const
    {
        for (const QString &variable : baseVariables)
            if (const QString value = qEnvironmentVariable(qPrintable(variable)).trimmed(); !value.isEmpty())
                return secrets::originOf(QUrl(value));
        return secrets::originOf(QUrl(base));
    }
};

const QList<Service> &services()
{
    static const QList<Service> all{
        {u"openai"_s, u"https://api.openai.com/v1"_s, {u"OPENAI_API_KEY"_s}, {u"OPENAI_BASE_URL"_s}},
        {u"anthropic"_s, u"https://api.anthropic.com"_s, {u"ANTHROPIC_API_KEY"_s}, {u"ANTHROPIC_BASE_URL"_s}},
        {u"gemini"_s, u"https://generativelanguage.googleapis.com"_s, {u"GEMINI_API_KEY"_s, u"GOOGLE_API_KEY"_s}, {u"GOOGLE_GEMINI_BASE_URL"_s}},
    };
    return all;
}

// Errors never hold what was typed where it might be a key.
int reportKeys(const Error &error, bool json)
{
    const Error clean{error.code, secrets::redacted(error.message), secrets::redacted(error.detail)};
    const int exitCode = report(clean, json);
    return error.code == u"secrets.keychain" ? int(EnvironmentLacks) : exitCode;
}

Result<QString> originFor(const QString &target)
{
    for (const Service &service : services())
        if (service.name == target.toLower()) return service.origin();
    const QUrl url(target, QUrl::StrictMode);
    const QString origin = secrets::originOf(url);
    const QString scheme = url.scheme().toLower();
    if (url.isValid() && !origin.isEmpty() && (scheme == u"https" || scheme == u"http") && url.userInfo().isEmpty()) return origin;
    return failure("usage", u"keys takes openai, anthropic, gemini or an address such as https://api.example.org, and what "
                            "you gave is neither; the key itself is read from the terminal or from standard input"_s);
}

// What Ctrl+C leaves must be a terminal that shows what is typed.
termios shownTerminal;
void showAndEnd(int)
{
    ::tcsetattr(STDIN_FILENO, TCSANOW, &shownTerminal);
    ::_exit(StoppedByPerson);
}

class HiddenTyping
{
public:
    HiddenTyping()
    {
        if (::tcgetattr(STDIN_FILENO, &shownTerminal) != 0) return;
        m_interrupt = std::signal(SIGINT, showAndEnd);
        m_terminate = std::signal(SIGTERM, showAndEnd);
        termios hidden = shownTerminal;
        hidden.c_lflag &= ~tcflag_t(ECHO);
        hidden.c_lflag |= ECHONL;
        m_hidden = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
    }
    ~HiddenTyping()
    {
        if (m_hidden) ::tcsetattr(STDIN_FILENO, TCSANOW, &shownTerminal);
        if (m_interrupt != SIG_ERR) std::signal(SIGINT, m_interrupt);
        if (m_terminate != SIG_ERR) std::signal(SIGTERM, m_terminate);
    }
    HiddenTyping(const HiddenTyping &) = delete;
    HiddenTyping &operator=(const HiddenTyping &) = delete;
    [[nodiscard]] bool works() const { return m_hidden; }

private:
    bool m_hidden = false;
    void (*m_interrupt)(int) = SIG_ERR;
    void (*m_terminate)(int) = SIG_ERR;
};

Result<QString> readKey(const QString &origin)
{
    QFile input;
    if (!input.open(STDIN_FILENO, QIODevice::ReadOnly)) return failure("usage", u"no key can be read: standard input is closed"_s);
    QByteArray text;
    if (::isatty(STDIN_FILENO)) {
        const HiddenTyping hidden;
        if (!hidden.works()) return failure("usage", u"this terminal would show the key; give it on standard input instead"_s);
        progressLine(u"Key for %1 (not shown while you type), then Enter:"_s.arg(origin));
        text = input.readLine(longestKey);
    } else {
        text = input.read(longestKey + 1);
    }
    if (text.size() > longestKey) return failure("usage", u"what stands on standard input is too long for a key"_s);
    const QString key = QString::fromUtf8(text).trimmed();
    if (key.isEmpty()) return failure("usage", u"no key was given; type it, or give it on standard input"_s);
    return key;
}

struct Line
{
    QString provider, origin, note;
    std::optional<secrets::Secret> secret;
    // Enough to tell two keys apart, and nothing of a short one.
    [[nodiscard]] QString endsWith() const { return secret && secret->value.size() >= 16 ? secret->value.right(4) : QString(); }
    [[nodiscard]] QJsonObject toJson() const
    {
        QJsonObject object{{"origin", origin}, {"found", secret.has_value()}};
        if (!provider.isEmpty()) object.insert("provider", provider);
        if (secret) object.insert("from", secret->from);
        if (!endsWith().isEmpty()) object.insert("ends_with", endsWith());
        return object;
    }
};

// All are asked at once: a keychain that does not answer costs its five seconds once.
QCoro::Task<QList<Line>> lines()
{
    QList<Line> result;
    std::vector<QCoro::Task<std::optional<secrets::Secret>>> searches;
    QStringList origins;
    for (const Service &service : services()) {
        result.append({service.name, service.origin(), {}, {}});
        origins.append(service.origin());
    }
    for (const QString &origin : secrets::storedOrigins())
        if (!origins.contains(origin)) result.append({{}, origin, {}, {}});
    for (qsizetype i = 0; i < result.size(); ++i) {
        Line &line = result[i];
        const QStringList variables = i < services().size() ? services().at(i).keyVariables : QStringList();
        searches.push_back(secrets::find(line.origin, variables, line.origin, &line.note));
    }
    for (qsizetype i = 0; i < result.size(); ++i) result[i].secret = co_await searches[size_t(i)];
    co_return result;
}

QCoro::Task<int> list(bool json)
{
    const QList<Line> found = co_await lines();
    QJsonArray keys;
    QStringList notes;
    for (const Line &line : found) {
        keys.append(line.toJson());
        if (!line.note.isEmpty() && !notes.contains(line.note)) notes.append(line.note);
        if (json) continue;
        const QString end = line.endsWith().isEmpty() ? QString() : u", ends with %1"_s.arg(line.endsWith());
        print(u"%1 %2  %3"_s.arg(line.provider, -10).arg(line.origin, -42).arg(line.secret ? line.secret->from + end : u"no key"_s));
    }
    if (json) printJson({{"keys", keys}, {"notes", QJsonArray::fromStringList(notes)}});
    else for (const QString &note : std::as_const(notes)) progressLine(u"note: %1"_s.arg(note));
    co_return Done;
}

QCoro::Task<int> change(QString origin, std::optional<QString> key, bool json)
{
    const auto done = key ? co_await secrets::store(origin, *key) : co_await secrets::forget(origin);
    if (!done) co_return reportKeys(done.error(), json);
    if (json) printJson({{"origin", origin}, {"stored", key.has_value()}});
    else print(key ? u"the key for %1 is in the keychain"_s.arg(origin) : u"the keychain holds no key for %1 any more"_s.arg(origin));
    co_return Done;
}

} // namespace

int keys(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(u"Keys of language models, in the system's keychain.\n"
                                     "  list     set PROVIDER|URL     forget PROVIDER|URL\n"
                                     "PROVIDER is openai, anthropic or gemini. A key belongs to scheme, host and port of its\n"
                                     "address and is sent nowhere else. set reads it from the terminal or from standard input."_s);
    parser.addPositionalArgument(u"ACTION"_s, u"What to do."_s);
    parser.addPositionalArgument(u"WHOSE"_s, u"A provider or an address."_s, u"[PROVIDER|URL]"_s);
    parser.addOption({u"json"_s, u"One JSON document on stdout."_s});
    if (const auto parsed = parse(parser, u"keys"_s, arguments, 1, -1); parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(u"json"_s);
    const QStringList given = parser.positionalArguments();
    const QString &action = given.first();
    if (action == u"list") {
        if (given.size() > 1) return report({u"usage"_s, u"keys list takes no name"_s, {}}, json);
        return runToEnd([json] { return list(json); }, [] { std::_Exit(StoppedByPerson); });
    }
    if (action != u"set" && action != u"forget")
        return reportKeys({u"usage"_s, u"keys %1: unknown action; there are list, set, forget"_s.arg(action), {}}, json);
    if (given.size() != 2) {
        return report({u"usage"_s, u"keys %1 takes one PROVIDER or URL; the key itself never stands on the command line, where other "
                                   "programs can read it: it is read from the terminal or from standard input"_s.arg(action), {}}, json);
    }
    auto origin = originFor(given.at(1));
    if (!origin) return reportKeys(origin.error(), json);
    std::optional<QString> key;
    if (action == u"set") {
        auto read = readKey(*origin);
        if (!read) return reportKeys(read.error(), json);
        key = *read;
    }
    return runToEnd([origin = *origin, key, json] { return change(origin, key, json); }, [] { std::_Exit(StoppedByPerson); });
}

} // namespace kernelskill::cli
