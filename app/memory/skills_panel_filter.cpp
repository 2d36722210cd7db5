// SPDX-License-Identifier: Apache-2.0
// What the list of skills is narrowed by, and what is wrong with the memory or the filter.
#include "memory/skills_panel.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalBlocker>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QStringList sorted(QSet<QString> values)
{
    values.remove(QString());
    QStringList list(values.begin(), values.end());
    list.sort();
    return list;
}

} // namespace

void SkillsPanel::addFilterTerms(QMenu *menu, const QString &title, const QString &key, const QStringList &values,
                                 bool alone)
{
    QMenu *terms = menu->addMenu(title);
    terms->setEnabled(!values.isEmpty());
    const QStringList chosen = SkillQuery::valuesOf(m_filter->text(), key);
    for (const QString &value : values) {
        QString words = value;
        QAction *action = terms->addAction(words.replace(u'_', u' '), this, [this, key, value, alone] {
            m_filter->setText(SkillQuery::toggled(m_filter->text(), key, value, alone));
        });
        action->setCheckable(true);
        action->setChecked(chosen.contains(value, Qt::CaseInsensitive));
    }
}

void SkillsPanel::fillFilterMenu(QMenu *menu)
{
    menu->clear();
    QSet<QString> bottlenecks, gpus;
    for (const Skill &skill : m_model->skills()) {
        const SkillFacts *facts = m_model->facts(skill.name);
        bottlenecks += QSet<QString>(facts->bottlenecks.begin(), facts->bottlenecks.end());
        gpus += QSet<QString>(facts->architectures.begin(), facts->architectures.end());
    }
    QStringList states;
    for (const SkillState state :
         {SkillState::Pinned, SkillState::Active, SkillState::Quarantined, SkillState::Draft, SkillState::Rejected})
        states.append(toString(state));
    addFilterTerms(menu, tr("&State"), u"state"_s, states, false);
    addFilterTerms(menu, tr("S&tructure"), u"structure"_s, {u"S0"_s, u"S1"_s, u"S2"_s, u"S3"_s, u"S4"_s}, false);
    addFilterTerms(menu, tr("&Bottleneck"), u"bottleneck"_s, sorted(bottlenecks), false);
    addFilterTerms(menu, tr("&GPU"), u"gpu"_s, sorted(gpus), false);
    addFilterTerms(menu, tr("&Won"), u"won"_s, {u"=0"_s, u">=1"_s, u">=3"_s, u">=10"_s}, true);
    addFilterTerms(menu, tr("&Lost"), u"lost"_s, {u"=0"_s, u">=1"_s, u">=3"_s, u">=10"_s}, true);
    addFilterTerms(menu, tr("Last &used"), u"used"_s, {u"1d"_s, u"7d"_s, u"30d"_s, u"never"_s}, true);
    menu->addSeparator();
    menu->addAction(tr("&All skills"), m_filter, &QLineEdit::clear)->setEnabled(!m_filter->text().isEmpty());
}

void SkillsPanel::showArchitectures()
{
    QSet<QString> known;
    for (const SkillStatistics &row : m_model->statistics())
        known.insert(row.architecture);
    const QSignalBlocker blocker(m_architecture);
    const QString chosen = m_architecture->currentData().toString();
    m_architecture->clear();
    m_architecture->addItem(tr("All GPUs"), QString());
    for (const QString &name : sorted(known))
        m_architecture->addItem(name, name);
    m_architecture->setCurrentIndex(std::max(0, m_architecture->findData(chosen)));
    m_architecture->setVisible(m_architecture->count() > 2); // with one GPU there is nothing to choose
}

void SkillsPanel::showProblems()
{
    QStringList names, lines, sentences;
    for (const SkillProblem &problem : std::as_const(m_contents.problems)) {
        if (!names.contains(problem.skill)) names.append(problem.skill);
        lines.append(problem.diagnostic.text() +
                     (problem.servedRevision > 0 ? tr(" (revision %1 serves)").arg(problem.servedRevision) : QString()));
    }
    if (!m_list->filterTrouble().isEmpty()) sentences.append(m_list->filterTrouble());
    if (names.size() == 1) sentences.append(tr("“%1” cannot be read").arg(names.first()));
    if (names.size() > 1) sentences.append(tr("%1 skills cannot be read: %2").arg(names.size()).arg(names.join(u", "_s)));
    m_problems->setText(sentences.join(u'\n'));
    m_problems->setToolTip(lines.join(u'\n'));
    m_problems->setVisible(!sentences.isEmpty());
}

} // namespace kernelskill
