// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_front_matter.h"

#include "memory/longterm/skill_yaml.h"

#include <QRegularExpression>
#include <QStringList>

namespace kernelskill {

namespace {

using Severity = SkillDiagnostic::Severity;

const QString wanted = QStringLiteral("begin with a line '---', then name: and description:, then a line '---'");

bool isFence(const QString &line)
{
    return line.startsWith(QStringLiteral("---")) && QStringView(line).mid(3).trimmed().isEmpty();
}

std::optional<FrontMatter> split(const QString &text, const QString &source, QList<SkillDiagnostic> &diagnostics)
{
    QString plain = text;
    if (plain.startsWith(QChar(0xfeff))) {
        plain.remove(0, 1);
        diagnostics.append({Severity::Note, source, 1, QStringLiteral("starts with a byte order mark"),
                            QStringLiteral("save it as UTF-8 without one")});
    }
    if (plain.contains(u'\r')) {
        plain.replace(QStringLiteral("\r\n"), QStringLiteral("\n")).replace(u'\r', u'\n');
        diagnostics.append(
            {Severity::Note, source, 1, QStringLiteral("its lines end in CR LF"), QStringLiteral("LF alone is usual")});
    }
    const QStringList lines = plain.split(u'\n');
    qsizetype first = 0;
    while (first < lines.size() && lines[first].trimmed().isEmpty())
        ++first;
    if (first == lines.size() || !isFence(lines[first])) {
        diagnostics.append({Severity::Error, source, int(std::min(first, lines.size() - 1)) + 1,
                            QStringLiteral("a skill starts with front matter between two lines '---'"), wanted});
        return std::nullopt;
    }
    qsizetype second = first + 1;
    while (second < lines.size() && !isFence(lines[second]))
        ++second;
    if (second == lines.size()) {
        diagnostics.append({Severity::Error, source, int(first) + 1,
                            QStringLiteral("the front matter that starts here has no closing line '---'"), wanted});
        return std::nullopt;
    }
    if (first > 0) {
        diagnostics.append({Severity::Warning, source, 1, QStringLiteral("empty lines stand before the front matter"),
                            QStringLiteral("other programs want '---' in line 1")});
    }
    for (const qsizetype fence : {first, second}) {
        if (lines[fence] == QStringLiteral("---")) continue;
        diagnostics.append({Severity::Note, source, int(fence) + 1, QStringLiteral("blanks stand behind '---'"),
                            QStringLiteral("remove them; other programs may not see the line")});
    }
    FrontMatter parts;
    parts.yaml = lines.mid(first + 1, second - first - 1).join(u'\n') + u'\n';
    parts.body = lines.mid(second + 1).join(u'\n').trimmed();
    parts.firstLine = int(first) + 2;
    return parts;
}

// "description: Use when: …" is not YAML, but often written. Top-level values with ": " or " #" in them are put in
// quotes.
QString withQuotedValues(const QString &yaml)
{
    static const QRegularExpression line(QStringLiteral("^([A-Za-z][A-Za-z0-9_-]*):[ \\t]+([^\"'|>\\[{&*!#\\s].*)$"));
    QStringList lines = yaml.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const auto match = line.match(lines[i]);
        if (!match.hasMatch() || !match.captured(2).contains(QRegularExpression(QStringLiteral(":\\s|:$|\\s#"))))
            continue;
        const bool goesOn = i + 1 < lines.size() && lines[i + 1].startsWith(u' ');
        if (!goesOn) lines[i] = match.captured(1) + QStringLiteral(": ") + yaml::quoted(match.captured(2).trimmed());
    }
    return lines.join(u'\n');
}

std::optional<YAML::Exception> load(FrontMatter &parts, const QString &yaml)
{
    try {
        parts.root = YAML::Load(yaml.toStdString());
        return std::nullopt;
    } catch (const YAML::Exception &exception) {
        return exception;
    }
}

} // namespace

std::optional<FrontMatter> readFrontMatter(const QString &text, const QString &source,
                                           QList<SkillDiagnostic> &diagnostics)
{
    auto parts = split(text, source, diagnostics);
    if (!parts) return parts;
    const auto trouble = load(*parts, parts->yaml);
    if (!trouble) return parts;
    const int line = trouble->mark.is_null() ? parts->firstLine : trouble->mark.line + parts->firstLine;
    const QString mended = withQuotedValues(parts->yaml);
    if (mended != parts->yaml && !load(*parts, mended)) {
        diagnostics.append({Severity::Warning, source, line,
                            QStringLiteral("a value with ': ' or ' #' in it stands without quotes (%1)")
                                .arg(QString::fromStdString(trouble->msg)),
                            QStringLiteral("put the value in double quotes")});
        return parts;
    }
    diagnostics.append({Severity::Error, source, line, QString::fromStdString(trouble->msg),
                        QStringLiteral("the front matter must be YAML")});
    return std::nullopt;
}

} // namespace kernelskill
