// SPDX-License-Identifier: Apache-2.0
#include "wire/cassette_difference.h"

#include <QJsonDocument>
#include <QSet>

#include <algorithm>
#include <tuple>

namespace kernelskill::llm {

namespace {

constexpr qsizetype context = 40; // characters on either side

qsizetype commonLength(const auto &first, const auto &second)
{
    return std::ranges::mismatch(first, second).in1 - first.begin();
}

QString around(const QString &text, qsizetype place)
{
    const qsizetype from = std::max<qsizetype>(place - context, 0);
    const QString part = text.mid(from, place - from + context);
    return QStringLiteral("\"%1%2%3\"")
        .arg(from > 0 ? QStringLiteral("…") : QString(), part,
             from + part.size() < text.size() ? QStringLiteral("…") : QString())
        .replace(u'\n', QStringLiteral("\\n"));
}

QString textDifference(const QString &where, const QString &recorded, const QString &asked)
{
    const qsizetype place = commonLength(recorded, asked);
    return QStringLiteral("%1 at character %2: recorded %3, asked for %4")
        .arg(where)
        .arg(place)
        .arg(around(recorded, place), around(asked, place));
}

QString shown(const QJsonValue &value)
{
    if (value.isUndefined()) return QStringLiteral("nothing");
    const QString text = QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
    const QString inner = text.mid(1, text.size() - 2);
    return inner.size() > 2 * context ? inner.first(2 * context) + u'…' : inner;
}

QString escaped(QString key)
{
    return key.replace(u'~', QStringLiteral("~0")).replace(u'/', QStringLiteral("~1"));
}

QString jsonDifference(const QString &pointer, const QJsonValue &recorded, const QJsonValue &asked)
{
    if (recorded == asked) return {};
    if (recorded.isObject() && asked.isObject()) {
        QStringList keys = recorded.toObject().keys() + asked.toObject().keys();
        keys.sort();
        keys.removeDuplicates();
        for (const QString &key : std::as_const(keys)) {
            const QString found = jsonDifference(pointer + u'/' + escaped(key), recorded.toObject().value(key),
                                                 asked.toObject().value(key));
            if (!found.isEmpty()) return found;
        }
    }
    if (recorded.isArray() && asked.isArray()) {
        const QJsonArray first = recorded.toArray(), second = asked.toArray();
        for (qsizetype index = 0; index < std::max(first.size(), second.size()); ++index) {
            const auto at = [&](const QJsonArray &array) {
                return index < array.size() ? array.at(index) : QJsonValue(QJsonValue::Undefined);
            };
            const QString found = jsonDifference(pointer + u'/' + QString::number(index), at(first), at(second));
            if (!found.isEmpty()) return found;
        }
    }
    const QString where = pointer.isEmpty() ? QStringLiteral("/") : pointer;
    if (recorded.isString() && asked.isString()) return textDifference(where, recorded.toString(), asked.toString());
    return QStringLiteral("%1: recorded %2, asked for %3").arg(where, shown(recorded), shown(asked));
}

QString bodyDifference(const QByteArray &recorded, const QByteArray &asked)
{
    const QJsonDocument first = QJsonDocument::fromJson(recorded), second = QJsonDocument::fromJson(asked);
    if (first.isObject() && second.isObject()) {
        const QString found = jsonDifference(QString(), first.object(), second.object());
        return found.isEmpty() ? QString() : QStringLiteral("the bodies differ first in ") + found;
    }
    if (recorded == asked) return {};
    return textDifference(QStringLiteral("the bodies differ first"), QString::fromUtf8(recorded),
                          QString::fromUtf8(asked));
}

} // namespace

QString firstDifference(const RecordedRequest &recorded, const RecordedRequest &asked)
{
    const auto differs = [](const char *what, const QString &first, const QString &second) {
        return QStringLiteral("%1: recorded %2, asked for %3").arg(QString::fromLatin1(what), first, second);
    };
    if (recorded.provider != asked.provider) return differs("another provider", recorded.provider, asked.provider);
    if (recorded.method != asked.method)
        return differs("another method", QString::fromLatin1(recorded.method), QString::fromLatin1(asked.method));
    if (recorded.url != asked.url) return differs("another address", recorded.url, asked.url);
    const QString headers = jsonDifference(QString(), recorded.headers, asked.headers);
    if (!headers.isEmpty()) return QStringLiteral("the headers differ in ") + headers;
    return bodyDifference(recorded.body, asked.body);
}

const RecordedExchange *closest(const QList<RecordedExchange> &recorded, const RecordedRequest &asked)
{
    const auto likeness = [&](const RecordedExchange &exchange) {
        const RecordedRequest &request = exchange.request;
        return std::tuple(request.provider == asked.provider, request.url == asked.url, request.method == asked.method,
                          commonLength(request.body, asked.body));
    };
    const auto found = std::ranges::max_element(recorded, {}, likeness);
    return found == recorded.end() ? nullptr : &*found;
}

} // namespace kernelskill::llm
