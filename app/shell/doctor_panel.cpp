// SPDX-License-Identifier: Apache-2.0
#include "shell/doctor_panel.h"

#include "evidence/row_view.h"
#include "models/panel_rows.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QToolButton>
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

DoctorPanel::DoctorPanel(QWidget *parent) : QWidget(parent), m_summary(new QLabel), m_lines(new RowView)
{
    auto *bar = new Bar(themeSize("chartHeader"));
    bar->addTitle(tr("Doctor"));
    bar->add(m_summary, 1);
    QToolButton *again = bar->addButton(u"restore"_s, tr("Look again"));
    QToolButton *copy = bar->addButton(u"copy"_s, tr("Copy the remedy of the selected line"));
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_lines->setAccessibleName(tr("What this machine has and lacks"));
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
    using panel_rows::Kind;
    auto root = std::make_unique<TreeRow>();
    TreeRow *section = nullptr;
    int missing = 0, number = 0, before = -1;
    for (const QJsonObject &line : std::as_const(lines)) {
        const int state = rank(line);
        missing += state == 0;
        if (state != before)
            section = root->add(QString::number(state), {state == 0 ? tr("Missing") : state == 1 ? tr("Not there, and not needed") : tr("There")},
                                {{panel_rows::KindRole, int(Kind::Section)}});
        before = state;
        const QString name = line["name"_L1].toString(), remedy = line["remedy"_L1].toString();
        const QString stripe = state == 2 ? u"state.verified"_s : state == 1 ? u"state.suspect"_s : u"state.wrong"_s;
        TreeRow *row = section->add(u"%1 %2"_s.arg(number++).arg(name), {(state == 2 ? u"✓ "_s : state == 1 ? u"– "_s : u"✗ "_s) + name},
                                    {{panel_rows::KindRole, int(Kind::Group)}, {panel_rows::StripeRole, stripe}});
        row->add(u"text"_s, {line["text"_L1].toString()}, {{panel_rows::KindRole, int(Kind::Text)}});
        if (state != 2 && !remedy.isEmpty()) row->add(u"remedy"_s, {remedy}, {{panel_rows::KindRole, int(Kind::Note)}});
    }
    m_lines->setRows(std::move(root), tr("What this machine has and lacks appears here."));
    m_summary->setText(missing == 0 ? tr("nothing is missing") : tr("%1 missing").arg(missing));
}

void DoctorPanel::copyRemedy()
{
    QModelIndex index = m_lines->currentIndex();
    if (!index.isValid() || !index.parent().isValid()) return;
    if (index.parent().parent().isValid()) index = index.parent();
    const int rows = m_lines->rows()->rowCount(index);
    QApplication::clipboard()->setText(m_lines->rows()->index(rows - 1, 0, index).data().toString());
}

} // namespace kernelskill
