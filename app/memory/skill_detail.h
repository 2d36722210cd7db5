// SPDX-License-Identifier: Apache-2.0
// One skill: its text with gate and promises, or the editor in its place; its ledger, its revisions with the difference
// of any two, and the nodes it shaped. Where there is room all at once, else one behind the other.
#pragma once

#include "memory/skill_actions.h"
#include "memory/skill_editor.h"
#include "memory/skill_memory.h"
#include "models/session_document.h"
#include "models/skill_model.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTextBrowser;

namespace kernelskill {

class Bar;
class DiffView;
class MenuButton;
class ElidedLabel;
class SkillTable;

class SkillDetail : public QWidget
{
    Q_OBJECT
public:
    enum class Page { Text, Ledger, Revisions, Nodes };
    SkillDetail(SkillModel *model, SkillMemory *memory, SkillActions *actions, SessionDocument *document,
                NodeSelection *selection, QWidget *parent = nullptr);
    ~SkillDetail() override;

    void setSkill(const QString &name); // what is being typed stays until it is saved or given up
    [[nodiscard]] QString skill() const { return m_name; }
    void setGates(std::shared_ptr<GateCheck> gates);
    void showPage(Page page);
    void beginEdit(bool atGate = false); // once its text is here
    void save();
    void revert();
    void askReason(bool ask);
    [[nodiscard]] bool isEditing() const { return m_editor->isEditing(); }
    [[nodiscard]] bool canSave() const { return m_editor->canSave(); }
    [[nodiscard]] int restorableRevision() const; // 0: none is chosen but the one in use
    [[nodiscard]] QSet<QString> unsaved() const;
    // What is typed and not saved, for a window that closes and the next one that opens.
    [[nodiscard]] QVariantMap keptEdits() const;
    void restoreEdits(const QVariantMap &edits);
    [[nodiscard]] bool isSettled() const;
    // As small as the narrow arrangement: the wide one gives way to it.
    QSize minimumSizeHint() const override;

    [[nodiscard]] SkillEditor *editor() const { return m_editor; }
    [[nodiscard]] SkillTable *ledgerTable() const { return m_ledger; }
    [[nodiscard]] SkillTable *revisionTable() const { return m_revisions; }
    [[nodiscard]] SkillTable *nodeTable() const { return m_nodes; }
    [[nodiscard]] DiffView *difference() const { return m_difference; }
    [[nodiscard]] QLineEdit *reason() const { return m_reason; }

Q_SIGNALS:
    void situationChanged(); // what can be done now is another matter
    void unsavedChanged();
    void rejected(const QString &skill, const QString &reason);
    void nodeWanted(const QString &sessionPath, const QString &session, int node);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *section(const QString &title, Bar *&bar, QLabel *&note);
    void buildHeader();
    void buildPages();
    void arrange(bool wide);
    void take(const SkillDossier &dossier);
    void forgetSaved(const SkillChange &change);
    void shareRows();
    void keepEdit();
    void showEditor(const SkillEdit &edit);
    void refresh();
    void refreshHeader();
    void refreshText();
    void refreshTables();
    void followNodes(); // of the session in the window: the tables are made anew when one of the skill's is another
    void compareRevisions();
    [[nodiscard]] QList<int> chosenRevisions() const; // ascending
    [[nodiscard]] const SkillRevision *revision(int number) const;

    SkillModel *m_model;
    SkillMemory *m_memory;
    SkillActions *m_actions;
    SessionDocument *m_document;
    NodeSelection *m_selection;
    std::shared_ptr<GateCheck> m_gates;
    QString m_name;
    SkillDossier m_dossier; // of m_name once it is here
    QHash<QString, SkillEdit> m_edits; // typed and not saved
    bool m_editWanted = false, m_atGate = false, m_wide = false, m_arranged = false;

    QWidget *m_header;
    QBoxLayout *m_headerLayout;
    ElidedLabel *m_title, *m_facts;
    QLabel *m_glyph;
    QList<ActionButton *> m_buttons;
    MenuButton *m_more;
    QWidget *m_reasonRow;
    QLineEdit *m_reason;
    QTabBar *m_tabs;
    QStackedWidget *m_stack;       // narrow: the pages
    QSplitter *m_rows, *m_columns, *m_history; // wide: text, ledger, and below them revisions beside nodes
    QStackedWidget *m_textPage;
    QWidget *m_ledgerPage, *m_revisionPage, *m_nodePage;
    Bar *m_ledgerBar, *m_revisionBar, *m_nodeBar;
    QLabel *m_ledgerNote, *m_revisionNote, *m_nodeNote;
    QTextBrowser *m_text;
    SkillEditor *m_editor;
    SkillTable *m_ledger, *m_revisions, *m_nodes;
    DiffView *m_difference;
    QString m_shown, m_compared;
    size_t m_nodesHere = 0; // a hash of the session's nodes that the skill shaped
};

} // namespace kernelskill
