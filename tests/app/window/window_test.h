// SPDX-License-Identifier: Apache-2.0
// What the tests of the window begin with: nothing of the person's own, and a window that stands still.
#pragma once

#include "models/session_document.h"
#include "settings/theme.h"
#include "shell/command_line.h"
#include "shell/main_window.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace kernelskill {

class WindowTest : public QObject
{
protected:
    // Data, settings and caches lie in m_folder, and the theme is the light one. Before anything is opened.
    void startAfresh() const
    {
        for (const char *variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
            qputenv(variable, m_folder.path().toLocal8Bit());
        theme().setMode(ThemeMode::Light);
        theme().applyToApplication();
    }
    // Until it has the keyboard and has done what it does by itself.
    void showWindow(const CommandLine &options)
    {
        m_window = std::make_unique<MainWindow>(options);
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_VERIFY(m_window->isSettled());
    }
    [[nodiscard]] const Trajectory &trajectory() const { return m_window->document()->trajectory(); }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace kernelskill
