// SPDX-License-Identifier: Apache-2.0
#include "roles/writing.h"

#include "replies/extract.h"
#include "roles/material.h"

#include <QRegularExpression>

namespace kernelskill::llm {

namespace {

constexpr qsizetype longestSummary = 120;
constexpr qsizetype shownErrors = 12;

QString lineAfter(const QString &reply, const QString &word)
{
    const QRegularExpression expression(QStringLiteral("^[ \\t*>#`-]*%1[ \\t*`]*:[ \\t*]*(.+)$").arg(word),
                                        QRegularExpression::MultilineOption |
                                            QRegularExpression::CaseInsensitiveOption);
    return expression.match(reply.left(20'000)).captured(1).simplified();
}

// Lines that stand in `file` so are not the model's.
QString withoutOverrides(const QString &code, const QString &file, QStringList &notes)
{
    static const QRegularExpression steering(QStringLiteral("//\\s*@(?=\\w+\\s*:)"));
    QStringList lines = code.split(u'\n');
    const QStringList before = file.contains(steering) ? file.split(u'\n') : QStringList();
    for (QString &line : lines) {
        if (!before.contains(line)) line.replace(steering, QStringLiteral("// "));
    }
    const QString result = lines.join(u'\n');
    if (result != code) notes.append(QStringLiteral("comments that would have decided features were made plain"));
    return result;
}

QString errorsText(const QList<Finding> &errors)
{
    QStringList lines;
    for (const Finding &finding : errors.mid(0, shownErrors))
        lines.append(findingText(finding));
    if (errors.size() > shownErrors) lines.append(QStringLiteral("… and %1 more").arg(errors.size() - shownErrors));
    return lines.join(u'\n');
}

// What the compiler has against it; nothing where it cannot be asked.
QCoro::Task<Result<QList<Finding>>> compiled(const Exchange &exchange, Candidate candidate)
{
    if (!exchange.context().compile) co_return QList<Finding>{};
    auto findings = co_await exchange.context().compile(std::move(candidate));
    if (!findings && findings.error().code == u"evaluator.compile") co_return QList<Finding>{};
    co_return findings;
}

} // namespace

ReadCode readCode(const QString &reply, const QString &file, const QString &entry)
{
    ReadCode read;
    read.summary = lineAfter(reply, QStringLiteral("Summary")).left(longestSummary);
    const ExtractedChange change = extractChange(reply, entry);
    read.notes = change.notes;
    if (change.code.isEmpty() && change.edits.isEmpty()) {
        read.inapplicable = lineAfter(reply, QStringLiteral("INAPPLICABLE")).left(400);
        read.problem = change.problem.isEmpty() ? QStringLiteral("there is no code in the answer") : change.problem;
        return read;
    }
    if (!change.edits.isEmpty()) {
        const Applied applied = applyEdits(file, change.edits);
        read.notes += applied.notes;
        if (!applied.problem.isEmpty()) {
            read.problem = QStringLiteral("the edits do not apply: %1").arg(applied.problem);
            return read;
        }
        read.code = withoutOverrides(applied.code, file, read.notes);
        return read;
    }
    if (!change.problem.isEmpty()) { // a whole file of which something is missing is no file
        read.problem = change.problem;
        return read;
    }
    read.code = withoutOverrides(change.code, file, read.notes);
    return read;
}

QCoro::Task<Result<CodeChange>> writeCode(Exchange &exchange, Material material, Candidate base, QString gaveUp)
{
    QString file = base.mainText();
    bool mended = false, compiledOnce = false;
    std::optional<CodeChange> written; // what there is to hand on
    auto reply = co_await exchange.open(std::move(material));
    for (;;) {
        if (!reply) {
            if (written && reply.error().code == u"agent.context") co_return *written;
            co_return std::unexpected(reply.error());
        }
        ReadCode read = readCode(*reply, file, base.entryPoint);
        exchange.note(read.notes);
        if (read.code.isEmpty()) {
            exchange.note(read.inapplicable.isEmpty() ? read.problem : QStringLiteral("given up by the model"));
            if (!read.inapplicable.isEmpty() && !written) co_return failure(gaveUp, read.inapplicable);
            if (mended && written) co_return *written;
            if (mended || !read.inapplicable.isEmpty())
                co_return written
                    ? Result<CodeChange>(*written)
                    : failure(gaveUp, QStringLiteral("the model's reply could not be used: %1").arg(read.problem));
            mended = true;
            reply = co_await exchange.correct(
                QStringLiteral(
                    "That cannot be used: %1. Answer with the whole file, nothing left out, in one code block.")
                    .arg(read.problem));
            continue;
        }
        written = CodeChange{base.withMainText(read.code), read.summary, {}};
        if (compiledOnce) co_return *written;
        auto errors = co_await compiled(exchange, written->candidate);
        if (!errors && errors.error().code == u"run.stopped") co_return std::unexpected(errors.error());
        // Trouble of the environment is the Reviewer's to report; what is written is paid for.
        if (!errors || errors->isEmpty()) co_return *written;
        compiledOnce = true;
        file = read.code;
        exchange.note(QStringLiteral("it does not compile; shown to the model once"));
        reply = co_await exchange.correct(
            QStringLiteral("It does not compile:\n%1\n\nMend that and nothing else. Answer with the whole file, or "
                           "with edits of the file as you wrote it last.")
                .arg(dataBlock(QStringLiteral("compiler"), errorsText(*errors))));
    }
}

} // namespace kernelskill::llm
