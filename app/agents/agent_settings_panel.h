// SPDX-License-Identifier: Apache-2.0
// What a person sets for agents: a form for each that has settings, kept in plugins.ini. What the form does not know of there
// stays as it is. A page of the right dock.
#pragma once

#include "agents/setting_field.h"
#include "plugin/plugin_manager.h"

#include <QHash>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace kernelskill {

class KeyRow;

class AgentSettingsPanel : public QWidget
{
    Q_OBJECT
public:
    explicit AgentSettingsPanel(QWidget *parent = nullptr);
    void setAgents(const QList<PluginInfo> &plugins); // those with settings are shown
    void showAgent(const QString &id);                // the first one where it has none
    [[nodiscard]] QString agent() const;
    [[nodiscard]] SettingField *field(const QString &key) const;
    [[nodiscard]] KeyRow *keyRow() const { return m_key; }
    [[nodiscard]] QPushButton *saveButton() const { return m_save; }
    [[nodiscard]] QString status() const;
    [[nodiscard]] QJsonObject values() const; // of the form; what is empty there stands as ""
    void showChoices(int ticket, const QStringList &choices, const QString &trouble);
    void save();
    void revert();

Q_SIGNALS:
    void choicesWanted(int ticket, const QString &agent, const QString &setting, const QJsonObject &settings);
    void saved(const QString &agent);
    void keyChanged();

private:
    void build(const PluginInfo &plugin);
    void refresh(); // of what depends on the fields: the key's place, the buttons
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] const PluginInfo *current() const;

    QList<PluginInfo> m_agents;
    QString m_built; // whose form it is
    QHash<QString, QString> m_stored;
    QList<SettingField *> m_fields;
    QHash<int, QString> m_asked; // ticket → field
    int m_ticket = 0;
    KeyRow *m_key = nullptr;
    QComboBox *m_choice;
    QLabel *m_description, *m_status;
    QScrollArea *m_scroll;
    QPushButton *m_save, *m_revert;
};

} // namespace kernelskill
