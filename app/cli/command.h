// SPDX-License-Identifier: Apache-2.0
// What the commands share: output, errors, exit codes, options that several of them take.
#pragma once

#include "base/result.h"
#include "engine/run_settings.h"
#include "evaluation/evaluation.h"
#include "memory/longterm/skill_store.h"

#include <QCommandLineParser>
#include <QCoroTask>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <functional>

namespace kernelskill::cli {

// formats.md, "Programs".
enum ExitCode { Done = 0, CandidateFailed = 1, WrongUsage = 2, EnvironmentLacks = 3, StoppedByPerson = 130 };

// Arguments after the command's name.
using Command = std::function<int(const QStringList &arguments)>;

int optimize(const QStringList &arguments);
int evaluate(const QStringList &arguments);
int profile(const QStringList &arguments);
int simulate(const QStringList &arguments);
int explain(const QStringList &arguments);
int session(const QStringList &arguments);
int skills(const QStringList &arguments);
int policy(const QStringList &arguments);
int plugins(const QStringList &arguments);
int keys(const QStringList &arguments);
int doctor(const QStringList &arguments);

void print(const QString &text);        // a line on stdout
void progressLine(const QString &text); // a line on stderr
void printJson(const QJsonObject &object);

// The error in words on stderr and, with `json`, as {"error": {…}} on stdout. Returns the exit code that fits its code.
int report(const Error &error, bool json);

// Reads options; prints help or the mistake itself. Empty when the command is over, with `exitCode` set.
struct ParsedArguments
{
    bool over = false;
    int exitCode = Done;
};
ParsedArguments parse(QCommandLineParser &parser, const QString &command, const QStringList &arguments, int minimumPositional,
                      int maximumPositional);

inline constexpr auto budgetHelp =
    "time=SECONDS,money=USD,tokens=N,calls=N: the run ends where one is reached. Tokens and calls are a language model's.";
// Errors: usage.
[[nodiscard]] Result<Budget> budgetFrom(const QString &text);

inline constexpr auto agentOptionHelp =
    "A setting of the agent, or of the one it names: session=FILE, llm.model=NAME. May be given more than once.";
// NAME=VALUE is for `agent`, AGENT.NAME=VALUE for another of the cast; files and folders become absolute. Errors: usage.
[[nodiscard]] Result<QMap<QString, QJsonObject>> agentOptionsFrom(const QStringList &options, const QString &agent);

// The store at --memory (a path, "none", or empty for the user's own).
Result<SkillStore> openStore(const QString &memoryOption);

// The skill of that name; an error that names those there are.
Result<Skill> findSkill(const SkillStore &store, const QString &name);
// skills prove NAME --on SESSION:NODE [--agent P]. Exit code 1: the gain is not proved.
int proveSkill(SkillStore &store, const QString &name, const QString &on, const QString &agent, bool json);

// Runs a coroutine to its end in the application's event loop; Ctrl+C and SIGTERM call `interrupt` once, a second one
// ends the program.
int runToEnd(const std::function<QCoro::Task<int>()> &body, const std::function<void()> &interrupt);

// "12.6× [11.2, 14.2] modelled, verified"; decimals as visual-language.md says.
QString speedupText(const Speedup &speedup, Verdict verdict);
QString timeText(double time_us);
QString number(double value, int decimals);

} // namespace kernelskill::cli
