// SPDX-License-Identifier: Apache-2.0
// Everything that can be reached by typing its name: actions, nodes, skills, tasks, sessions. Ranked by how well it matches.
#pragma once

#include <QAbstractListModel>
#include <QIcon>
#include <QString>

#include <functional>

namespace kernelskill {

struct PaletteEntry
{
    QString title;  // "Fit trajectory"
    QString detail; // on the right: a shortcut, a speedup, where it is
    QString kind;   // "Action", "Node", …: words that match as well
    bool enabled = true;
    std::function<void()> run;
};

// How well a typed text fits a title: 0 not at all. All words must occur, in any order, at the beginning of words best;
// failing that the letters in their order ("fitr" → "Fit trajectory").
[[nodiscard]] int paletteScore(const QString &typed, const QString &title);

class PaletteModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { DetailRole = Qt::UserRole + 1, KindRole };
    using QAbstractListModel::QAbstractListModel;

    void setEntries(QList<PaletteEntry> entries);
    void setFilter(const QString &typed); // empty: everything, in the given order
    [[nodiscard]] const PaletteEntry *entry(const QModelIndex &index) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    QList<PaletteEntry> m_entries;
    QList<int> m_shown; // indices, best first
};

} // namespace kernelskill
