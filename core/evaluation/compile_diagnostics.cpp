// SPDX-License-Identifier: Apache-2.0
#include "compile_diagnostics.h"

#include <QRegularExpression>
#include <QSet>

#include <optional>

namespace kernelskill {

namespace {

struct Place
{
    QString file;
    int line = 0;
};

// What stands before a candidate's own path: "src/", or the build folder where a compiler or profiler says absolute
// paths (build_cache.cpp of the simulator and of the CUDA worker name it).
QRegularExpressionMatch ownPrefix(const QString &printed)
{
    static const QRegularExpression prefix(QStringLiteral("^(?:(?:\\./)*|/.*/(?:new-[0-9a-f]{32}|work-[A-Za-z0-9]{6})/)src/"));
    return prefix.match(printed);
}

bool isCandidate(const QString &printed)
{
    return ownPrefix(printed).hasMatch();
}

// "src/solve.cu:12:7: error: …" (clang, gcc) or "src/solve.cu(12): error: …" (nvcc).
std::optional<std::pair<Place, QString>> diagnostic(const QString &line, const QString &kind)
{
    static const QRegularExpression clang(
        QStringLiteral("^([^:(\\s][^:(]*):(\\d+)(?::\\d+)?: (fatal error|error|note): (.*)$"));
    static const QRegularExpression nvcc(
        QStringLiteral("^([^:(\\s][^(]*)\\((\\d+)\\): (?:catastrophic )?(error|note)(?: #?[\\w-]*)?: (.*)$"));
    for (const QRegularExpression *pattern : {&clang, &nvcc}) {
        const QRegularExpressionMatch match = pattern->match(line);
        if (match.hasMatch() && match.captured(3).endsWith(kind))
            return std::pair{Place{match.captured(1), match.captured(2).toInt()}, match.captured(4)};
    }
    return std::nullopt;
}

Finding finding(const Place &place, const QString &message)
{
    Finding result;
    result.kind = QStringLiteral("compile_error");
    result.file = candidatePath(place.file);
    result.line = place.line;
    result.message = message;
    return result;
}

// An undefined symbol has no line; the name is what helps.
std::optional<QString> linkError(const QString &line)
{
    static const QRegularExpression undefined(QStringLiteral("undefined (?:reference to|symbol:?) [`']?([^'`]+)'?"));
    const QRegularExpressionMatch match = undefined.match(line);
    if (!match.hasMatch()) return std::nullopt;
    return QStringLiteral("undefined symbol %1: neither the candidate nor the run time defines it")
        .arg(match.captured(1).trimmed());
}

} // namespace

QString candidatePath(const QString &printed)
{
    return printed.mid(ownPrefix(printed).capturedLength());
}

QList<Finding> compileErrors(const QString &output, const QString &mainFile)
{
    QList<Finding> findings;
    QSet<QString> seen;
    const QStringList lines = output.split(u'\n');
    const auto add = [&](const Finding &one) {
        const QString key = QStringLiteral("%1:%2:%3").arg(one.file).arg(one.line).arg(one.message);
        if (!seen.contains(key)) {
            seen.insert(key);
            findings.append(one);
        }
    };
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (const auto error = diagnostic(lines[i], QStringLiteral("error"))) {
            Place place = error->first;
            // The notes up to the next error may lead from a header back to the candidate.
            for (qsizetype j = i + 1; !isCandidate(place.file) && j < lines.size(); ++j) {
                if (diagnostic(lines[j], QStringLiteral("error"))) break;
                if (const auto note = diagnostic(lines[j], QStringLiteral("note"));
                    note && isCandidate(note->first.file))
                    place = note->first;
            }
            QString message = error->second;
            if (!isCandidate(place.file) && place.file.endsWith(QStringLiteral("unit.cu"))) {
                place = {QStringLiteral("src/") + mainFile, 0};
                message = QStringLiteral("the entry point does not fit the task: %1").arg(message);
            }
            add(finding(place, message));
        } else if (const auto message = linkError(lines[i])) {
            add(finding({QStringLiteral("src/") + mainFile, 0}, *message));
        }
    }
    if (findings.isEmpty())
        findings.append(finding({QStringLiteral("src/") + mainFile, 0}, output.trimmed().right(400)));
    return findings;
}

} // namespace kernelskill
