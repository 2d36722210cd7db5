// SPDX-License-Identifier: Apache-2.0
#include "replies/extract.h"
#include "replies/text.h"

#include <QSet>

#include <vector>

namespace kernelskill::llm {

namespace {

struct Range
{
    qsizetype begin = 0, end = 0;
};

bool beginsLineAt(const QString &file, qsizetype at)
{
    return at == 0 || file[at - 1] == u'\n';
}

struct Found
{
    qsizetype count = 0;
    Range range;
};

// Letter for letter. Of several places the only one that begins a line.
Found exactly(const QString &file, const QString &before)
{
    const QList<qsizetype> places = placesOf(before, file, 1000);
    QList<qsizetype> atLines;
    for (const qsizetype place : places) {
        if (beginsLineAt(file, place)) atLines.append(place);
    }
    const QList<qsizetype> &best = places.size() > 1 && atLines.size() == 1 ? atLines : places;
    if (best.isEmpty()) return {};
    return {best.size(), {best.first(), best.first() + before.size()}};
}

QString squeezed(QStringView text, std::vector<qsizetype> *origin = nullptr)
{
    QString result;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (isBlank(text[i])) continue;
        result.append(text[i]);
        if (origin) origin->push_back(i);
    }
    return result;
}

// But for spaces and line ends. A match of whole lines takes them whole, with what indents them.
Found butForSpacing(const QString &file, const QString &before)
{
    std::vector<qsizetype> origin;
    const QString squeezedFile = squeezed(file, &origin), wanted = squeezed(before);
    if (wanted.isEmpty()) return {};
    Found found;
    QList<Range> whole;
    Range first;
    for (const qsizetype place : placesOf(wanted, squeezedFile, 1000)) {
        Range range{origin[size_t(place)], origin[size_t(place + wanted.size() - 1)] + 1};
        qsizetype begin = range.begin, end = range.end;
        while (begin > 0 && (file[begin - 1] == u' ' || file[begin - 1] == u'\t'))
            --begin;
        while (end < file.size() && (file[end] == u' ' || file[end] == u'\t'))
            ++end;
        if (beginsLineAt(file, begin) && (end == file.size() || file[end] == u'\n')) {
            range = {begin, end == file.size() ? end : end + 1};
            whole.append(range);
        }
        if (found.count++ == 0) first = range;
    }
    if (found.count > 1 && whole.size() == 1) return {1, whole.first()};
    found.range = first;
    return found;
}

// Blank lines that `before` ends in, taken too where the file has them.
void takeBlankLines(Found &found, const QString &file, const QString &before)
{
    QList<QStringView> lines = linesOf(before);
    if (!before.endsWith(u'\n') || found.range.end == 0 || file[found.range.end - 1] != u'\n') return;
    lines.removeLast();
    for (; !lines.isEmpty() && isBlank(lines.last()); lines.removeLast()) {
        const qsizetype end = file.indexOf(u'\n', found.range.end);
        if (end < 0 || !isBlank(QStringView(file).sliced(found.range.end, end - found.range.end))) return;
        found.range.end = end + 1;
    }
}

QString indentationOf(QStringView text)
{
    for (const QStringView line : linesOf(text)) {
        if (isBlank(line)) continue;
        qsizetype indent = 0;
        while (line[indent] == u' ' || line[indent] == u'\t')
            ++indent;
        return line.first(indent).toString();
    }
    return {};
}

// `after` as far indented as the file is where `before` stood.
QString indentedLike(const QString &after, const QString &from, const QString &to)
{
    if (from == to) return after;
    QString result;
    const QList<QStringView> lines = linesOf(after);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (i > 0) result.append(u'\n');
        if (!isBlank(lines[i]) && lines[i].startsWith(from)) result.append(to).append(lines[i].sliced(from.size()));
        else result.append(lines[i]);
    }
    return result;
}

// Which line keeps `before` from standing in the file.
QString whyNowhere(const QString &file, const QString &before)
{
    QSet<QString> known;
    for (const QStringView line : linesOf(file))
        known.insert(squeezed(line));
    bool isFirst = true;
    for (const QStringView line : linesOf(before)) {
        if (isBlank(line)) continue;
        if (!known.contains(squeezed(line))) {
            return isFirst ? QStringLiteral("its first line stands nowhere in the file: %1").arg(quoted(line))
                           : QStringLiteral("this line of it stands nowhere in the file: %1").arg(quoted(line));
        }
        isFirst = false;
    }
    return QStringLiteral("its lines stand in the file, but not one after another: %1").arg(quoted(before));
}

} // namespace

Applied applyEdits(const QString &file, const QList<Edit> &edits)
{
    Applied result;
    QString code = file;
    for (qsizetype i = 0; i < edits.size(); ++i) {
        const Edit &edit = edits[i];
        const auto fail = [&](const QString &why) {
            result.problem = QStringLiteral("edit %1: %2").arg(i + 1).arg(why);
            return result;
        };
        if (isBlank(edit.before)) return fail(QStringLiteral("it does not say what it replaces"));
        QString after = edit.after;
        Found found = exactly(code, edit.before);
        if (found.count == 0) {
            found = butForSpacing(code, edit.before);
            if (found.count == 1) {
                takeBlankLines(found, code, edit.before);
                result.notes.append(QStringLiteral("edit %1: found but for its spacing").arg(i + 1));
                const QString old = code.sliced(found.range.begin, found.range.end - found.range.begin);
                if (beginsLineAt(code, found.range.begin)) after = indentedLike(after, indentationOf(edit.before), indentationOf(old));
                const bool wholeLines = old.endsWith(u'\n');
                if (wholeLines && !after.isEmpty() && !after.endsWith(u'\n')) after.append(u'\n');
                if (!wholeLines && after.endsWith(u'\n') && found.range.end < code.size()) after.chop(1);
            }
        }
        if (found.count == 0) return fail(whyNowhere(code, edit.before));
        if (found.count > 1) {
            return fail(QStringLiteral("what it replaces stands %1 times in the file: %2; more lines around it are needed")
                            .arg(found.count)
                            .arg(quoted(edit.before)));
        }
        code.replace(found.range.begin, found.range.end - found.range.begin, after);
    }
    result.code = code;
    return result;
}

} // namespace kernelskill::llm
