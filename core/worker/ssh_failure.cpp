// SPDX-License-Identifier: Apache-2.0
#include "worker/ssh_failure.h"

namespace kernelskill {

namespace {

struct Failure
{
    const char *part; // of what the client prints
    const char *code;
    const char *message; // %1: the host's name, %2: the command to try by hand, %3: the file named as identity
};

// The texts of OpenSSH 8.2 (Ubuntu 20.04) to 10. The first that is found counts: a refused key is followed by
// "Connection closed" in some versions.
constexpr Failure failures[] = {
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", "worker.refused",
     "%1 shows another host key than the one known for it: somebody may stand in between, or the machine was set up "
     "anew. "
     "Ask who runs it; if the new key is right, remove the old one with ssh-keygen -R and connect once by hand: %2"},
    {"Host key verification failed", "worker.refused",
     "The host key of %1 is not known here. Connect once by hand, compare the key and accept it: %2"},
    {"not accessible: No such file", "worker.refused",
     "The key file %3 for %1 does not exist. Correct identity=… in the host's description, or make the key with "
     "ssh-keygen."},
    {"UNPROTECTED PRIVATE KEY FILE", "worker.refused",
     "ssh does not use the key for %1 because others may read its file. Take their rights away with chmod 600 and try: "
     "%2"},
    {"Permission denied", "worker.refused",
     "%1 accepts no key of ours and wants a password, which is never asked for here. Put a key there (ssh-copy-id), "
     "load "
     "it in the agent (ssh-add) if it has a passphrase, or name it with identity=FILE; this must work without a "
     "question: "
     "%2 true"},
    {"Too many authentication failures", "worker.refused",
     "%1 gave up because the agent offers too many keys. Name the right one with identity=FILE in the host's "
     "description."},
    {"Could not resolve hostname", "worker.unreachable",
     "There is no machine named as %1 is. Correct the host's description, or try by hand: %2"},
    {"Connection refused", "worker.unreachable",
     "%1 refuses connections: no ssh server listens there. Start it, or correct port=N in the host's description; try: "
     "%2"},
    {"Connection timed out during banner exchange", "worker.unreachable",
     "%1 takes the connection but no ssh server answers. Correct port=N in the host's description, or restart it; try: "
     "%2"},
    {"Connection timed out", "worker.unreachable",
     "%1 does not answer. Check that it is switched on and that this network reaches it; try: %2"},
    {"Operation timed out", "worker.unreachable",
     "%1 does not answer. Check that it is switched on and that this network reaches it; try: %2"},
    {"No route to host", "worker.unreachable",
     "There is no route to %1. Check the network (a VPN may be down); try: %2"},
    {"Network is unreachable", "worker.unreachable",
     "There is no route to %1. Check the network (a VPN may be down); try: %2"},
};

QString lastLine(const QString &log)
{
    return log.trimmed().section(u'\n', -1).trimmed();
}

} // namespace

Error explainSshFailure(const HostAddress &host, const QString &log)
{
    for (const Failure &failure : failures) {
        if (!log.contains(QLatin1String(failure.part))) continue;
        QString message = QString::fromLatin1(failure.message);
        message.replace(QLatin1String("%1"), host.name).replace(QLatin1String("%2"), host.byHand());
        message.replace(QLatin1String("%3"), host.identity);
        return {QString::fromLatin1(failure.code), message, log};
    }
    const QString seen = lastLine(log);
    return {QStringLiteral("worker.connection"),
            QStringLiteral(
                "The connection to %1 was lost (%2). Check the network and that the machine still runs, then try "
                "again; by hand: %3")
                .arg(host.name, seen.isEmpty() ? QStringLiteral("without a message") : seen, host.byHand()),
            log};
}

} // namespace kernelskill
