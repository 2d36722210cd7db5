// SPDX-License-Identifier: Apache-2.0
// A file that stands while a plugin is being loaded. Found at the next start, it names the plugin that took the program
// down.
#pragma once

#include <QString>

#include <optional>

namespace kernelskill {

class LoadGuard
{
public:
    // `key` names the plugin: "evaluator-simulator". Writes the file; it goes again when this object does.
    LoadGuard(const QString &key, const QString &pluginPath);
    ~LoadGuard();
    LoadGuard(const LoadGuard &) = delete;
    LoadGuard &operator=(const LoadGuard &) = delete;

    // The guard file an earlier program left behind for this plugin. A program that still lives is merely loading it
    // now.
    [[nodiscard]] static std::optional<QString> leftBehind(const QString &key);

private:
    QString m_file;
};

} // namespace kernelskill
