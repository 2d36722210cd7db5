// SPDX-License-Identifier: Apache-2.0
// Tasks and their sessions as a filtered tree. Folders are read in a worker.
#pragma once

#include "models/task_model.h"

#include <QWidget>

class QSortFilterProxyModel;
class QTreeView;

namespace kernelskill {

class TaskPanel : public QWidget
{
    Q_OBJECT
public:
    explicit TaskPanel(QWidget *parent = nullptr);
    // Reads bundled tasks, the folders a person added, and the session folder again.
    void reload();
    void addTaskFolder(const QString &folder);
    [[nodiscard]] TaskModel *model() const { return m_model; }
    [[nodiscard]] QString currentTaskFolder() const;
    void selectSession(const QString &path);
    void selectTask(const QString &folder);
    [[nodiscard]] bool isLoaded() const { return m_loaded; }

Q_SIGNALS:
    void newRunRequested();
    void taskChosen(const QString &folder);
    void sessionChosen(const QString &path);
    void replayWanted(const QString &path);
    void showWanted(const QString &path);
    void loaded();

private:
    void openCurrent(const QModelIndex &index);
    void showMenu(const QPoint &position);
    TaskModel *m_model;
    QSortFilterProxyModel *m_proxy;
    QTreeView *m_tree;
    QStringList m_added;
    int m_generation = 0;
    bool m_loaded = false;
};

} // namespace kernelskill
