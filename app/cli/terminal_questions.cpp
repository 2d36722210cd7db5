// SPDX-License-Identifier: Apache-2.0
#include "terminal_questions.h"

#include "command.h"

#include <QCoroSignal>
#include <QFile>
#include <QProcess>
#include <QSocketNotifier>
#include <QTemporaryDir>

#include <cmath>
#include <unistd.h>

namespace kernelskill::cli {

namespace {

constexpr int standardInput = 0;

// A text may have several lines, so an empty one ends it.
QString howToAnswer(const Question &question)
{
    switch (question.kind) {
    case Question::Kind::Choose:
        return QStringLiteral("a number from 1 to %1, or an empty line to decline:").arg(question.choices.size());
    case Question::Kind::Text:
        return QStringLiteral("text, ended by an empty line; nothing but an empty line declines:");
    case Question::Kind::Code:
        return {};
    case Question::Kind::Confirm:
        return QStringLiteral("y or n:");
    case Question::Kind::Plan:
        return QStringLiteral("a number from 1 to %1, or an empty line for the plan as it is (%2):").arg(question.choices.size()).arg(question.proposed + 1);
    }
    return {};
}

void print(const Question &question)
{
    progressLine(QStringLiteral("\n%1").arg(question.title));
    if (!question.text.isEmpty()) progressLine(question.text);
    for (qsizetype i = 0; i < question.choices.size(); ++i) {
        const QString detail = question.details.value(i);
        progressLine(QStringLiteral("%1  %2%3").arg(i + 1, 3).arg(question.choices[i], detail.isEmpty() ? QString() : QStringLiteral("  – ") + detail));
    }
    if (question.kind == Question::Kind::Text && !question.initial.isEmpty()) progressLine(question.initial);
    if (const QString how = howToAnswer(question); !how.isEmpty() && question.kind != Question::Kind::Plan) progressLine(how);
}

} // namespace

TerminalQuestions::TerminalQuestions() = default;

AskFunction TerminalQuestions::function()
{
    return [this](Question question) { return ask(std::move(question)); };
}

void TerminalQuestions::listen()
{
    if (m_notifier) return;
    m_notifier = new QSocketNotifier(standardInput, QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, &TerminalQuestions::read);
}

void TerminalQuestions::read()
{
    char piece[4096];
    const ssize_t count = ::read(standardInput, piece, sizeof piece);
    if (count > 0) m_buffer.append(piece, count);
    for (qsizetype end = m_buffer.indexOf('\n'); end >= 0; end = m_buffer.indexOf('\n')) {
        m_lines.enqueue(QString::fromUtf8(m_buffer.left(end)));
        m_buffer.remove(0, end + 1);
    }
    if (count <= 0) {
        m_ended = true;
        m_notifier->setEnabled(false);
    }
    Q_EMIT somethingRead();
}

void TerminalQuestions::decline()
{
    m_declined = true;
    Q_EMIT somethingRead();
}

QCoro::Task<std::optional<QString>> TerminalQuestions::line()
{
    listen();
    while (m_lines.isEmpty() && !m_ended && !m_declined)
        co_await qCoro(this, &TerminalQuestions::somethingRead);
    if (m_declined || m_lines.isEmpty()) co_return std::nullopt;
    co_return m_lines.dequeue();
}

QCoro::Task<Result<Answer>> TerminalQuestions::ask(Question question)
{
    print(question);
    if (question.kind == Question::Kind::Code) co_return co_await askForCode(question);
    if (question.kind == Question::Kind::Plan) co_return co_await askAtPlan(question);
    for (;;) {
        const auto first = co_await line();
        if (!first) co_return Answer{};
        const QString word = first->trimmed();
        if (word.isEmpty()) co_return Answer{};
        if (question.kind == Question::Kind::Text) {
            QString text = *first;
            for (auto more = co_await line(); more && !more->trimmed().isEmpty(); more = co_await line())
                text += u'\n' + *more;
            co_return Answer{true, -1, text};
        }
        if (question.kind == Question::Kind::Confirm && (word == u"y" || word == u"yes")) co_return Answer{true, 0, {}};
        if (question.kind == Question::Kind::Confirm && (word == u"n" || word == u"no")) co_return Answer{};
        bool isNumber = false;
        const int choice = word.toInt(&isNumber);
        if (question.kind == Question::Kind::Choose && isNumber && choice >= 1 && choice <= question.choices.size())
            co_return Answer{true, choice - 1, {}};
        progressLine(QStringLiteral("“%1” is no answer; %2").arg(word, howToAnswer(question)));
    }
}

// One of the words, or nothing for an empty line.
QCoro::Task<QString> TerminalQuestions::word(QString what, QStringList words)
{
    for (;;) {
        progressLine(QStringLiteral("%1? one of %2, or an empty line:").arg(what, words.join(QStringLiteral(", "))));
        const auto answer = co_await line();
        if (!answer || answer->trimmed().isEmpty()) co_return QString();
        if (words.contains(answer->trimmed())) co_return answer->trimmed();
    }
}

// First what is expected, then which plan it shall be.
QCoro::Task<Answer> TerminalQuestions::askAtPlan(Question question)
{
    Answer answer{true, question.proposed, {}, {}};
    for (const AskedCounter &counter : std::as_const(question.counters)) {
        const QString now = counter.now ? QStringLiteral("%1 %2").arg(*counter.now, 0, 'f', std::abs(*counter.now) < 100 ? 2 : 0).arg(counter.unit)
                                        : QStringLiteral("no counter");
        const QString said = co_await word(QStringLiteral("%1, now %2, will be").arg(counter.title, now.trimmed()),
                                           {QStringLiteral("lower"), QStringLiteral("same"), QStringLiteral("higher")});
        if (const auto movement = movementFromString(said)) answer.prediction.counters.append({counter.metric, *movement});
    }
    answer.prediction.speedup = guessFromString(co_await word(
        QStringLiteral("speedup over the base (less; about the same; some: 1.1–2×; more)"),
        {QStringLiteral("less"), QStringLiteral("same"), QStringLiteral("some"), QStringLiteral("more")}));
    for (;;) {
        progressLine(howToAnswer(question));
        const auto said = co_await line();
        if (!said || said->trimmed().isEmpty()) co_return answer;
        bool isNumber = false;
        answer.choice = said->trimmed().toInt(&isNumber) - 1;
        if (isNumber && answer.choice >= 0 && answer.choice < question.choices.size()) break;
        answer.choice = question.proposed;
    }
    if (answer.choice == question.choices.size() - 1) {
        progressLine(QStringLiteral("what should be done? ended by an empty line:"));
        for (auto more = co_await line(); more && !more->trimmed().isEmpty(); more = co_await line())
            answer.text += (answer.text.isEmpty() ? QString() : QStringLiteral("\n")) + *more;
        if (answer.text.isEmpty()) answer.choice = question.proposed;
    }
    co_return answer;
}

// The code goes into a file, which the person edits by whatever means; unchanged, it declines.
QCoro::Task<Answer> TerminalQuestions::askForCode(Question question)
{
    QTemporaryDir folder;
    QString path = folder.filePath(QStringLiteral("solve.cu"));
    if (QFile file(path); !file.open(QIODevice::WriteOnly) || file.write(question.initial.toUtf8()) < 0) {
        progressLine(QStringLiteral("%1: cannot be written").arg(path));
        co_return Answer{};
    }
    const QString editor = qEnvironmentVariable("VISUAL", qEnvironmentVariable("EDITOR"));
    if (::isatty(standardInput) && !editor.isEmpty()) {
        QStringList words = QProcess::splitCommand(editor);
        const QString program = words.takeFirst();
        QProcess process;
        process.setInputChannelMode(QProcess::ForwardedInputChannel);
        process.setProcessChannelMode(QProcess::ForwardedChannels);
        process.start(program, words << path);
        process.waitForFinished(-1);
    } else {
        progressLine(QStringLiteral("edit %1 and press Enter, or give the path of a file with the new code:").arg(path));
        const auto answer = co_await line();
        if (!answer) co_return Answer{};
        if (!answer->trimmed().isEmpty()) path = answer->trimmed();
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        progressLine(QStringLiteral("%1: %2").arg(path, file.errorString()));
        co_return Answer{};
    }
    const QString text = QString::fromUtf8(file.readAll());
    if (text == question.initial) progressLine(QStringLiteral("the code is unchanged: taken as declined"));
    co_return Answer{text != question.initial, -1, text};
}

} // namespace kernelskill::cli
