// SPDX-License-Identifier: Apache-2.0
#include "memory/skills_panel.h"

#include "base/paths.h"
#include "settings/icons.h"
#include "settings/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

SkillsPanel::SkillsPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_model(new SkillModel(this)), m_list(new SkillList(m_model)),
      m_detail(new SkillDetail(m_model, document, selection)), m_architecture(new QComboBox),
      m_problems(new QLabel)
{
    auto *filter = new QLineEdit;
    filter->setAccessibleName(tr("Filter"));
    filter->addAction(themedIcon(u"filter"_s, u"text.secondary"_s), QLineEdit::LeadingPosition);
    filter->setPlaceholderText(tr("Filter by name, gate, method"));
    filter->setClearButtonEnabled(true);
    m_architecture->setToolTip(tr("Whose ledger rows count"));
    m_architecture->addItem(tr("All GPUs"), QString());

    auto *tools = new QHBoxLayout;
    tools->setContentsMargins(theme().space(6), theme().space(6), theme().space(6), theme().space(6));
    tools->setSpacing(theme().space(6));
    tools->addWidget(filter, 1);
    tools->addWidget(m_architecture);
    m_problems->setContentsMargins(theme().space(8), 0, theme().space(8), theme().space(6));
    m_problems->setWordWrap(true);
    m_problems->hide();
    auto *splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(m_list);
    splitter->addWidget(m_detail);
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 4);
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(tools);
    layout->addWidget(m_problems);
    layout->addWidget(splitter, 1);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);

    connect(filter, &QLineEdit::textChanged, m_list, &SkillList::setFilter);
    connect(m_list, &SkillList::skillSelected, this, [this](const QString &name) {
        if (name.isEmpty()) return;
        m_detail->setSkill(name);
        if (m_store) {
            if (const auto ledger = m_store->ledger(name)) m_detail->setLedger(*ledger);
        }
    });
    connect(m_detail, &SkillDetail::stateRequested, this, &SkillsPanel::apply);
    connect(m_detail, &SkillDetail::restoreRequested, this, [this](const QString &name) {
        const Skill *skill = m_model->skill(name);
        if (!m_store || !skill) return;
        // A draft that was rejected waits again: only accepting it has it offered.
        const auto before = m_store->stateBeforeRejection(name);
        const bool wasRejected = skill->state == SkillState::Rejected;
        apply(name, wasRejected && before ? *before : SkillState::Active, {});
    });
    connect(m_architecture, &QComboBox::currentIndexChanged, this, &SkillsPanel::reload);
    // The skill behind the selected node is the one a person wants to read.
    connect(selection, &NodeSelection::changed, this, [this, document, selection, last = -1]() mutable {
        if (selection->selected() == last) return;
        last = selection->selected();
        if (const TrajectoryNode *node = document->node(last); node && !node->skill.isEmpty())
            QTimer::singleShot(0, this, [this, skill = node->skill] { selectSkill(skill); });
    });
}

SkillsPanel::~SkillsPanel() = default;

Result<void> SkillsPanel::open(const QString &memoryPath)
{
    auto store = SkillStore::open(memoryPath, paths::skills());
    if (!store) return std::unexpected(store.error());
    m_store = std::make_unique<SkillStore>(std::move(*store));
    reload();
    return {};
}

void SkillsPanel::reload()
{
    if (!m_store) return;
    const auto skills = m_store->skills();
    if (!skills) {
        Q_EMIT failed(skills.error());
        return;
    }
    const auto statistics = m_store->statistics();
    const QString current = m_list->currentSkill();
    m_model->setContents(*skills, statistics.value_or(QList<SkillStatistics>()),
                         m_architecture->currentData().toString());
    showArchitectures();
    showProblems();
    if (!current.isEmpty()) {
        m_list->selectSkill(current);
        if (const auto ledger = m_store->ledger(current)) m_detail->setLedger(*ledger);
    }
}

void SkillsPanel::showArchitectures()
{
    QStringList known;
    for (const SkillStatistics &row : m_model->statistics()) {
        if (!row.architecture.isEmpty() && !known.contains(row.architecture)) known.append(row.architecture);
    }
    known.sort();
    const QSignalBlocker blocker(m_architecture);
    const QString chosen = m_architecture->currentData().toString();
    m_architecture->clear();
    m_architecture->addItem(tr("All GPUs"), QString());
    for (const QString &name : std::as_const(known))
        m_architecture->addItem(name, name);
    m_architecture->setCurrentIndex(std::max(0, m_architecture->findData(chosen)));
}

void SkillsPanel::showProblems()
{
    const auto problems = m_store->problems();
    QStringList names, lines;
    for (const SkillProblem &problem : problems.value_or(QList<SkillProblem>())) {
        if (!names.contains(problem.skill)) names.append(problem.skill);
        lines.append(problem.diagnostic.text() +
                     (problem.servedRevision > 0 ? tr(" (revision %1 serves)").arg(problem.servedRevision) : QString()));
    }
    m_problems->setText(names.size() == 1 ? tr("“%1” cannot be read").arg(names.join(u' '))
                                          : tr("%1 skills cannot be read: %2").arg(names.size()).arg(names.join(u", "_s)));
    m_problems->setToolTip(lines.join(u'\n'));
    m_problems->setVisible(!names.isEmpty());
}

void SkillsPanel::selectSkill(const QString &name)
{
    m_list->selectSkill(name);
}

void SkillsPanel::apply(const QString &skill, SkillState state, const QString &reason)
{
    if (!m_store) return;
    const auto done = m_store->setState(skill, state, reason, u"you"_s);
    if (!done) {
        Q_EMIT failed(done.error());
        return;
    }
    reload();
    m_list->selectSkill(skill);
    Q_EMIT stateChanged(skill, state, reason);
}

} // namespace kernelskill
