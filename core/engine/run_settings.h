// SPDX-License-Identifier: Apache-2.0
// All that decides a run, as it stands in the session file.
#pragma once

#include "agent/roles.h"

#include <QJsonObject>
#include <QMap>
#include <QString>

namespace kernelskill {

enum class LongTerm { Learning, Frozen, Off };
enum class Promotion { Interval, Paper };

struct Budget
{
    double time_s = 0;    // 0: none
    double money_usd = 0; // 0: none
    qint64 tokens = 0;    // of language models, in and out; 0: none
    qint64 calls = 0;     // to language models; 0: none
    // A session goes on with what it had, or more.
    [[nodiscard]] Budget raisedTo(const Budget &other) const;
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Budget fromJson(const QJsonObject &object);
    friend bool operator==(const Budget &, const Budget &) = default;
};

struct RunSettings
{
    QString taskFolder;
    QMap<Role, QString> cast;   // role → agent plugin id; missing roles play `agent`
    QString agent = QStringLiteral("expert");
    QMap<QString, QJsonObject> agentSettings; // plugin id → its settings for this run; never a secret
    QString evaluator = QStringLiteral("simulator");
    QString device;             // empty: evaluator's default
    QString mode = QStringLiteral("strict");
    int rounds = 8;
    int seeds = 1;              // candidates of the Generator
    quint64 seed = 1;
    Budget budget;
    LongTerm longTerm = LongTerm::Learning;
    bool shortTerm = true;
    QString retrieval = QStringLiteral("policy"); // "random", "all"
    QString policy;             // a person's overlay of the policy; empty: the one in the configuration folder, if any
    Promotion promotion = Promotion::Interval;
    int repairLimit = 4;        // candidates in one repair chain
    int plateauRounds = 0;      // stop after so many rounds without a new best; 0: never
    double rooflineFraction = 0; // stop when best reaches it; 0: never
    bool stepMode = false;      // ask the person at each plan, or wait where nobody can be asked
    bool unconfined = false;

    [[nodiscard]] QString agentFor(Role role) const;
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Result<RunSettings> fromJson(const QJsonObject &object);
};

} // namespace kernelskill
