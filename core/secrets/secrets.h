// SPDX-License-Identifier: Apache-2.0
// Keys of services. Looked for in this order: what the person gave for this session only, environment variables, the
// system's keychain. Never in a file of ours. A key belongs to an origin (scheme, host, port) and goes nowhere else.
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QCoroTask>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <optional>

namespace kernelskill::secrets {

struct Secret
{
    QString value;
    QString from; // "this session", "environment variable OPENAI_API_KEY", "keychain"; fit to be shown
};

// "https://api.example.org", "http://127.0.0.1:8080": without path, with a port where it is not the scheme's own.
[[nodiscard]] QString originOf(const QUrl &url);

// The key for `origin`. `variables` are read only when `variablesOrigin` is that origin too. Nothing found is no error;
// a keychain that is locked, missing or does not answer within 5 s is none either, and is said in `note` where given.
// This, store and forget belong to the thread that runs the application's event loop; all else may be called from any.
[[nodiscard]] QCoro::Task<std::optional<Secret>> find(QString origin, QStringList variables, QString variablesOrigin,
                                                      QString *note = nullptr);

void keepForSession(const QString &origin, const QString &value); // in this process's memory only; empty forgets it
[[nodiscard]] QStringList sessionOrigins();
// In the keychain. Errors: "secrets.keychain" with what to do (a variable, this session only), "secrets.value" for what can
// be no key: it is empty, or has spaces or line breaks in it.
[[nodiscard]] QCoro::Task<Result<void>> store(QString origin, QString value);
// From the keychain and this session. Where there is none, nothing is to be done.
[[nodiscard]] QCoro::Task<Result<void>> forget(QString origin);
// What store() put into the keychain and forget() did not take out again, sorted: a keychain cannot be asked for that, so
// the origins, and nothing else, stand in a file of the configuration folder.
[[nodiscard]] QStringList storedOrigins();

// Every value that find, keepForSession or store ever saw, and what looks like a key (sk-…, AIza…, Bearer …, and the like),
// replaced by "[redacted]". Also where it stands percent-encoded or with JSON escapes. A value of fewer than eight characters
// ("ollama", "EMPTY", as local servers take them) is an everyday word: it goes only where a key stands, as in a header.
[[nodiscard]] QByteArray redacted(QByteArray text);
[[nodiscard]] QString redacted(const QString &text);
void alsoRedact(const QString &value);

} // namespace kernelskill::secrets
