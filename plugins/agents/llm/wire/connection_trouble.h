// SPDX-License-Identifier: Apache-2.0
// Why there was no answer, in a sentence with what to do.
#pragma once

#include <QList>
#include <QNetworkReply>
#include <QSslError>
#include <QString>
#include <QUrl>

namespace kernelskill::llm {

struct Trouble
{
    const char *code; // "http.connection", "http.tls"
    QString message;
    QString detail; // in Qt's words
};

[[nodiscard]] Trouble connectionTrouble(const QUrl &url, QNetworkReply::NetworkError error, const QString &words,
                                        const QList<QSslError> &tlsErrors);

} // namespace kernelskill::llm
