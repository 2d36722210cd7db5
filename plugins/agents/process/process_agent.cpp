// SPDX-License-Identifier: Apache-2.0
#include "process_agent.h"

#include "engine/loop.h"
#include "replies.h"
#include "request_json.h"
#include "secrets/secrets.h"

#include <QCoroSignal>

#include <QFileInfo>

#include <algorithm>

namespace kernelskill::process {

namespace {

constexpr int helloLimit_ms = 10'000;
constexpr qsizetype longestTitle = 60, longestTell = 400, longestMessages = 1 << 20;

// Markdown that shows it as it stands, whatever is in it.
QString asCode(const QByteArray &text)
{
    QString result;
    for (const QString &line : secrets::redacted(QString::fromUtf8(text)).trimmed().split(u'\n'))
        result += QStringLiteral("    ") + line + u'\n';
    return result;
}

QStringList textsOf(const QJsonValue &value)
{
    QStringList texts;
    for (const QJsonValue &one : value.toArray())
        texts.append(one.toVariant().toString());
    return texts;
}

QString seconds(int ms)
{
    return QString::number(ms / 1000.0);
}

} // namespace

ProcessAgent::ProcessAgent(QJsonObject settings) : m_given(std::move(settings)) {}

ProcessAgent::~ProcessAgent()
{
    if (m_program) m_program->kill(); // now: the event loop that deletes it may not come round again
}

Result<QJsonObject> ProcessAgent::prepare(const Task &)
{
    auto settings = Settings::read(m_given);
    if (!settings) return std::unexpected(settings.error());
    m_settings = *settings;
    return QJsonObject{{"program", QFileInfo(m_settings->program).fileName()}, {"protocol", protocolVersion}};
}

bool ProcessAgent::mayPlay(Role role) const
{
    return !m_settings || !m_settings->roles || m_settings->roles->contains(role);
}

QString ProcessAgent::title() const
{
    const QStringList words = QStringList(QFileInfo(m_settings->program).fileName()) + m_settings->arguments;
    const QString text = words.join(u' ').simplified();
    return text.size() > longestTitle ? text.left(longestTitle) + u'…' : text;
}

std::unexpected<Error> ProcessAgent::fault(const QString &code, const QString &how) const
{
    const QString last = m_program ? m_program->lastWords() : QString();
    QString message = QStringLiteral("the program “%1” %2").arg(title(), how);
    if (!last.isEmpty()) message += QStringLiteral("; it last printed: %1").arg(QString(last).replace(u'\n', QStringLiteral(" / ")));
    return failure(code, message, last);
}

// ── Conversation ────────────────────────────────────────────────────────────────────────────────────────────────────────

QCoro::Task<Result<QJsonObject>> ProcessAgent::call(Role role, QJsonObject request, RoleContext context)
{
    if (!m_settings) {
        if (auto prepared = prepare({}); !prepared) co_return std::unexpected(prepared.error());
    }
    Record record;
    Result<QJsonObject> answer;
    for (int start = 0; start < 2; ++start) {
        auto ready = co_await makeReady(context.stop, &record);
        if (ready && !m_roles.contains(role)) {
            QStringList names;
            for (const Role one : m_roles)
                names.append(toString(one));
            ready = fault(QStringLiteral("agent.role"), QStringLiteral("does not play the role '%1', only %2; choose another with --cast %1=…")
                                                            .arg(toString(role), names.join(QStringLiteral(", "))));
        }
        if (!ready) {
            answer = std::unexpected(ready.error());
            break;
        }
        answer = co_await exchange(role, request, context, &record);
        // One that has died is started again and asked once more.
        if (answer || answer.error().code != u"agent.died") break;
    }
    if (m_program) record.log += m_program->takeLog();
    report(record, context);
    co_return answer;
}

// A program that has said hello and waits for a request.
QCoro::Task<Result<void>> ProcessAgent::makeReady(std::stop_token stop, Record *record)
{
    if (stop.stop_requested()) co_return failure(QString::fromLatin1(stoppedCode), QStringLiteral("stopped"));
    if (m_program && m_program->isRunning() && m_program->fault().isEmpty()) co_return Result<void>{};
    endProgram(*record);
    m_program.reset(new Program(*m_settings));
    m_program->startClock(helloLimit_ms);
    m_program->start();
    const QString code = m_everGreeted ? QStringLiteral("agent.start") : QStringLiteral("process.hello");
    auto line = co_await nextLine(stop);
    Result<void> greeted;
    if (line && !line->text.isEmpty()) {
        greeted = fault(code, QStringLiteral("wrote “%1” before its hello; what is meant for people goes to stderr").arg(QString::fromUtf8(line->text)));
    } else if (line) {
        greeted = takeHello(line->object);
        if (!greeted) greeted = fault(code, greeted.error().message);
    } else if (line.error().code == u"agent.timeout") {
        greeted = fault(code, QStringLiteral("said no hello within %1 s").arg(seconds(helloLimit_ms)));
    } else if (line.error().code == QLatin1String(stoppedCode)) {
        greeted = std::unexpected(line.error());
    } else {
        greeted = fault(code, QStringLiteral("%1 before it had said hello").arg(m_program->fault()));
    }
    if (!greeted) endProgram(*record);
    m_everGreeted = m_everGreeted || greeted;
    co_return greeted;
}

Result<void> ProcessAgent::takeHello(const QJsonObject &hello)
{
    const int version = hello.value("kernelskill").toInt(-1);
    if (version != protocolVersion) {
        return failure({}, QStringLiteral("said hello with “kernelskill”: %1, expected %2")
                               .arg(hello.contains("kernelskill") ? hello.value("kernelskill").toVariant().toString() : QStringLiteral("nothing"))
                               .arg(protocolVersion));
    }
    QList<Role> roles;
    for (const QString &name : textsOf(hello.value("roles"))) {
        if (const auto role = roleFromString(name)) roles.append(*role);
    }
    if (roles.isEmpty()) return failure({}, QStringLiteral("named no role of ours in the “roles” of its hello"));
    m_roles = roles;
    m_name = hello.value("name").toString().simplified().left(longestTitle);
    return {};
}

QCoro::Task<Result<QJsonObject>> ProcessAgent::exchange(Role role, QJsonObject request, RoleContext context, Record *record)
{
    const qint64 id = ++m_id;
    m_program->beginCall();
    m_program->startClock(m_settings->timeout_ms);
    m_program->send({{"id", id}, {"role", toString(role)}, {"request", request}, {"context", toJson(context)}});
    for (;;) {
        auto line = co_await nextLine(context.stop);
        if (!line) {
            endProgram(*record);
            co_return std::unexpected(line.error());
        }
        if (!line->text.isEmpty()) {
            co_return fault(replyCode(role), QStringLiteral("wrote “%1” where one JSON object a line was expected; what is meant for people goes to stderr")
                                                 .arg(QString::fromUtf8(line->text)));
        }
        const QJsonObject &message = line->object;
        if (!message.contains("id")) co_return fault(replyCode(role), QStringLiteral("answered as %1 without the “id” of the request").arg(toString(role)));
        if (message.value("id").toInteger(-1) != id) continue; // late, of a request that was given up
        if (auto noted = takeNotes(message, role, context, *record); !noted) co_return std::unexpected(noted.error());
        if (message.contains("ask")) co_await passOn(message.value("ask"), role, context);
        if (message.contains("error")) co_return std::unexpected(errorFrom(message.value("error"), role));
        if (!message.contains("result")) continue;
        if (message.value("result").isObject()) co_return message.value("result").toObject();
        co_return fault(replyCode(role), QStringLiteral("answered as %1 with a “result” that is no object").arg(toString(role)));
    }
}

// Errors: run.stopped, agent.timeout, agent.died, agent.broken; then the program has been ended.
QCoro::Task<Result<Line>> ProcessAgent::nextLine(std::stop_token stop)
{
    Program *program = m_program.get();
    // Any thread may ask to stop; the callback's destructor waits for a call in progress.
    const std::stop_callback onStop(stop, [program] { program->tellMoved(); });
    for (;;) {
        if (stop.stop_requested()) {
            program->kill();
            co_return failure(QString::fromLatin1(stoppedCode), QStringLiteral("stopped"));
        }
        if (auto line = program->takeLine()) co_return *line;
        if (!program->fault().isEmpty()) {
            co_return fault(program->hasEnded() ? QStringLiteral("agent.died") : QStringLiteral("agent.broken"),
                            QStringLiteral("%1 before it had answered").arg(program->fault()));
        }
        if (program->isLate()) {
            program->kill();
            co_return fault(QStringLiteral("agent.timeout"), QStringLiteral("did not answer within %1 s and was ended").arg(seconds(m_settings->timeout_ms)));
        }
        co_await qCoro(program, &Program::moved);
    }
}

// The person's time does not count as the program's.
QCoro::Task<void> ProcessAgent::passOn(QJsonValue asked, Role role, RoleContext context)
{
    const int left_ms = m_program->stopClock();
    QJsonObject answer{{"given", false}};
    if (context.ask) {
        Question question;
        question.choices = textsOf(asked[u"choices"]);
        question.kind = question.choices.isEmpty() ? Question::Kind::Text : Question::Kind::Choose;
        question.title = m_name.isEmpty() ? title() : m_name;
        question.text = asked[u"text"].toString();
        question.role = toString(role);
        question.round = context.round;
        const auto given = co_await context.ask(std::move(question));
        if (given && given->given) answer = {{"given", true}, {"choice", given->choice}, {"text", given->text}};
    }
    m_program->startClock(left_ms);
    m_program->send({{"id", m_id}, {"answer", answer}});
}

Result<void> ProcessAgent::takeNotes(const QJsonObject &message, Role role, const RoleContext &context, Record &record) const
{
    if (const QString text = message.value("tell").toString().simplified(); !text.isEmpty() && context.tells) context.tells(text.left(longestTell));
    if (const QJsonValue said = message.value("message"); said.isObject()) {
        static const QStringList speakers{QStringLiteral("system"), QStringLiteral("user"), QStringLiteral("assistant"), QStringLiteral("tool")};
        const QString from = said[u"from"].toString(), text = secrets::redacted(said[u"text"].toString());
        record.messageBytes += text.size();
        if (record.messageBytes <= longestMessages) {
            record.messages.append(QJsonObject{{"from", speakers.contains(from) ? from : QStringLiteral("assistant")}, {"text", text}});
        }
    }
    if (message.contains("usage")) {
        auto usage = usageFrom(message.value("usage").toObject(), role);
        if (!usage) return std::unexpected(usage.error());
        if (context.report) context.report(*usage);
    }
    return {};
}

// ── Its end ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

void ProcessAgent::endProgram(Record &record)
{
    if (!m_program) return;
    record.log += m_program->takeLog();
    m_program->kill();
    m_program.reset();
}

void ProcessAgent::report(const Record &record, const RoleContext &context) const
{
    if (!context.report) return;
    RoleUsage usage;
    usage.messages = record.messages;
    if (!record.log.trimmed().isEmpty()) usage.transcript = QStringLiteral("What “%1” printed:\n\n%2\n").arg(title(), asCode(record.log));
    if (!usage.messages.isEmpty() || !usage.transcript.isEmpty()) context.report(usage);
}

// ── Roles ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

QCoro::Task<Result<QList<CodeChange>>> ProcessAgent::generate(GenerateRequest request, RoleContext context)
{
    auto result = co_await call(Role::Generator, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return candidatesFrom(*result, request);
}

QCoro::Task<Result<Features>> ProcessAgent::extract(FeatureRequest request, RoleContext context)
{
    auto result = co_await call(Role::FeatureExtractor, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return featuresFrom(*result);
}

QCoro::Task<Result<Plan>> ProcessAgent::plan(PlanRequest request, RoleContext context)
{
    auto result = co_await call(Role::Planner, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return planFrom(*result, request);
}

QCoro::Task<Result<CodeChange>> ProcessAgent::optimise(OptimizeRequest request, RoleContext context)
{
    auto result = co_await call(Role::Optimizer, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return changeFrom(*result, request.base, Role::Optimizer, request.skill.title.isEmpty() ? request.plan.skill : request.skill.title);
}

QCoro::Task<Result<Diagnosis>> ProcessAgent::diagnose(DiagnoseRequest request, RoleContext context)
{
    auto result = co_await call(Role::Diagnoser, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return diagnosisFrom(*result);
}

QCoro::Task<Result<CodeChange>> ProcessAgent::repair(RepairRequest request, RoleContext context)
{
    auto result = co_await call(Role::Repairer, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return changeFrom(*result, request.failure.candidate, Role::Repairer, QStringLiteral("Repair: %1").arg(request.diagnosis.fix));
}

QCoro::Task<Result<QString>> ProcessAgent::distil(DistillRequest request, RoleContext context)
{
    auto result = co_await call(Role::Distiller, toJson(request), std::move(context));
    if (!result) co_return std::unexpected(result.error());
    co_return skillFrom(*result);
}

} // namespace kernelskill::process
