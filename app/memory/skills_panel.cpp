// SPDX-License-Identifier: Apache-2.0
#include "memory/skills_panel.h"

#include "base/paths.h"
#include "memory/draft_card.h"
#include "memory/menu_button.h"
#include "settings/icons.h"
#include "settings/theme.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int followPause_ms = 120;
const QString draftTerm = u"draft,quarantined"_s;

// Which bottlenecks the policy offers a skill for: those whose cases allow its method or itself.
QHash<QString, QStringList> bottlenecksOf(const QList<Skill> &skills, const Policy &policy)
{
    QHash<QString, QStringList> byMethod;
    for (const PolicyCase &one : policy.cases) {
        for (const QString &method : one.allowed) {
            if (QStringList &list = byMethod[method]; !list.contains(one.bottleneck)) list.append(one.bottleneck);
        }
    }
    QHash<QString, QStringList> result;
    for (const Skill &skill : skills) {
        QStringList list = byMethod.value(skill.name);
        if (!skill.method.isEmpty()) list += byMethod.value(skill.method);
        list.removeDuplicates();
        if (!list.isEmpty()) result.insert(skill.name, list);
    }
    return result;
}

} // namespace

SkillsPanel::SkillsPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_model(new SkillModel(this)), m_memory(new SkillMemory(this)),
      m_actions(new SkillActions(this)), m_list(new SkillList(m_model)),
      m_detail(new SkillDetail(m_model, m_memory, m_actions, document, selection)),
      m_card(new DraftCard(m_model, m_actions)), m_splitter(new QSplitter(Qt::Vertical)), m_filter(new QLineEdit),
      m_narrow(new MenuButton(tr("Narrow"), tr("By state, structure, bottleneck, GPU, wins, losses and last use"))),
      m_architecture(new QComboBox), m_problems(new QLabel)
{
    build();
    connectParts();
    connectActions();
    // The skill behind the selected node is the one a person wants to read, unless a draft is at hand.
    // Not for each of many that come in one burst.
    auto *pause = new QTimer(this);
    pause->setSingleShot(true);
    pause->setInterval(followPause_ms);
    connect(selection, &NodeSelection::changed, pause, [pause, selection, last = -1]() mutable {
        if (selection->selected() == last) return;
        last = selection->selected();
        if (!pause->isActive()) pause->start();
    });
    connect(pause, &QTimer::timeout, this, [this, document, selection] { follow(document->node(selection->selected())); });
}

SkillsPanel::~SkillsPanel() = default;

void SkillsPanel::follow(const TrajectoryNode *node)
{
    if (!node || node->skill.isEmpty() || m_detail->isEditing() || !m_card->draft().isEmpty()) return;
    if (m_model->skills().isEmpty())
        m_wanted = node->skill; // once the memory is read
    else
        m_list->selectSkill(node->skill);
}

void SkillsPanel::build()
{
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->addAction(themedIcon(u"filter"_s, u"text.secondary"_s), QLineEdit::LeadingPosition);
    m_filter->setPlaceholderText(tr("Filter skills"));
    m_filter->setToolTip(tr("Words, and terms as state:draft structure:S3 bottleneck:… gpu:… won>=2 lost<1 used:7d"));
    m_filter->setClearButtonEnabled(true);
    connect(m_narrow->menu(), &QMenu::aboutToShow, this, [this] { fillFilterMenu(m_narrow->menu()); });
    m_architecture->setToolTip(tr("Whose ledger rows count"));
    m_architecture->setAccessibleName(tr("GPU whose ledger rows count"));
    m_architecture->addItem(tr("All GPUs"), QString());
    auto *tools = new QHBoxLayout;
    tools->setContentsMargins(theme().space(6), theme().space(6), theme().space(6), theme().space(6));
    tools->setSpacing(theme().space(6));
    tools->addWidget(m_filter, 1);
    tools->addWidget(m_narrow);
    tools->addWidget(m_architecture);
    m_problems->setContentsMargins(theme().space(8), 0, theme().space(8), theme().space(6));
    m_problems->setWordWrap(true);
    m_problems->hide();
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(m_detail);
    m_splitter->setStretchFactor(0, 5);
    m_splitter->setStretchFactor(1, 6);
    m_splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(tools);
    layout->addWidget(m_problems);
    layout->addWidget(m_splitter, 1);
    layout->addWidget(m_card);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
}

void SkillsPanel::connectParts()
{
    connect(m_filter, &QLineEdit::textChanged, this, &SkillsPanel::setFilter);
    connect(m_filter, &QLineEdit::returnPressed, m_list, [this] { m_list->setFocus(Qt::TabFocusReason); });
    connect(m_list, &SkillList::skillSelected, this, [this](const QString &name) {
        if (!name.isEmpty()) m_detail->setSkill(name);
        updateCard({});
    });
    connect(m_list, &QAbstractItemView::activated, this, [this] {
        Q_EMIT shown();
        m_detail->showPage(SkillDetail::Page::Text);
    });
    connect(m_architecture, &QComboBox::currentIndexChanged, this, &SkillsPanel::showContents);
    connect(m_detail, &SkillDetail::situationChanged, this, &SkillsPanel::updateActions);
    connect(m_detail, &SkillDetail::unsavedChanged, this, [this] { m_model->setUnsaved(m_detail->unsaved()); });
    connect(m_detail, &SkillDetail::rejected, this, [this](const QString &name, const QString &reason) {
        m_deciding = name;
        m_memory->setState(name, SkillState::Rejected, reason);
    });
    connect(m_detail, &SkillDetail::nodeWanted, this, &SkillsPanel::nodeWanted);
    connect(m_card, &DraftCard::nodeWanted, this, &SkillsPanel::nodeWanted);
    connect(m_memory, &SkillMemory::contentsRead, this, &SkillsPanel::take);
    connect(m_memory, &SkillMemory::dossierRead, this, &SkillsPanel::updateCard);
    connect(m_memory, &SkillMemory::dossierRead, this, [this](const SkillDossier &dossier) {
        if (dossier.canUndo)
            m_canUndo = dossier.name;
        else if (m_canUndo == dossier.name)
            m_canUndo.clear();
        updateActions();
    });
    connect(m_memory, &SkillMemory::changed, this, &SkillsPanel::tellChange);
    connect(m_memory, &SkillMemory::imported, this, &SkillsPanel::tellImport);
    connect(m_memory, &SkillMemory::exported, this, [this](const QStringList &folders) {
        Q_EMIT said(folders.size() == 1 ? tr("Exported to %1.").arg(folders.first())
                                        : tr("%1 skills exported, the last to %2.").arg(folders.size()).arg(folders.last()));
    });
    connect(m_memory, &SkillMemory::failed, this, [this](const Error &error, const QString &skill) {
        if (skill == m_deciding) m_deciding.clear();
        Q_EMIT failed(error);
    });
}

void SkillsPanel::connectActions()
{
    const auto onSkill = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, [this, slot] {
            const Skill *skill = m_model->skill(m_detail->skill());
            if (!skill) return;
            Q_EMIT shown();
            slot(*skill);
        });
    };
    connect(m_actions->find, &QAction::triggered, this, [this] {
        Q_EMIT shown();
        m_filter->setFocus(Qt::ShortcutFocusReason);
        m_filter->selectAll();
    });
    connect(m_actions->nextDraft, &QAction::triggered, this, [this] {
        Q_EMIT shown();
        goToNextDraft();
    });
    connect(m_actions->onlyDrafts, &QAction::triggered, this, [this](bool only) {
        m_filter->setText(only ? u"state:"_s + draftTerm : QString());
    });
    onSkill(m_actions->pin, [this](const Skill &skill) {
        m_memory->setState(skill.name, skill.state == SkillState::Pinned ? SkillState::Active : SkillState::Pinned, {});
    });
    onSkill(m_actions->edit, [this](const Skill &) { m_detail->beginEdit(); });
    onSkill(m_actions->editGate, [this](const Skill &) { m_detail->beginEdit(true); });
    onSkill(m_actions->save, [this](const Skill &) { m_detail->save(); });
    onSkill(m_actions->revert, [this](const Skill &) { m_detail->revert(); });
    onSkill(m_actions->accept, [this](const Skill &skill) {
        m_deciding = skill.name;
        m_memory->setState(skill.name, SkillState::Active, u"accepted"_s);
    });
    onSkill(m_actions->reject, [this](const Skill &) { m_detail->askReason(true); });
    onSkill(m_actions->restore, [this](const Skill &skill) { m_memory->restoreState(skill.name); });
    onSkill(m_actions->restoreRevision, [this](const Skill &skill) {
        m_memory->restore(skill.name, m_detail->restorableRevision());
    });
    connect(m_actions->undo, &QAction::triggered, this, [this] {
        if (const QString name = undoable(); !name.isEmpty()) m_memory->undo(name);
    });
    for (const auto &[action, page] : {std::pair(m_actions->showText, SkillDetail::Page::Text),
                                       std::pair(m_actions->showLedger, SkillDetail::Page::Ledger),
                                       std::pair(m_actions->showRevisions, SkillDetail::Page::Revisions),
                                       std::pair(m_actions->showNodes, SkillDetail::Page::Nodes)})
        onSkill(action, [this, page](const Skill &) { m_detail->showPage(page); });
    connect(m_actions->importFolder, &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getExistingDirectory(this, tr("Import a skill's folder, or a folder of skills"));
        if (!path.isEmpty()) importFrom(path);
    });
    connect(m_actions->importArchive, &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Import skills from an archive"), {},
                                                          tr("Archives (*.zip *.tar *.tar.gz *.tgz);;All files (*)"));
        if (!path.isEmpty()) importFrom(path);
    });
    onSkill(m_actions->exportOne, [this](const Skill &skill) { exportSkills({skill.name}); });
    connect(m_actions->exportAll, &QAction::triggered, this, [this] { exportSkills({}); });
}

void SkillsPanel::open(const QString &memoryPath)
{
    m_memory->open(memoryPath, paths::skills());
}

void SkillsPanel::reload()
{
    m_memory->reload();
}

bool SkillsPanel::isSettled() const
{
    return !m_memory->isBusy() && m_detail->isSettled();
}

void SkillsPanel::setFilter(const QString &text)
{
    m_list->setFilter(text);
    m_actions->onlyDrafts->setChecked(text == u"state:"_s + draftTerm);
    showProblems();
}

void SkillsPanel::setDetailApart(bool apart)
{
    if (!apart) {
        m_splitter->addWidget(m_detail);
        m_detail->show();
    }
    m_card->setCompact(!apart);
}

void SkillsPanel::take(const MemoryContents &contents)
{
    const bool newPolicy = contents.policy.text != m_contents.policy.text;
    m_contents = contents;
    if (newPolicy && !contents.policy.text.isEmpty()) {
        if (auto gates = GateCheck::make(contents.policy)) m_detail->setGates(std::move(*gates));
    }
    showContents();
    showArchitectures();
    showProblems();
}

void SkillsPanel::showContents()
{
    const QString current = m_wanted.isEmpty() ? m_detail->skill() : m_wanted;
    m_wanted.clear();
    m_model->setContents(m_contents.skills, m_contents.statistics, m_architecture->currentData().toString(),
                         {m_contents.lastUses, bottlenecksOf(m_contents.skills, m_contents.policy)});
    m_model->setUnsaved(m_detail->unsaved());
    m_list->selectSkill(current);
    if (m_detail->skill().isEmpty()) m_list->selectFirst();
    m_card->showCount();
    updateCard({});
    updateActions();
}

void SkillsPanel::selectSkill(const QString &name)
{
    // A filter that hides what was asked for is in the way.
    if (!m_list->shows(name) && m_model->skill(name)) m_filter->clear();
    m_list->selectSkill(name);
}

// Told to the run as well; the next of what waits comes up by itself.
void SkillsPanel::tellChange(const SkillChange &change)
{
    if (change.undone)
        m_changed.removeAll(change.name);
    else
        m_changed.append(change.name);
    if (change.ofText()) Q_EMIT textChanged(change.name, change.after.text, change.after.revision, change.reason);
    if (change.ofState()) Q_EMIT stateChanged(change.name, change.after.state, change.reason);
    m_wanted = change.name;
    if (m_deciding == change.name) {
        m_deciding.clear();
        const bool waited = change.before && (change.before->state == SkillState::Draft ||
                                              change.before->state == SkillState::Quarantined);
        QStringList waiting = m_model->waiting();
        const qsizetype at = waiting.indexOf(change.name);
        waiting.removeAll(change.name);
        if (waited && !waiting.isEmpty()) m_wanted = waiting[std::clamp<qsizetype>(at, 0, waiting.size() - 1)];
    }
    updateActions();
}

void SkillsPanel::tellImport(const QList<ImportedSkill> &skills)
{
    QStringList drafts;
    int added = 0, changed = 0;
    for (const ImportedSkill &one : skills) {
        added += one.outcome == ImportedSkill::Outcome::Added;
        changed += one.outcome == ImportedSkill::Outcome::Changed;
        if (one.outcome != ImportedSkill::Outcome::Unchanged) drafts.append(one.name);
    }
    const auto counted = [](int count, const QString &what) {
        return count == 1 ? tr("1 skill %1").arg(what) : tr("%1 skills %2").arg(count).arg(what);
    };
    if (drafts.isEmpty()) {
        Q_EMIT said(skills.size() == 1 ? tr("The memory has “%1” already, just so.").arg(skills.first().name)
                                       : tr("The memory has all %1 skills already, just so.").arg(skills.size()));
        return;
    }
    QStringList parts;
    if (added > 0) parts.append(counted(added, tr("added")));
    if (changed > 0) parts.append(counted(changed, tr("changed")));
    m_wanted = drafts.first();
    m_filter->clear();
    Q_EMIT shown();
    Q_EMIT said(tr("%1: drafts, not offered before you accept them.").arg(parts.join(u", "_s)));
}

void SkillsPanel::goToNextDraft()
{
    const QStringList waiting = m_model->waiting();
    if (waiting.isEmpty()) return;
    selectSkill(waiting[(waiting.indexOf(m_detail->skill()) + 1) % waiting.size()]);
    m_list->setFocus(Qt::ShortcutFocusReason);
}

void SkillsPanel::updateCard(const SkillDossier &dossier)
{
    const Skill *skill = m_model->skill(m_detail->skill());
    const bool waits = skill && (skill->state == SkillState::Draft || skill->state == SkillState::Quarantined);
    if (!dossier.name.isEmpty() && dossier.name != m_detail->skill()) return;
    // What is known of the draft stays until more is.
    if (waits && dossier.name.isEmpty() && m_card->draft() == skill->name) return;
    m_card->setDraft(waits ? skill->name : QString(), dossier);
}

QString SkillsPanel::undoable() const
{
    if (!m_changed.isEmpty()) return m_changed.last();
    return m_canUndo == m_detail->skill() ? m_canUndo : QString();
}

void SkillsPanel::updateActions()
{
    SkillSituation situation;
    situation.skill = m_model->skill(m_detail->skill());
    situation.editing = m_detail->isEditing();
    situation.canSave = m_detail->canSave();
    situation.waiting = int(m_model->waiting().size());
    situation.restorable = m_detail->restorableRevision();
    situation.undoable = undoable();
    m_actions->update(situation);
}

void SkillsPanel::importFrom(const QString &path)
{
    m_memory->importFrom(path);
}

void SkillsPanel::exportSkills(const QStringList &names)
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Export into a folder; nothing is overwritten"));
    if (!folder.isEmpty()) m_memory->exportTo(folder, names);
}

} // namespace kernelskill
