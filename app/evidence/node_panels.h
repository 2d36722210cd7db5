// SPDX-License-Identifier: Apache-2.0
// Why and Evidence of the selected node.
#pragma once

#include "evidence/row_view.h"
#include "models/session_document.h"
#include "models/skill_model.h"

namespace kernelskill {

// The line over a panel that says which node it speaks of.
class NodeHeader : public QWidget
{
    Q_OBJECT
public:
    explicit NodeHeader(QWidget *parent = nullptr);
    void setNode(const TrajectoryNode *node, const QString &subtext);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_title, m_facts, m_subtext;
    NodeState m_state = NodeState::Verified;
    bool m_empty = true;
};

class WhyPanel : public QWidget
{
    Q_OBJECT
public:
    WhyPanel(SessionDocument *document, NodeSelection *selection, SkillModel *skills, QWidget *parent = nullptr);

private:
    void refresh();
    SessionDocument *m_document;
    NodeSelection *m_selection;
    SkillModel *m_skills;
    NodeHeader *m_header;
    RowView *m_rows;
};

class EvidencePanel : public QWidget
{
    Q_OBJECT
public:
    EvidencePanel(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);

private:
    void refresh();
    SessionDocument *m_document;
    NodeSelection *m_selection;
    NodeHeader *m_header;
    RowView *m_rows;
};

} // namespace kernelskill
