// SPDX-License-Identifier: Apache-2.0
// skills check: every problem of the skills in a folder and of the policy that decides about them, with file and line.
#include "skills/actions.h"

#include "base/paths.h"
#include "memory/longterm/skill_package.h"
#include "profile/metric_catalogue.h"
#include "retrieval/policy.h"
#include "retrieval/policy_evaluator.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill::cli::skill_actions {

namespace {

using Severity = SkillDiagnostic::Severity;

class Checker
{
public:
    void folder(const QString &path);
    void policy(const QString &folder);
    void memory(const SkillStore &store);
    [[nodiscard]] QList<SkillDiagnostic> sorted() const;
    [[nodiscard]] int skills() const { return m_skills; }

private:
    void error(const Error &error, const QString &file);
    void package(const SkillPackage &package);
    void againstPolicy(const Skill &skill, const QString &text);
    [[nodiscard]] std::unique_ptr<PolicyEvaluator> evaluator() const;

    QList<SkillDiagnostic> m_problems;
    std::optional<Policy> m_policy;
    QHash<QString, QString> m_sources; // skill → its SKILL.md
    int m_skills = 0;
};

// The line some words stand in; the first one when they are not found.
int lineOf(const QString &text, const QString &words)
{
    const qsizetype at = text.indexOf(words);
    return at < 0 ? 1 : int(text.left(at).count(u'\n')) + 1;
}

// Most errors of readers begin with "file:line: " or "file:line:column: ".
void Checker::error(const Error &error, const QString &file)
{
    static const QRegularExpression place(u"^(.*?):([0-9]+):(?:[0-9]+:)? (.*)$"_s,
                                          QRegularExpression::DotMatchesEverythingOption);
    const auto match = place.match(error.message);
    if (match.hasMatch())
        m_problems.append(
            {Severity::Error, match.captured(1), match.captured(2).toInt(), match.captured(3), error.detail});
    else
        m_problems.append({Severity::Error, file, 1, error.message, error.detail});
}

void Checker::policy(const QString &folder)
{
    const QString own = QDir(folder).filePath(u"policy.yaml"_s);
    if (!folder.isEmpty() && QFileInfo::exists(own)) {
        auto read = Policy::read(own);
        if (read)
            m_policy = *read;
        else
            error(read.error(), own);
        return;
    }
    auto inForce = policyInForce();
    if (!inForce) {
        error(inForce.error(), userPolicyFile());
        return;
    }
    m_policy = inForce->policy;
    for (const Error &problem : std::as_const(inForce->problems))
        error(problem, userPolicyFile());
}

std::unique_ptr<PolicyEvaluator> Checker::evaluator() const
{
    auto made = PolicyEvaluator::make(m_policy->fields, m_policy->kinds);
    if (!made) return nullptr;
    for (const DerivedField &derived : m_policy->derived) {
        if (auto added = (*made)->addDerived(derived.name, derived.expression, m_policy->kinds.value(derived.name));
            !added)
            return nullptr;
    }
    return std::move(*made);
}

void Checker::againstPolicy(const Skill &skill, const QString &text)
{
    const auto say = [&](Severity severity, const QString &words, const QString &message, const QString &remedy) {
        m_problems.append({severity, skill.source, lineOf(text, words), message, remedy});
    };
    if (const auto predicates = evaluator()) {
        for (const QString &gate : skill.requires_) {
            if (auto added = predicates->addPredicate(gate); !added)
                say(Severity::Error, gate, u"gate “%1”: %2"_s.arg(gate, added.error().message), {});
        }
    }
    for (const PromisedChange &promise : skill.promises) {
        if (!metricInfo(promise.metric))
            say(Severity::Warning, promise.metric + u':',
                u"'%1' is no metric any evaluator gives, so the promise cannot be checked"_s.arg(promise.metric),
                u"use a name of the metric catalogue"_s);
    }
    const bool known = std::ranges::any_of(m_policy->methods, [&](const PolicyMethod &method) {
        return method.id == skill.method || method.id == skill.name;
    });
    if (!known && !skill.foreign)
        say(Severity::Warning, u"name:"_s,
            u"no case of the policy can offer it: neither '%1' nor its method is one of the policy's methods"_s.arg(
                skill.name),
            u"add it to the policy's methods and cases"_s);
}

void Checker::package(const SkillPackage &package)
{
    m_problems += package.diagnostics;
    if (!package.skill) return;
    ++m_skills;
    Skill skill = *package.skill;
    skill.source = package.source;
    if (const auto other = m_sources.constFind(skill.name); other != m_sources.constEnd())
        m_problems.append({Severity::Error, skill.source, 2,
                           u"'%1' is the name of the skill in %2, too"_s.arg(skill.name, *other),
                           u"give one of them another name"_s});
    m_sources.insert(skill.name, skill.source);
    if (m_policy) againstPolicy(skill, skill.text);
}

void Checker::folder(const QString &path)
{
    // One at a time: what refuses one skill must not hide the others.
    QStringList folders{path};
    if (!QFileInfo::exists(QDir(path).filePath(u"SKILL.md"_s))) {
        folders.clear();
        for (const QString &name : QDir(path).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
            if (QFileInfo::exists(QDir(path).filePath(name + u"/SKILL.md"_s)))
                folders.append(QDir(path).filePath(name));
        }
    }
    for (const QString &one : std::as_const(folders)) {
        auto read = readSkillFolder(one);
        if (read)
            package(*read);
        else
            error(read.error(), QDir(one).filePath(u"SKILL.md"_s));
    }
    if (folders.isEmpty())
        m_problems.append({Severity::Error, path, 1, u"holds no folder with a SKILL.md"_s,
                           u"name a skill's folder or a folder of skills"_s});
}

// What is on disk was read before; here it is the revisions in use that count.
void Checker::memory(const SkillStore &store)
{
    const auto problems = store.problems();
    if (!problems) {
        error(problems.error(), {});
        return;
    }
    for (const SkillProblem &problem : *problems) {
        if (problem.revision == 0) continue;
        SkillDiagnostic diagnostic = problem.diagnostic;
        diagnostic.remedy =
            problem.servedRevision > 0
                ? u"revision %1 serves in its place; mend it with: kernelskill skills edit %2"_s
                      .arg(problem.servedRevision)
                      .arg(problem.skill)
                : u"no revision of it can be read; give it a new text: kernelskill skills edit %1 --file SKILL.md"_s
                      .arg(problem.skill);
        m_problems.append(diagnostic);
    }
}

QList<SkillDiagnostic> Checker::sorted() const
{
    QList<SkillDiagnostic> result = m_problems;
    std::ranges::stable_sort(result, {}, [](const SkillDiagnostic &one) { return std::pair(one.file, one.line); });
    return result;
}

} // namespace

int check(const QString &memory, const Request &request)
{
    const QString given = request.arguments.value(0);
    const QString folder = given.isEmpty() ? paths::skills() : QDir(given).absolutePath();
    if (!QFileInfo(folder).isDir())
        return report({u"usage"_s,
                       u"%1: there is no such folder; check takes a skill's folder or a folder of skills"_s.arg(folder),
                       {}},
                      request.json);
    Checker checker;
    checker.policy(given);
    checker.folder(folder);
    if (given.isEmpty()) {
        auto store = openStore(memory);
        if (!store) return report(store.error(), request.json);
        checker.memory(*store);
    }
    QJsonArray rows;
    int errors = 0, warnings = 0;
    const QList<SkillDiagnostic> problems = checker.sorted();
    for (const SkillDiagnostic &problem : problems) {
        rows.append(problem.toJson());
        errors += problem.severity == Severity::Error;
        warnings += problem.severity == Severity::Warning;
        if (request.json) continue;
        print(u"%1:%2: %3: %4%5"_s.arg(problem.file)
                  .arg(problem.line)
                  .arg(toString(problem.severity), problem.message,
                       problem.remedy.isEmpty() ? QString() : u"; "_s + problem.remedy));
    }
    const auto counted = [](int count, const QString &word) {
        return u"%1 %2%3"_s.arg(count).arg(word, count == 1 ? QString() : u"s"_s);
    };
    if (request.json)
        printJson({{u"folder"_s, folder},
                   {u"skills"_s, checker.skills()},
                   {u"errors"_s, errors},
                   {u"warnings"_s, warnings},
                   {u"problems"_s, rows}});
    else
        print(u"%1: %2, %3, %4"_s.arg(folder, counted(checker.skills(), u"skill"_s), counted(errors, u"error"_s),
                                      counted(warnings, u"warning"_s)));
    return errors > 0 ? WrongUsage : Done;
}

} // namespace kernelskill::cli::skill_actions
