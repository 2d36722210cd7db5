// SPDX-License-Identifier: Apache-2.0
// Who plays which role, where that is not the cast of the tool bar: a box for each role. Below the start panel.
#pragma once

#include "agent/roles.h"
#include "plugin/plugin_manager.h"

#include <QMap>
#include <QWidget>

class QComboBox;

namespace kernelskill {

class CastPanel : public QWidget
{
    Q_OBJECT
public:
    explicit CastPanel(QWidget *parent = nullptr);
    void setAgents(const QList<PluginInfo> &plugins); // those that can play
    // Who is named here; what is left to the tool bar's cast is not in it.
    [[nodiscard]] QMap<Role, QString> cast() const;
    [[nodiscard]] QComboBox *box(Role role) const { return m_boxes.value(role); }

Q_SIGNALS:
    void changed();

private:
    QMap<Role, QComboBox *> m_boxes;
};

} // namespace kernelskill
