// SPDX-License-Identifier: Apache-2.0
// The skills by state, each with what the ledger knows: won, lost, and its gain as an interval on a log axis.
#pragma once

#include "models/skill_model.h"

#include <QSortFilterProxyModel>
#include <QTreeView>

namespace kernelskill {

class SkillList : public QTreeView
{
    Q_OBJECT
public:
    explicit SkillList(SkillModel *model, QWidget *parent = nullptr);
    void setFilter(const QString &text);
    [[nodiscard]] QString currentSkill() const;
    void selectSkill(const QString &name);
    void selectFirst();
    [[nodiscard]] bool shows(const QString &name) const;
    [[nodiscard]] QString filterTrouble() const; // a term that cannot be understood, in words

Q_SIGNALS:
    void skillSelected(const QString &name);

protected:
    void drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    SkillModel *m_model;
    QSortFilterProxyModel *m_proxy;
};

} // namespace kernelskill
