// SPDX-License-Identifier: Apache-2.0
// The system's keychain, each question answered within five seconds. Nobody is asked for a password: one that is locked, as
// the Secret Service tells it, is trouble. (Another kind of keychain, KWallet's own interface, may still ask.)
#pragma once

#include <QCoroTask>
#include <QString>

#include <optional>

namespace kernelskill::secrets {

struct KeychainAnswer
{
    std::optional<QString> value;
    QString trouble; // why there is no answer; an entry that is not there is none
};

[[nodiscard]] QCoro::Task<KeychainAnswer> readKeychain(QString origin);
[[nodiscard]] QCoro::Task<KeychainAnswer> writeKeychain(QString origin, QString value);
[[nodiscard]] QCoro::Task<KeychainAnswer> deleteFromKeychain(QString origin);

} // namespace kernelskill::secrets
