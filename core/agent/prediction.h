// SPDX-License-Identifier: Apache-2.0
// What a person expects of a step before its counters are known. Pure.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>

namespace kernelskill {

enum class Movement { Lower, Same, Higher };
// Of the step: below 0.95 times the base, about the same, 1.1 to 2 times (from 1.05 on), more than 2 times.
enum class SpeedupGuess { Less, Same, Some, More };

[[nodiscard]] QString toString(Movement movement); // "lower", "same", "higher"
[[nodiscard]] std::optional<Movement> movementFromString(const QString &text);
[[nodiscard]] QString toString(SpeedupGuess guess); // "less", "same", "some", "more"
[[nodiscard]] std::optional<SpeedupGuess> guessFromString(const QString &text);
[[nodiscard]] QString guessTitle(SpeedupGuess guess); // "1.1–2×"
[[nodiscard]] SpeedupGuess guessOf(double speedup);
// Same: within 2 % of what it was.
[[nodiscard]] Movement movementOf(double before, double after);

struct CounterPrediction
{
    QString metric; // catalogue name
    Movement movement = Movement::Same;
};

struct Prediction
{
    std::optional<SpeedupGuess> speedup;
    QList<CounterPrediction> counters;

    [[nodiscard]] bool isEmpty() const { return !speedup && counters.isEmpty(); }
    [[nodiscard]] QJsonObject toJson() const; // {"speedup": "some", "counters": [{"metric", "movement"}]}
    [[nodiscard]] static Prediction fromJson(const QJsonObject &object); // what it does not know is left out
};

} // namespace kernelskill
