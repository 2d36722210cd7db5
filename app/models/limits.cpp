// SPDX-License-Identifier: Apache-2.0
#include "models/limits.h"

#include "settings/numbers.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill::limits {

namespace {

QString say(const char *text)
{
    return QCoreApplication::translate("Limits", text);
}

// "90", "90 s", "30 min", "2 h", "1:30:00", "45:00"; a bare number means minutes.
std::optional<double> seconds(const QString &text)
{
    static const QRegularExpression clock(u"^(?:(\\d+):)?(\\d{1,3}):(\\d\\d)$"_s);
    static const QRegularExpression amount(u"^(\\d*\\.?\\d+)\\s*(s|sec|m|min|h)?$"_s);
    if (const auto match = clock.match(text); match.hasMatch())
        return match.captured(1).toInt() * 3600.0 + match.captured(2).toInt() * 60.0 + match.captured(3).toInt();
    const auto match = amount.match(text);
    if (!match.hasMatch()) return {};
    const QString unit = match.captured(2);
    return match.captured(1).toDouble() * (unit.startsWith(u's') ? 1 : unit == "h"_L1 ? 3600 : 60);
}

std::optional<double> dollars(const QString &text)
{
    bool isNumber = false;
    const double value = (text.startsWith(u'$') ? text.mid(1).trimmed() : text).toDouble(&isNumber);
    return isNumber ? std::optional(value) : std::nullopt;
}

// "100000", "100 000", "100k", "1.5M"
std::optional<double> pieces(QString text)
{
    text.remove(u' ').remove(QChar(numbers::narrowSpace)).remove(QChar(QChar::Nbsp));
    double factor = 1;
    if (text.endsWith(u'k', Qt::CaseInsensitive)) factor = 1e3;
    if (text.endsWith(u'm', Qt::CaseInsensitive)) factor = 1e6;
    bool isNumber = false;
    const double value = (factor > 1 ? text.chopped(1) : text).toDouble(&isNumber) * factor;
    return isNumber && value == std::floor(value) ? std::optional(value) : std::nullopt;
}

QString usedText(Limit limit, double used, double most)
{
    return most > 0 ? say("%1 of %2").arg(amount(limit, used), amount(limit, most)) : amount(limit, used);
}

Budget budgetOf(const Trajectory &trajectory)
{
    return Budget::fromJson(trajectory.settings["budget"_L1].toObject());
}

} // namespace

QList<Limit> all()
{
    return {Limit::Money, Limit::Tokens, Limit::Calls, Limit::Time};
}

QString title(Limit limit)
{
    switch (limit) {
    case Limit::Money:
        return say("Money");
    case Limit::Tokens:
        return say("Tokens");
    case Limit::Calls:
        return say("Calls");
    case Limit::Time:
        return say("Time");
    }
    return {};
}

QString example(Limit limit)
{
    switch (limit) {
    case Limit::Money:
        return u"$2.50"_s;
    case Limit::Tokens:
        return u"200k"_s;
    case Limit::Calls:
        return u"40"_s;
    case Limit::Time:
        return u"30 min"_s;
    }
    return {};
}

std::optional<Limit> thatEnded(const QString &endedBy)
{
    static const QHash<QString, Limit> ends{{u"money"_s, Limit::Money}, {u"tokens"_s, Limit::Tokens}, {u"calls"_s, Limit::Calls}, {u"time"_s, Limit::Time}};
    const auto found = ends.constFind(endedBy);
    return found == ends.constEnd() ? std::nullopt : std::optional(*found);
}

Result<double> parse(Limit limit, const QString &given)
{
    const QString text = given.trimmed();
    if (text.isEmpty()) return 0;
    const std::optional<double> value = limit == Limit::Money  ? dollars(text)
                                        : limit == Limit::Time ? seconds(text)
                                                               : pieces(text);
    if (value && std::isfinite(*value) && *value > 0 && *value < 1e15) return *value;
    switch (limit) {
    case Limit::Money:
        return failure(u"limit.text"_s, say("Money is an amount in US dollars, such as 2.50; empty is no limit"));
    case Limit::Tokens:
        return failure(u"limit.text"_s, say("Tokens are a whole number, such as 200000 or 200k; empty is no limit"));
    case Limit::Calls:
        return failure(u"limit.text"_s, say("Calls are a whole number, such as 40; empty is no limit"));
    case Limit::Time:
        return failure(u"limit.text"_s, say("Time is written 30 min, 2 h or 1:30:00, a bare number means minutes; empty is no limit"));
    }
    return 0;
}

QString amount(Limit limit, double value)
{
    switch (limit) {
    case Limit::Money:
        return numbers::money(value);
    case Limit::Tokens:
        return compact(qint64(value));
    case Limit::Calls:
        return numbers::fixed(value, 0);
    case Limit::Time:
        return numbers::elapsed_s(value);
    }
    return {};
}

QString text(Limit limit, double value)
{
    if (value <= 0) return {};
    if (limit == Limit::Money) return QString::number(value, 'f', value < 0.01 ? 4 : 2);
    if (limit != Limit::Time) return QString::number(qint64(value));
    const auto whole = qint64(std::llround(value));
    return whole % 60 == 0 ? u"%1 min"_s.arg(whole / 60) : u"%1 s"_s.arg(whole);
}

double valueIn(const Budget &budget, Limit limit)
{
    switch (limit) {
    case Limit::Money:
        return budget.money_usd;
    case Limit::Tokens:
        return double(budget.tokens);
    case Limit::Calls:
        return double(budget.calls);
    case Limit::Time:
        return budget.time_s;
    }
    return 0;
}

void setIn(Budget &budget, Limit limit, double value)
{
    switch (limit) {
    case Limit::Money:
        budget.money_usd = value;
        break;
    case Limit::Tokens:
        budget.tokens = qint64(value);
        break;
    case Limit::Calls:
        budget.calls = qint64(value);
        break;
    case Limit::Time:
        budget.time_s = value;
        break;
    }
}

double usedBy(const Trajectory &trajectory, Limit limit, double elapsed_s)
{
    switch (limit) {
    case Limit::Money:
        return trajectory.cost_usd;
    case Limit::Tokens:
        return double(trajectory.tokensIn + trajectory.tokensOut);
    case Limit::Calls:
        return double(trajectory.llmCalls);
    case Limit::Time:
        return elapsed_s;
    }
    return 0;
}

QList<Use> uses(const Trajectory &trajectory, double elapsed_s)
{
    const Budget budget = budgetOf(trajectory);
    QList<Use> result;
    for (const Limit limit : all()) {
        const double most = valueIn(budget, limit), used = usedBy(trajectory, limit, elapsed_s);
        const bool asked = trajectory.llmCalls > 0 && limit != Limit::Money;
        if (most > 0 || used > 0 || asked || limit == Limit::Time)
            result.append({title(limit), usedText(limit, used, most), most > 0 ? std::min(1.0, used / most) : 0});
    }
    return result;
}

QString modelsLine(const Trajectory &trajectory)
{
    const Budget budget = budgetOf(trajectory);
    QStringList parts;
    for (const Limit limit : {Limit::Money, Limit::Tokens, Limit::Calls}) {
        const double most = valueIn(budget, limit), used = usedBy(trajectory, limit, 0);
        if (most <= 0 && used <= 0) continue;
        const QString amount = usedText(limit, used, most);
        parts.append(limit == Limit::Money ? amount : limit == Limit::Tokens ? say("%1 tokens").arg(amount) : say("%1 calls").arg(amount));
    }
    return parts.join(u" · "_s);
}

QString compact(qint64 count)
{
    const double value = double(count);
    if (count < 1000) return QString::number(count);
    if (value < 999'500) return numbers::fixed(value / 1e3, value < 99'950 ? 1 : 0) + u'k';
    return numbers::fixed(value / 1e6, 2) + u'M';
}

} // namespace kernelskill::limits
