// SPDX-License-Identifier: Apache-2.0
// The long-term memory: filter, list, detail. Owns the window's own connection to the skill store.
#pragma once

#include "memory/skill_detail.h"
#include "memory/skill_list.h"

class QComboBox;
class QLabel;

namespace kernelskill {

class SkillsPanel : public QWidget
{
    Q_OBJECT
public:
    SkillsPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);
    ~SkillsPanel() override;

    // Opens the memory; an error leaves the panel empty.
    [[nodiscard]] Result<void> open(const QString &memoryPath);
    void reload();
    void selectSkill(const QString &name);
    [[nodiscard]] SkillModel *model() const { return m_model; }

Q_SIGNALS:
    void stateChanged(const QString &skill, kernelskill::SkillState state, const QString &reason);
    void failed(const kernelskill::Error &error);

private:
    void apply(const QString &skill, SkillState state, const QString &reason);
    void showArchitectures();
    void showProblems();

    std::unique_ptr<SkillStore> m_store;
    SkillModel *m_model;
    SkillList *m_list;
    SkillDetail *m_detail;
    QComboBox *m_architecture;
    QLabel *m_problems; // what cannot be read; hidden while all can
};

} // namespace kernelskill
