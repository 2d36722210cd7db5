// SPDX-License-Identifier: Apache-2.0
// What stands where in a skill's detail. What it shows: skill_detail.cpp.
#include "memory/skill_detail.h"

#include "diff/diff_view.h"
#include "memory/menu_button.h"
#include "memory/skill_table.h"
#include "models/skill_rows.h"
#include "settings/icons.h"
#include "settings/theme.h"
#include "settings/when_seen.h"
#include "shell/bar.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int wideFrom = 800; // px: below it the header has no room for its buttons

} // namespace

SkillDetail::SkillDetail(SkillModel *model, SkillMemory *memory, SkillActions *actions, SessionDocument *document,
                         NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_model(model), m_memory(memory), m_actions(actions), m_document(document),
      m_selection(selection), m_text(new QTextBrowser), m_editor(new SkillEditor)
{
    buildHeader();
    buildPages();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_reasonRow);
    layout->addWidget(m_tabs);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_rows, 1);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    arrange(false);

    connect(memory, &SkillMemory::dossierRead, this, &SkillDetail::take);
    connect(memory, &SkillMemory::changed, this, &SkillDetail::forgetSaved);
    connect(model, &SkillModel::contentsChanged, this, [this] {
        refresh();
        if (!m_name.isEmpty()) m_memory->askDossier(m_name);
    });
    auto *seen = new WhenSeen(this, [this] { refreshText(); });
    connect(selection, &NodeSelection::changed, seen, &WhenSeen::ask);
    connect(document, &SessionDocument::nodesChanged, this, &SkillDetail::followNodes);
    connect(document, &SessionDocument::reset, this, &SkillDetail::refreshTables);
    connect(&theme(), &Theme::changed, this, [this] {
        m_shown.clear();
        refresh();
    });
    refresh();
}

SkillDetail::~SkillDetail() = default;

void SkillDetail::buildHeader()
{
    m_header = new QWidget;
    m_glyph = new QLabel;
    m_title = new ElidedLabel;
    m_title->setFont(theme().font(TextStyle::Title));
    m_facts = new ElidedLabel;
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    auto *words = new QHBoxLayout;
    words->setSpacing(theme().space(6));
    words->addWidget(m_glyph);
    words->addWidget(m_title);
    words->addWidget(m_facts, 1);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(theme().space(6));
    for (QAction *action : {m_actions->save, m_actions->revert, m_actions->accept, m_actions->pin, m_actions->restore,
                            m_actions->edit, m_actions->reject, m_actions->undo, m_actions->exportOne}) {
        m_buttons.append(new ActionButton(action));
        buttons->addWidget(m_buttons.last());
    }
    m_more = new MenuButton(tr("More"), tr("What else can be done with the skill"));
    m_actions->fill(m_more->menu());
    buttons->addWidget(m_more);
    buttons->addStretch();
    m_headerLayout = new QBoxLayout(QBoxLayout::TopToBottom, m_header);
    m_headerLayout->setContentsMargins(theme().space(8), theme().space(4), theme().space(8), theme().space(4));
    m_headerLayout->setSpacing(theme().space(4));
    m_headerLayout->addLayout(words, 1);
    m_headerLayout->addLayout(buttons);

    m_reasonRow = new QWidget;
    m_reason = new QLineEdit;
    m_reason->setAccessibleName(tr("Why it is rejected"));
    m_reason->setPlaceholderText(tr("Why is it rejected? Enter confirms, Esc cancels"));
    auto *reasonLayout = new QHBoxLayout(m_reasonRow);
    reasonLayout->setContentsMargins(theme().space(8), 0, theme().space(8), theme().space(6));
    reasonLayout->addWidget(m_reason);
    m_reasonRow->hide();
    connect(m_reason, &QLineEdit::returnPressed, this, [this] {
        const QString why = m_reason->text().trimmed();
        if (why.isEmpty()) return; // a rejection without a reason teaches nobody
        askReason(false);
        Q_EMIT rejected(m_name, why);
    });
    auto *cancel = new QShortcut(QKeySequence(Qt::Key_Escape), m_reason);
    cancel->setContext(Qt::WidgetShortcut);
    connect(cancel, &QShortcut::activated, this, [this] { askReason(false); });
}

QWidget *SkillDetail::section(const QString &title, Bar *&bar, QLabel *&note)
{
    auto *page = new QWidget;
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    bar = new Bar(themeSize("columnHeader"));
    bar->addTitle(title);
    note = bar->addText({});
    bar->addStretch();
    layout->addWidget(bar);
    return page;
}

void SkillDetail::buildPages()
{
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    m_text->document()->setDocumentMargin(theme().space(8));
    m_text->setAccessibleName(tr("Skill"));
    m_textPage = new QStackedWidget;
    m_textPage->addWidget(m_text);
    m_textPage->addWidget(m_editor);

    m_ledger = new SkillTable(skill_rows::ledgerHeaders(), {skill_rows::NodeColumn, skill_rows::GainColumn},
                              tr("Ledger of the skill"));
    m_ledger->setEmptySentence(tr("Not used yet: each node it shapes is written down here."));
    m_revisions = new SkillTable(skill_rows::revisionHeaders(), {skill_rows::NumberColumn}, tr("Revisions of the skill"));
    m_revisions->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_nodes = new SkillTable(skill_rows::provenanceHeaders(), {}, tr("Nodes the skill shaped"));
    m_nodes->setOpensOnClick(true);
    m_nodes->setEmptySentence(tr("No node was made with it yet."));
    m_difference = new DiffView;
    m_difference->setMinimumHeight(2 * themeSize("codeLine"));
    m_difference->setAccessibleName(tr("Difference of two revisions"));

    m_ledgerPage = section(tr("Ledger"), m_ledgerBar, m_ledgerNote);
    m_ledgerPage->layout()->addWidget(m_ledger);
    m_revisionPage = section(tr("Revisions"), m_revisionBar, m_revisionNote);
    auto *restore = new ActionButton(m_actions->restoreRevision, ActionButton::Words::All);
    restore->setFixedHeight(themeSize("buttonSmall"));
    m_revisionBar->add(restore);
    m_history = new QSplitter(Qt::Vertical);
    m_history->addWidget(m_revisions);
    m_history->addWidget(m_difference);
    m_history->setStretchFactor(0, 2);
    m_history->setStretchFactor(1, 1);
    m_history->setChildrenCollapsible(false);
    m_revisionPage->layout()->addWidget(m_history);
    m_nodePage = section(tr("Provenance"), m_nodeBar, m_nodeNote);
    m_nodePage->layout()->addWidget(m_nodes);
    m_revisions->header()->setStretchLastSection(true);
    for (SkillTable *table : {m_revisions, m_nodes})
        table->header()->hide(); // what stands there speaks for itself

    m_tabs = new QTabBar;
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Parts of the skill"));
    for (const QString &title : {tr("Text"), tr("Ledger"), tr("History"), tr("Nodes")})
        m_tabs->addTab(title);
    m_stack = new QStackedWidget;
    m_rows = new QSplitter(Qt::Vertical);
    m_columns = new QSplitter(Qt::Horizontal);
    m_rows->addWidget(m_columns);
    for (QSplitter *splitter : {m_rows, m_columns})
        splitter->setChildrenCollapsible(false);
    connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);

    for (SkillTable *table : {m_ledger, m_nodes})
        connect(table, &SkillTable::nodeWanted, this, &SkillDetail::nodeWanted);
    connect(m_revisions->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        compareRevisions();
        Q_EMIT situationChanged();
    });
    connect(m_editor, &SkillEditor::touched, this, [this] {
        keepEdit();
        Q_EMIT situationChanged();
    });
    connect(m_editor, &SkillEditor::saveWanted, this, &SkillDetail::save);
    connect(m_editor, &SkillEditor::revertWanted, this, &SkillDetail::revert);
}

QSize SkillDetail::minimumSizeHint() const
{
    return {240, 160};
}

void SkillDetail::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool wide = width() >= wideFrom;
    if (wide != m_wide) arrange(wide);
}

void SkillDetail::arrange(bool wide)
{
    if (m_arranged && wide == m_wide) return;
    m_wide = wide;
    m_arranged = true;
    m_headerLayout->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    const QList<QWidget *> pages{m_textPage, m_ledgerPage, m_revisionPage, m_nodePage};
    const int current = m_tabs->currentIndex();
    if (wide) {
        m_rows->insertWidget(0, m_textPage);
        m_rows->insertWidget(1, m_ledgerPage);
        m_columns->insertWidget(0, m_revisionPage);
        m_columns->insertWidget(1, m_nodePage);
        for (QWidget *page : pages)
            page->show();
        shareRows();
        m_columns->setSizes({560, 440});
    } else {
        for (int i = 0; i < pages.size(); ++i)
            m_stack->insertWidget(i, pages[i]);
        m_stack->setCurrentIndex(current);
    }
    m_tabs->setVisible(!wide);
    m_stack->setVisible(!wide);
    m_rows->setVisible(wide);
    m_ledgerBar->setVisible(wide);
    m_nodeBar->setVisible(wide);
    for (const int column : {skill_rows::BottleneckColumn, skill_rows::PromisesColumn, skill_rows::VerdictColumn,
                             skill_rows::NodeColumn})
        m_ledger->setColumnHidden(column, !wide);
    m_ledger->setSpansGroups(!wide);
    m_ledger->setHeaderHidden(!wide);
    for (SkillTable *table : {m_ledger, m_nodes})
        table->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 1; column < m_ledger->model()->columnCount(); ++column)
        m_ledger->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_nodes->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_shown.clear();
    refresh();
}

void SkillDetail::showPage(Page page)
{
    m_tabs->setCurrentIndex(int(page));
    QWidget *views[]{isEditing() ? static_cast<QWidget *>(m_editor) : m_text, m_ledger, m_revisions, m_nodes};
    views[int(page)]->setFocus(Qt::TabFocusReason);
}

} // namespace kernelskill
