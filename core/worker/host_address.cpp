// SPDX-License-Identifier: Apache-2.0
#include "worker/host_address.h"

#include <QDir>
#include <QRegularExpression>

#include <algorithm>

namespace kernelskill {

namespace {

Error refusal(const QString &text, const QString &why)
{
    return {QStringLiteral("host.syntax"),
            QStringLiteral("The host \"%1\" is not understood: %2; expected [NAME=][USER@]HOST[:FOLDER] [port=N] "
                           "[identity=FILE] [config=FILE], such as \"me@gpu1:/opt/kernelskill port=2222\".")
                .arg(text, why),
            {}};
}

QString expanded(const QString &path)
{
    return path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
}

// False when the word is no option or its value is none.
bool takeOption(const QString &word, HostAddress &address)
{
    const QString key = word.section(u'=', 0, 0), value = word.section(u'=', 1);
    if (value.isEmpty()) return false;
    if (key == QLatin1String("identity")) {
        address.identity = expanded(value);
    } else if (key == QLatin1String("config")) {
        address.configuration = expanded(value);
    } else if (key == QLatin1String("port")) {
        bool isNumber = false;
        address.port = value.toInt(&isNumber);
        return isNumber && address.port > 0 && address.port < 65536;
    } else {
        return false;
    }
    return true;
}

} // namespace

Result<HostAddress> HostAddress::parse(const QString &text)
{
    QStringList words = text.simplified().split(u' ', Qt::SkipEmptyParts);
    if (words.isEmpty()) return std::unexpected(refusal(text, QStringLiteral("it is empty")));
    // Nothing may begin with "-": ssh would take it for an option. A name of digits only would look like a local
    // device.
    static const QRegularExpression form(
        QStringLiteral("^(?:(?<name>[A-Za-z][A-Za-z0-9_.-]*)=)?(?:(?<user>[A-Za-z0-9_.][A-Za-z0-9_.-]*)@)?"
                       "(?<host>[A-Za-z0-9_.][A-Za-z0-9_.-]*|\\[[0-9A-Fa-f:.]+\\])(?::(?<folder>(?:~/|/)\\S*))?$"));
    const QRegularExpressionMatch match = form.match(words.takeFirst());
    if (!match.hasMatch())
        return std::unexpected(
            refusal(text, QStringLiteral("its first word is no address with an absolute folder or none")));
    HostAddress address;
    address.user = match.captured(QStringLiteral("user"));
    address.host = match.captured(QStringLiteral("host"));
    if (address.host.startsWith(u'[')) address.host = address.host.sliced(1, address.host.size() - 2);
    address.folder = match.captured(QStringLiteral("folder"));
    address.name = match.captured(QStringLiteral("name"));
    if (address.name.isEmpty()) address.name = address.host;
    for (const QString &word : std::as_const(words)) {
        if (!takeOption(word, address))
            return std::unexpected(refusal(text, QStringLiteral("\"%1\" is no option with a value").arg(word)));
    }
    return address;
}

QString HostAddress::destination() const
{
    return user.isEmpty() ? host : user + u'@' + host;
}

QString HostAddress::byHand() const
{
    QString command = QStringLiteral("ssh ");
    if (!configuration.isEmpty()) command += QStringLiteral("-F %1 ").arg(configuration);
    if (!identity.isEmpty()) command += QStringLiteral("-i %1 ").arg(identity);
    if (port > 0) command += QStringLiteral("-p %1 ").arg(port);
    return command + destination();
}

Result<QList<HostAddress>> parseHosts(const QStringList &texts)
{
    QList<HostAddress> hosts;
    for (const QString &text : texts) {
        if (text.trimmed().isEmpty()) continue;
        auto address = HostAddress::parse(text);
        if (!address) return std::unexpected(address.error());
        if (std::ranges::contains(hosts, address->name, &HostAddress::name))
            return failure(QStringLiteral("host.name"),
                           QStringLiteral("Two hosts are named \"%1\"; write another name before one of them, as in "
                                          "\"second=%1\".")
                               .arg(address->name));
        hosts.append(std::move(*address));
    }
    return hosts;
}

} // namespace kernelskill
