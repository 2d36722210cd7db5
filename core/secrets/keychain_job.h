// SPDX-License-Identifier: Apache-2.0
// The system's keychain, one question at a time, each answered within five seconds. No dialog of ours; a keychain that is
// locked may show its own.
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
