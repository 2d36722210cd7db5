// SPDX-License-Identifier: Apache-2.0
// The diff with its tabs (CUDA, PTX, SASS, Plan, Profile), the two sides' facts, folding and hunk navigation.
#pragma once

#include "diff/diff_view.h"
#include "diff/node_part.h"
#include "models/session_document.h"

class QLabel;
class QToolButton;

namespace kernelskill {

class ElidedLabel;

// One side's line above the code: letter, node, glyph, speedup.
class SideHeader : public QWidget
{
    Q_OBJECT
public:
    SideHeader(QChar letter, QWidget *parent = nullptr);
    void setNode(const TrajectoryNode *node, const QString &file);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QChar m_letter;
    QString m_title, m_facts, m_file;
    NodeState m_state = NodeState::Verified;
    bool m_empty = true;
};

class DiffPanel : public QWidget
{
    Q_OBJECT
public:
    DiffPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);
    [[nodiscard]] DiffView *view() const { return m_view; }
    void setMaximised(bool maximised);

Q_SIGNALS:
    void maximiseRequested();

private:
    void refresh();
    void showHunk();
    void showStep(const TrajectoryNode *a, const TrajectoryNode *b);

    SessionDocument *m_document;
    NodeSelection *m_selection;
    PartTabs *m_tabs;
    ElidedLabel *m_step;
    QLabel *m_hunk;
    QToolButton *m_fold, *m_previous, *m_next, *m_maximise;
    SideHeader *m_left, *m_right;
    DiffView *m_view;
    QString m_shown; // what the view holds, so that events that change nothing cost nothing
};

} // namespace kernelskill
