// SPDX-License-Identifier: Apache-2.0
#include "tasks/cast_panel.h"

#include "settings/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int columns = 4;

QString roleTitle(Role role)
{
    switch (role) {
    case Role::Generator:
        return CastPanel::tr("Generator");
    case Role::FeatureExtractor:
        return CastPanel::tr("Features");
    case Role::Planner:
        return CastPanel::tr("Planner");
    case Role::Optimizer:
        return CastPanel::tr("Optimizer");
    case Role::Diagnoser:
        return CastPanel::tr("Diagnoser");
    case Role::Repairer:
        return CastPanel::tr("Repairer");
    case Role::Distiller:
        return CastPanel::tr("Distiller");
    }
    return {};
}

} // namespace

CastPanel::CastPanel(QWidget *parent) : QWidget(parent)
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(theme().space(8), 0, theme().space(8), theme().space(6));
    grid->setHorizontalSpacing(theme().space(6));
    grid->setVerticalSpacing(theme().space(4));
    int place = 0;
    for (const Role role : allRoles()) {
        auto *label = new QLabel(roleTitle(role));
        label->setForegroundRole(QPalette::PlaceholderText);
        auto *box = new QComboBox;
        box->setAccessibleName(tr("Who plays %1").arg(roleTitle(role).toLower()));
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(9);
        label->setBuddy(box);
        grid->addWidget(label, place / columns, 2 * (place % columns));
        grid->addWidget(box, place / columns, 2 * (place % columns) + 1);
        m_boxes.insert(role, box);
        connect(box, &QComboBox::currentIndexChanged, this, &CastPanel::changed);
        ++place;
    }
    for (int column = 0; column < columns; ++column)
        grid->setColumnStretch(2 * column + 1, 1);
    setAgents({});
}

void CastPanel::setAgents(const QList<PluginInfo> &plugins)
{
    for (auto box = m_boxes.begin(); box != m_boxes.end(); ++box) {
        const QSignalBlocker quiet(*box);
        const QString before = (*box)->currentData().toString();
        (*box)->clear();
        (*box)->addItem(tr("as the cast"), QString());
        for (const PluginInfo &plugin : plugins) {
            const bool usable = plugin.state == PluginState::Found || plugin.state == PluginState::Loaded;
            if (usable && plugin.kind == "agent"_L1 && plugin.id != "replay"_L1 && plugin.roles.contains(toString(box.key())))
                (*box)->addItem(plugin.id == "manual"_L1 ? tr("you") : plugin.id, plugin.id);
        }
        (*box)->setCurrentIndex(std::max(0, (*box)->findData(before)));
    }
    Q_EMIT changed();
}

QMap<Role, QString> CastPanel::cast() const
{
    QMap<Role, QString> cast;
    for (auto box = m_boxes.begin(); box != m_boxes.end(); ++box) {
        if (const QString agent = (*box)->currentData().toString(); !agent.isEmpty()) cast.insert(box.key(), agent);
    }
    return cast;
}

} // namespace kernelskill
