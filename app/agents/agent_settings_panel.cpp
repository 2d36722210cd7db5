// SPDX-License-Identifier: Apache-2.0
#include "agents/agent_settings_panel.h"

#include "agents/choice_list.h"
#include "agents/key_row.h"
#include "plugin/plugin_settings.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

AgentSettingsPanel::AgentSettingsPanel(QWidget *parent)
    : QWidget(parent), m_choice(new QComboBox), m_description(new QLabel), m_status(new QLabel), m_scroll(new QScrollArea),
      m_save(new QPushButton(tr("Save"))), m_revert(new QPushButton(tr("Revert")))
{
    auto *bar = new Bar(themeSize("chartHeader"));
    bar->addTitle(tr("Agent settings"));
    bar->addStretch();
    m_choice->setAccessibleName(tr("Agent"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    bar->add(m_choice);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Agent settings"));
    m_description->setWordWrap(true);
    m_description->setForegroundRole(QPalette::PlaceholderText);
    m_status->setWordWrap(true);
    auto *below = new QHBoxLayout;
    below->setContentsMargins(theme().space(8), theme().space(6), theme().space(8), theme().space(6));
    below->setSpacing(theme().space(6));
    below->addWidget(m_status, 1);
    below->addWidget(m_revert);
    below->addWidget(m_save);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_scroll, 1);
    layout->addLayout(below);
    setFocusProxy(m_choice);
    m_save->setEnabled(false);
    m_revert->setEnabled(false);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        if (agent() != m_built) showAgent(agent());
    });
    connect(m_save, &QPushButton::clicked, this, &AgentSettingsPanel::save);
    connect(m_revert, &QPushButton::clicked, this, &AgentSettingsPanel::revert);
}

const PluginInfo *AgentSettingsPanel::current() const
{
    const auto found = std::ranges::find(m_agents, m_choice->currentData().toString(), &PluginInfo::id);
    return found == m_agents.end() ? nullptr : &*found;
}

QString AgentSettingsPanel::agent() const
{
    return m_choice->currentData().toString();
}

QString AgentSettingsPanel::status() const
{
    return m_status->text();
}

SettingField *AgentSettingsPanel::field(const QString &key) const
{
    const auto found = std::ranges::find_if(m_fields, [&](const SettingField *field) { return field->field().key == key; });
    return found == m_fields.end() ? nullptr : *found;
}

void AgentSettingsPanel::setAgents(const QList<PluginInfo> &plugins)
{
    const QString before = agent();
    const QSignalBlocker quiet(m_choice);
    m_agents.clear();
    m_choice->clear();
    for (const PluginInfo &plugin : plugins) {
        const bool usable = plugin.state == PluginState::Found || plugin.state == PluginState::Loaded;
        // A replay is set up where it is asked for.
        if (!usable || plugin.kind != "agent"_L1 || plugin.id == "replay"_L1 || plugin.settings["properties"_L1].toObject().isEmpty()) continue;
        m_agents.append(plugin);
        m_choice->addItem(plugin.id, plugin.id);
    }
    showAgent(before);
}

void AgentSettingsPanel::showAgent(const QString &id)
{
    const QSignalBlocker quiet(m_choice);
    const bool stays = isModified() && id != m_built; // what was typed is not lost by looking elsewhere
    m_choice->setCurrentIndex(std::max(0, m_choice->findData(stays ? m_built : id)));
    const PluginInfo *plugin = current();
    if (plugin && plugin->id != m_built) build(*plugin);
    refresh();
    if (stays) m_status->setText(tr("Save or revert this first."));
    if (!plugin) m_status->setText(tr("No agent here has settings."));
}

void AgentSettingsPanel::build(const PluginInfo &plugin)
{
    m_built = plugin.id;
    m_fields.clear();
    m_asked.clear();
    m_key = nullptr;
    auto *form = new QWidget;
    auto *layout = new QVBoxLayout(form);
    layout->setContentsMargins(theme().space(8), theme().space(8), theme().space(8), theme().space(8));
    layout->setSpacing(theme().space(8));
    m_description = new QLabel(plugin.description);
    m_description->setWordWrap(true);
    m_description->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(m_description);
    for (const FormField &fact : fieldsOf(plugin.settings)) {
        auto *field = new SettingField(fact);
        m_fields.append(field);
        layout->addWidget(field);
        connect(field, &SettingField::edited, this, &AgentSettingsPanel::refresh);
        connect(field, &SettingField::listWanted, this, [this, key = fact.key] {
            m_asked.insert(++m_ticket, key);
            Q_EMIT choicesWanted(m_ticket, m_built, key, values());
        });
        if (fact.key != addressSetting(plugin.settings)) continue;
        m_key = new KeyRow; // whose key it is, the address says
        layout->addWidget(m_key);
        connect(m_key, &KeyRow::changed, this, &AgentSettingsPanel::keyChanged);
    }
    layout->addStretch(1);
    m_scroll->setWidget(form);
    revert();
}

QJsonObject AgentSettingsPanel::values() const
{
    QJsonObject values;
    for (const SettingField *field : m_fields)
        values.insert(field->field().key, field->text());
    return values;
}

bool AgentSettingsPanel::isModified() const
{
    return std::ranges::any_of(m_fields, [this](const SettingField *field) { return field->text() != m_stored.value(field->field().key); });
}

void AgentSettingsPanel::revert()
{
    const QJsonObject stored = storedSettings(u"agent"_s, m_built);
    m_stored.clear();
    for (SettingField *field : std::as_const(m_fields)) {
        const QString text = settingText(stored[field->field().key]).trimmed();
        m_stored.insert(field->field().key, text);
        field->setText(text);
    }
    m_status->clear();
    refresh();
}

void AgentSettingsPanel::refresh()
{
    QString wrong;
    for (const SettingField *field : std::as_const(m_fields)) {
        if (wrong.isEmpty()) wrong = field->mistake();
    }
    const bool modified = isModified(), before = m_revert->isEnabled();
    m_save->setEnabled(modified && wrong.isEmpty());
    m_revert->setEnabled(modified);
    if (modified || before) m_status->setText(!modified ? QString() : wrong.isEmpty() ? tr("not saved") : wrong);
    const PluginInfo *plugin = current();
    if (m_key && plugin) m_key->setPlace(keyPlaceOf(plugin->settings, values()));
}

void AgentSettingsPanel::save()
{
    if (!m_save->isEnabled()) return;
    const auto stored = storeSettings(u"agent"_s, m_built, values());
    if (!stored) {
        m_status->setText(stored.error().message);
        return;
    }
    revert();
    m_status->setText(tr("saved, for the next run"));
    Q_EMIT saved(m_built);
}

void AgentSettingsPanel::showChoices(int ticket, const QStringList &choices, const QString &trouble)
{
    SettingField *asked = field(m_asked.take(ticket));
    if (!asked || !asked->list()->isVisible()) return;
    if (trouble.isEmpty())
        asked->list()->setChoices(choices, asked->text());
    else
        asked->list()->setTrouble(trouble);
}

} // namespace kernelskill
