// SPDX-License-Identifier: Apache-2.0
#include "shell/doctor_panel.h"

#include "settings/theme.h"
#include "shell/bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// 0: missing, 1: missing but not needed, 2: there.
int rank(const QJsonObject &line)
{
    return line["ok"_L1].toBool() ? 2 : line["optional"_L1].toBool() ? 1 : 0;
}

} // namespace

DoctorPanel::DoctorPanel(QWidget *parent) : QWidget(parent), m_summary(new QLabel), m_lines(new QTreeWidget)
{
    auto *bar = new Bar(themeSize("chartHeader"));
    bar->addTitle(tr("Doctor"));
    bar->add(m_summary, 1);
    QToolButton *again = bar->addButton(u"restore"_s, tr("Look again"));
    QToolButton *copy = bar->addButton(u"copy"_s, tr("Copy the remedy of the selected line"));
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_lines->setFrameShape(QFrame::NoFrame);
    m_lines->setHeaderHidden(true);
    m_lines->setColumnCount(2);
    m_lines->setWordWrap(true);
    m_lines->setAccessibleName(tr("What this machine has and lacks"));
    m_lines->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_lines->header()->setStretchLastSection(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_lines, 1);
    connect(again, &QToolButton::clicked, this, &DoctorPanel::examinationWanted);
    connect(copy, &QToolButton::clicked, this, &DoctorPanel::copyRemedy);
}

void DoctorPanel::setBusy()
{
    m_summary->setText(tr("looking"));
}

void DoctorPanel::setLines(QList<QJsonObject> lines)
{
    std::ranges::stable_sort(lines, {}, rank);
    m_lines->clear();
    int missing = 0;
    for (const QJsonObject &line : std::as_const(lines)) {
        const int state = rank(line);
        missing += state == 0;
        const QString remedy = line["remedy"_L1].toString();
        auto *item = new QTreeWidgetItem(m_lines, {(state == 2   ? u"✓ "_s
                                                    : state == 1 ? u"– "_s
                                                                 : u"✗ "_s) +
                                                       line["name"_L1].toString(),
                                                   line["text"_L1].toString()});
        item->setForeground(0, themeColor(state == 2 ? "state.verified" : state == 1 ? "state.suspect" : "state.wrong"));
        item->setToolTip(1, item->text(1));
        if (state == 2 || remedy.isEmpty()) continue;
        auto *how = new QTreeWidgetItem(item, {tr("remedy"), remedy});
        how->setToolTip(1, remedy);
        item->setExpanded(true);
    }
    m_summary->setText(missing == 0 ? tr("nothing is missing") : tr("%1 missing").arg(missing));
}

void DoctorPanel::copyRemedy()
{
    const QTreeWidgetItem *item = m_lines->currentItem();
    if (!item) return;
    if (item->childCount() > 0) item = item->child(0);
    QApplication::clipboard()->setText(item->text(1));
}

} // namespace kernelskill
