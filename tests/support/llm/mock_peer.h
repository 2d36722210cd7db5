// SPDX-License-Identifier: Apache-2.0
// npm's @copilotkit/aimock, a server that speaks the providers' protocols and answers from fixtures, running on the
// loopback interface for one test.
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QUrl>

namespace kernelskill::test {

class MockPeer
{
public:
    // `fixtures`: a folder of JSON files, or the text of one. `options`: further ones of its command line.
    explicit MockPeer(const QString &fixtures, const QStringList &options = {});
    ~MockPeer(); // ends it

    // Why it does not run; empty when it does. No way to the packages is the one reason not to test.
    [[nodiscard]] const QString &trouble() const { return m_trouble; }
    [[nodiscard]] bool isOffline() const { return m_isOffline; }
    [[nodiscard]] QUrl url(const QString &path = {}) const;
    [[nodiscard]] QByteArray log(); // what it said so far

private:
    [[nodiscard]] bool install(const QString &folder);
    [[nodiscard]] bool start(const QString &folder, const QString &fixtures, const QStringList &options);

    QTemporaryDir m_folder;
    QProcess m_process;
    QByteArray m_log;
    QString m_trouble;
    bool m_isOffline = false;
    int m_port = 0;
};

} // namespace kernelskill::test
