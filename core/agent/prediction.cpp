// SPDX-License-Identifier: Apache-2.0
#include "agent/prediction.h"

#include <QJsonArray>

#include <cmath>

namespace kernelskill {

QString toString(Movement movement)
{
    switch (movement) {
    case Movement::Lower:
        return QStringLiteral("lower");
    case Movement::Same:
        return QStringLiteral("same");
    case Movement::Higher:
        return QStringLiteral("higher");
    }
    return {};
}

std::optional<Movement> movementFromString(const QString &text)
{
    for (const Movement movement : {Movement::Lower, Movement::Same, Movement::Higher}) {
        if (toString(movement) == text) return movement;
    }
    return std::nullopt;
}

QString toString(SpeedupGuess guess)
{
    switch (guess) {
    case SpeedupGuess::Less:
        return QStringLiteral("less");
    case SpeedupGuess::Same:
        return QStringLiteral("same");
    case SpeedupGuess::Some:
        return QStringLiteral("some");
    case SpeedupGuess::More:
        return QStringLiteral("more");
    }
    return {};
}

std::optional<SpeedupGuess> guessFromString(const QString &text)
{
    for (const SpeedupGuess guess : {SpeedupGuess::Less, SpeedupGuess::Same, SpeedupGuess::Some, SpeedupGuess::More}) {
        if (toString(guess) == text) return guess;
    }
    return std::nullopt;
}

QString guessTitle(SpeedupGuess guess)
{
    switch (guess) {
    case SpeedupGuess::Less:
        return QStringLiteral("slower");
    case SpeedupGuess::Same:
        return QStringLiteral("about the same");
    case SpeedupGuess::Some:
        return QStringLiteral("1.1–2×");
    case SpeedupGuess::More:
        return QStringLiteral("more than 2×");
    }
    return {};
}

SpeedupGuess guessOf(double speedup)
{
    if (speedup < 0.95) return SpeedupGuess::Less;
    if (speedup < 1.05) return SpeedupGuess::Same;
    return speedup <= 2 ? SpeedupGuess::Some : SpeedupGuess::More;
}

Movement movementOf(double before, double after)
{
    constexpr double sameWithin = 0.02;
    if (std::abs(after - before) <= sameWithin * std::abs(before)) return Movement::Same;
    return after < before ? Movement::Lower : Movement::Higher;
}

QJsonObject Prediction::toJson() const
{
    QJsonArray list;
    for (const CounterPrediction &counter : counters)
        list.append(QJsonObject{{"metric", counter.metric}, {"movement", toString(counter.movement)}});
    QJsonObject object{{"counters", list}};
    if (speedup) object.insert("speedup", toString(*speedup));
    return object;
}

Prediction Prediction::fromJson(const QJsonObject &object)
{
    Prediction prediction;
    prediction.speedup = guessFromString(object.value("speedup").toString());
    for (const QJsonValue &value : object.value("counters").toArray()) {
        const QJsonObject counter = value.toObject();
        const auto movement = movementFromString(counter.value("movement").toString());
        if (movement) prediction.counters.append({counter.value("metric").toString(), *movement});
    }
    return prediction;
}

} // namespace kernelskill
