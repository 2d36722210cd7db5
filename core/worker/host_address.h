// SPDX-License-Identifier: Apache-2.0
// Another machine that workers can run on, as a person writes it down.
#pragma once

#include "base/result.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill {

// [NAME=][USER@]HOST[:FOLDER] [port=N] [identity=FILE] [config=FILE]
// such as "me@gpu1.lab:/opt/kernelskill port=2222" or "big=gpu1.lab". What is left out is ssh's own choice, so whatever
// ~/.ssh/config says of the host holds.
struct HostAddress
{
    QString name; // stands before a device's number: "gpu1.lab:0". HOST when it is not given
    QString user, host;
    QString folder; // an unpacked bundle there ("/…" or "~/…"); empty: the worker is copied there and built
    int port = 0;
    QString identity, configuration; // files on this machine

    [[nodiscard]] static Result<HostAddress> parse(const QString &text);
    [[nodiscard]] QString destination() const; // what ssh gets: "me@gpu1.lab"
    [[nodiscard]] QString byHand() const;      // the command a person would type: "ssh -p 2222 me@gpu1.lab"
    friend bool operator==(const HostAddress &, const HostAddress &) = default;
};

// Errors name the entry. Names must differ.
[[nodiscard]] Result<QList<HostAddress>> parseHosts(const QStringList &texts);

} // namespace kernelskill
