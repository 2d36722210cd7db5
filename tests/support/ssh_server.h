// SPDX-License-Identifier: Apache-2.0
// A real ssh server on the loopback interface, with keys, port and folders of its own, for the user who runs the test.
#pragma once

#include <QProcess>
#include <QString>
#include <QTemporaryDir>

namespace kernelskill::test {

class SshServer
{
public:
    SshServer();
    ~SshServer(); // ends it and all its sessions
    // Why it does not run; empty when it does. A machine without sshd is the one reason not to test.
    [[nodiscard]] const QString &trouble() const { return m_trouble; }
    [[nodiscard]] bool isInstalled() const { return m_installed; }
    [[nodiscard]] int port() const { return m_port; }
    // A file in its folder: "key" (accepted), "noisy" (accepted; its login prints a line), "stranger" (not accepted),
    // "config" (knows the server and offers "key"), "suspicious" (the same without knowing the server).
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    // "test=127.0.0.1:FOLDER port=… config=…", as a person would write the host down.
    [[nodiscard]] QString address(const QString &folder, const QString &config = QStringLiteral("config")) const;
    // $XDG_CACHE_HOME of its sessions.
    [[nodiscard]] QString cache() const { return path(QStringLiteral("cache")); }
    // Clients of this server that run now: ids of their processes.
    [[nodiscard]] QList<qint64> clients() const;

private:
    [[nodiscard]] bool makeKeys();
    [[nodiscard]] bool writeFiles();
    [[nodiscard]] QStringList command() const; // of the server
    [[nodiscard]] bool start();

    QTemporaryDir m_folder;
    QString m_sshd, m_trouble;
    bool m_installed = false;
    int m_port = 0;
    QProcess m_server;
};

} // namespace kernelskill::test
