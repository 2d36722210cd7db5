// SPDX-License-Identifier: Apache-2.0
// What may stand in a field, to be searched and chosen from: the models a service offers. Says so while it is being asked,
// and why nothing came.
#pragma once

#include <QWidget>

class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStringListModel;

namespace kernelskill {

class ToneLabel;

class ChoiceList : public QWidget
{
    Q_OBJECT
public:
    explicit ChoiceList(QWidget *parent = nullptr);
    void setBusy();
    void setChoices(const QStringList &choices, const QString &current);
    void setTrouble(const QString &trouble);
    [[nodiscard]] QSortFilterProxyModel *model() const { return m_shown; }
    [[nodiscard]] QLineEdit *search() const { return m_search; }

Q_SIGNALS:
    void chosen(const QString &choice);
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void showState(const QString &text, bool list);
    void choose(const QModelIndex &index);

    QStringListModel *m_all;
    QSortFilterProxyModel *m_shown;
    QLineEdit *m_search;
    QListView *m_list;
    ToneLabel *m_state;
};

} // namespace kernelskill
