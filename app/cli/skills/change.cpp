// SPDX-License-Identifier: Apache-2.0
// skills pin, unpin, reject, accept, restore, undo, edit.
#include "skills/actions.h"

#include "memory/longterm/skill_reader.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace kernelskill::cli::skill_actions {

namespace {

int setState(SkillStore &store, const Request &request, SkillState state, const QString &reason)
{
    if (auto done = store.setState(request.name(), state, reason, person()); !done)
        return report(done.error(), request.json);
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (request.json) return show(store, request);
    print(u"%1 is %2"_s.arg(skill->name, toString(skill->state)));
    return Done;
}

int refuse(const Request &request, const QString &message)
{
    return report({u"usage"_s, message, {}}, request.json);
}

bool waits(const Skill &skill)
{
    return skill.state == SkillState::Draft || skill.state == SkillState::Quarantined;
}

} // namespace

QString person()
{
    const QString user = qEnvironmentVariable("USER");
    return user.isEmpty() ? u"person"_s : user;
}

int pin(SkillStore &store, const Request &request)
{
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (waits(*skill))
        return refuse(request, u"%1 is %2; accept it first: kernelskill skills accept %1"_s.arg(
                                   skill->name, toString(skill->state)));
    if (skill->state == SkillState::Rejected)
        return refuse(request, u"%1 is rejected (%2); restore it first: kernelskill skills restore %1"_s.arg(
                                   skill->name, skill->stateReason));
    return setState(store, request, SkillState::Pinned, request.reason);
}

int unpin(SkillStore &store, const Request &request)
{
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (skill->state != SkillState::Pinned)
        return refuse(request, u"%1 is not pinned, it is %2"_s.arg(skill->name, toString(skill->state)));
    return setState(store, request, SkillState::Active, request.reason);
}

int reject(SkillStore &store, const Request &request)
{
    if (auto skill = findSkill(store, request.name()); !skill) return report(skill.error(), request.json);
    if (request.reason.trimmed().isEmpty())
        return refuse(request, u"a rejection needs --reason, so that others can judge it"_s);
    return setState(store, request, SkillState::Rejected, request.reason);
}

int accept(SkillStore &store, const Request &request)
{
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (skill->state == SkillState::Rejected)
        return refuse(request, u"%1 is rejected (%2); restore it first: kernelskill skills restore %1"_s.arg(
                                   skill->name, skill->stateReason));
    if (!waits(*skill))
        return refuse(request, u"%1 is %2 already; only drafts and quarantined skills wait to be accepted"_s.arg(
                                   skill->name, toString(skill->state)));
    return setState(store, request, SkillState::Active, request.reason.isEmpty() ? u"accepted"_s : request.reason);
}

// With a revision its text and files come back; without one the state from before the rejection.
int restore(SkillStore &store, const Request &request)
{
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (request.arguments.size() > 1) {
        bool isNumber = false;
        const int revision = request.arguments[1].toInt(&isNumber);
        if (!isNumber || revision < 1)
            return refuse(request, u"REVISION is a whole number from 1, not “%1”"_s.arg(request.arguments[1]));
        auto restored = store.restore(skill->name, revision, request.reason, person());
        if (!restored) return report(restored.error(), request.json);
        if (request.json) return show(store, request);
        print(u"%1: revision %2 is revision %3 again"_s.arg(skill->name).arg(restored->revision).arg(revision));
        return Done;
    }
    if (skill->state != SkillState::Rejected) {
        return refuse(
            request,
            u"%1 is %2, not rejected; name the revision whose text is to come back: kernelskill skills restore %1 REVISION"_s
                .arg(skill->name, toString(skill->state)));
    }
    auto before = store.stateBeforeRejection(skill->name);
    return before ? setState(store, request, *before, request.reason) : report(before.error(), request.json);
}

int undo(SkillStore &store, const Request &request)
{
    if (auto skill = findSkill(store, request.name()); !skill) return report(skill.error(), request.json);
    auto undone = store.undo(request.name(), person());
    if (!undone) return report(undone.error(), request.json);
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (request.json) {
        printJson({{u"skill"_s, skill->name},
                   {u"undone"_s, *undone},
                   {u"revision"_s, skill->revision},
                   {u"state"_s, toString(skill->state)}});
    } else {
        print(*undone);
    }
    return Done;
}

namespace {

int store(SkillStore &store, const Request &request, const QByteArray &text, const QString &source, int before)
{
    auto edited = store.edit(request.name(), decodeSkillText(text), request.reason, person());
    if (!edited) {
        // Its reader knows the text by the skill's name; the person knows it by its file.
        Error error = edited.error();
        error.message.replace(request.name() + u"/SKILL.md:"_s, source + u':');
        if (!error.message.startsWith(source)) error.message.prepend(source + u": "_s);
        return report(error, request.json);
    }
    if (request.json) return show(store, request);
    print(before > 0 ? u"%1: revision %2, before %3; “kernelskill skills undo %1” takes it back"_s.arg(edited->name)
                           .arg(edited->revision)
                           .arg(before)
                     : u"%1: a new draft; “kernelskill skills accept %1” has it offered"_s.arg(edited->name));
    return Done;
}

// The editor gets a copy; what it leaves there is kept when it cannot be taken.
int editByHand(SkillStore &store, const Request &request, const Skill &skill)
{
    QString editor = qEnvironmentVariable("VISUAL");
    if (editor.isEmpty()) editor = qEnvironmentVariable("EDITOR");
    if (editor.isEmpty()) return refuse(request, u"set $EDITOR, or give the new text with --file SKILL.md"_s);
    auto text = store.textOf(skill.name, skill.revision);
    if (!text) return report(text.error(), request.json);
    QTemporaryDir folder;
    QFile file(folder.filePath(u"SKILL.md"_s));
    if (!folder.isValid() || !file.open(QIODevice::WriteOnly) || file.write(*text) != text->size())
        return report(
            {u"environment.temporary"_s, u"%1: cannot be written: %2"_s.arg(file.fileName(), file.errorString()), {}},
            request.json);
    file.close();
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.setInputChannelMode(QProcess::ForwardedInputChannel);
    process.start(u"/bin/sh"_s, {u"-c"_s, editor + u" \"$1\""_s, u"sh"_s, file.fileName()});
    if (!process.waitForFinished(-1) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return refuse(request,
                      u"the editor “%1” failed, so nothing was changed; set $EDITOR, or use --file"_s.arg(editor));
    if (!file.open(QIODevice::ReadOnly)) return refuse(request, u"the editor left no text, so nothing was changed"_s);
    const QByteArray edited = file.readAll();
    if (edited == *text) {
        if (request.json) return show(store, request);
        print(u"%1: nothing was changed"_s.arg(skill.name));
        return Done;
    }
    const int code = skill_actions::store(store, request, edited, file.fileName(), skill.revision);
    if (code != Done) {
        folder.setAutoRemove(false);
        progressLine(u"your text is kept: mend it there, then: kernelskill skills edit %1 --file %2"_s.arg(
            skill.name, file.fileName()));
    }
    return code;
}

} // namespace

int edit(SkillStore &store, const Request &request)
{
    auto known = store.skill(request.name());
    if (!known) return report(known.error(), request.json);
    if (request.file.isEmpty()) {
        auto skill = findSkill(store, request.name());
        return skill ? editByHand(store, request, *skill) : report(skill.error(), request.json);
    }
    QFile file(request.file);
    const bool opened = request.file == u"-"_s ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!opened) return refuse(request, u"--file: %1 cannot be read: %2"_s.arg(request.file, file.errorString()));
    return skill_actions::store(store, request, file.readAll(), request.file, *known ? (*known)->revision : 0);
}

} // namespace kernelskill::cli::skill_actions
