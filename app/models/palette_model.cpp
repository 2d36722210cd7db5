// SPDX-License-Identifier: Apache-2.0
#include "models/palette_model.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr qsizetype mostShown = 60;

bool beginsWord(const QString &text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

// Of one word: where it begins a word of the title, else anywhere in it.
int wordScore(const QString &word, const QString &title)
{
    int best = 0;
    for (qsizetype at = title.indexOf(word); at >= 0; at = title.indexOf(word, at + 1))
        best = std::max(best, beginsWord(title, at) ? (at == 0 ? 40 : 30) : 10);
    return best;
}

bool lettersInOrder(const QString &letters, const QString &title)
{
    qsizetype at = 0;
    for (const QChar letter : letters) {
        at = title.indexOf(letter, at);
        if (at < 0) return false;
        ++at;
    }
    return true;
}

} // namespace

int paletteScore(const QString &typed, const QString &title)
{
    const QString text = title.toLower();
    const QStringList words = typed.toLower().split(u' ', Qt::SkipEmptyParts);
    int sum = 0;
    for (const QString &word : words) {
        const int score = wordScore(word, text);
        if (score == 0) return words.size() == 1 && word.size() > 1 && lettersInOrder(word, text) ? 1 : 0;
        sum += score;
    }
    // Of equal matches the shorter title is the nearer one.
    return sum == 0 ? 0 : sum * 100 + std::max(0, 99 - int(text.size()));
}

void PaletteModel::setEntries(QList<PaletteEntry> entries)
{
    beginResetModel();
    m_entries = std::move(entries);
    m_shown.clear();
    for (int i = 0; i < m_entries.size(); ++i)
        m_shown.append(i);
    endResetModel();
}

void PaletteModel::setFilter(const QString &typed)
{
    beginResetModel();
    QList<std::pair<int, int>> scored; // (−score, index): equal scores in the given order
    for (int i = 0; i < m_entries.size(); ++i) {
        const PaletteEntry &entry = m_entries[i];
        const int score = typed.trimmed().isEmpty() ? 1 : paletteScore(typed, entry.title + u' ' + entry.kind);
        if (score > 0) scored.append({-score, i});
    }
    std::ranges::stable_sort(scored, {}, &std::pair<int, int>::first);
    m_shown.clear();
    const qsizetype shown = typed.trimmed().isEmpty() ? scored.size() : std::min(scored.size(), mostShown);
    for (const auto &[score, index] : std::as_const(scored).first(shown))
        m_shown.append(index);
    endResetModel();
}

const PaletteEntry *PaletteModel::entry(const QModelIndex &index) const
{
    return index.isValid() && index.row() < m_shown.size() ? &m_entries[m_shown[index.row()]] : nullptr;
}

int PaletteModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex &index, int role) const
{
    const PaletteEntry *shown = entry(index);
    if (!shown) return {};
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return shown->title;
    case Qt::ToolTipRole:
    case DetailRole:
        return shown->detail;
    case KindRole:
        return shown->kind;
    case Qt::AccessibleDescriptionRole:
        return u"%1 %2"_s.arg(shown->kind, shown->detail);
    default:
        return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex &index) const
{
    const PaletteEntry *shown = entry(index);
    return shown && shown->enabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren : Qt::NoItemFlags;
}

} // namespace kernelskill
