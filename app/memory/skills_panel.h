// SPDX-License-Identifier: Apache-2.0
// The long-term memory: filter, list, what waits for review, and the chosen skill's detail, which can stand elsewhere.
// What is done here goes through the memory's own thread and is told to a run under way.
#pragma once

#include "memory/skill_actions.h"
#include "memory/skill_detail.h"
#include "memory/skill_list.h"
#include "memory/skill_memory.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QSplitter;

namespace kernelskill {

class DraftCard;
class MenuButton;

class SkillsPanel : public QWidget
{
    Q_OBJECT
public:
    SkillsPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);
    ~SkillsPanel() override;

    void open(const QString &memoryPath); // an error leaves the panel empty and is told
    void reload();
    void selectSkill(const QString &name);
    void importFrom(const QString &path);
    void setFilter(const QString &text);
    // The detail stands where there is more room, and the reviewer's card in its place; false: it is back here.
    void setDetailApart(bool apart);
    [[nodiscard]] SkillModel *model() const { return m_model; }
    [[nodiscard]] SkillList *list() const { return m_list; }
    [[nodiscard]] SkillDetail *detail() const { return m_detail; }
    [[nodiscard]] DraftCard *draftCard() const { return m_card; }
    [[nodiscard]] SkillActions *actions() const { return m_actions; }
    [[nodiscard]] QLineEdit *filter() const { return m_filter; }
    [[nodiscard]] bool isSettled() const;

Q_SIGNALS:
    void stateChanged(const QString &skill, kernelskill::SkillState state, const QString &reason);
    void textChanged(const QString &skill, const QString &text, int revision, const QString &reason);
    void failed(const kernelskill::Error &error);
    void said(const QString &sentence); // what was done, where it does not show by itself
    void nodeWanted(const QString &sessionPath, const QString &session, int node);
    void shown(); // a skill's detail is asked for: it should be seen

private:
    void build();
    void connectParts();
    void connectActions();
    void follow(const TrajectoryNode *node); // null: none
    void take(const MemoryContents &contents);
    void showContents();
    void tellChange(const SkillChange &change);
    void tellImport(const QList<ImportedSkill> &skills);
    void updateActions();
    void updateCard(const SkillDossier &dossier);
    void goToNextDraft();
    void fillFilterMenu(QMenu *menu);
    void addFilterTerms(QMenu *menu, const QString &title, const QString &key, const QStringList &values, bool alone);
    void showArchitectures();
    void showProblems();
    void exportSkills(const QStringList &names);
    [[nodiscard]] QString undoable() const;

    SkillModel *m_model;
    SkillMemory *m_memory;
    SkillActions *m_actions;
    SkillList *m_list;
    SkillDetail *m_detail;
    DraftCard *m_card;
    QSplitter *m_splitter;
    QLineEdit *m_filter;
    MenuButton *m_narrow;
    QComboBox *m_architecture;
    QLabel *m_problems; // what cannot be read, and what the filter does not understand; hidden while there is nothing
    MemoryContents m_contents;
    QString m_canUndo;     // the skill read last, where it has a change to take back
    QStringList m_changed; // skills a person changed here, the last one last: what undo takes back
    QString m_wanted;      // skill to choose once it is listed
    QString m_deciding;    // a draft whose fate is being written down
};

} // namespace kernelskill
