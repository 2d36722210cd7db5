// SPDX-License-Identifier: Apache-2.0
#include "settings/numbers.h"

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill::numbers {

namespace {

int speedupDecimals(double value)
{
    return value < 2 ? 2 : value < 100 ? 1 : 0;
}

QString bare(double value) // a speedup without its sign
{
    return fixed(value, speedupDecimals(value));
}

} // namespace

QString fixed(double value, int decimals)
{
    QString text = QString::number(std::abs(value), 'f', decimals);
    int point = int(text.indexOf(u'.'));
    if (point < 0) point = int(text.size());
    for (int at = point - 3; at > 0 && point > 3; at -= 3)
        text.insert(at, QChar(narrowSpace));
    const bool isZero = text.count(u'0') + text.count(u'.') == text.size();
    return value < 0 && !isZero ? QChar(minusSign) + text : text;
}

QString plain(double value)
{
    const double size = std::abs(value);
    if (size != 0 && size < 0.001) return QString::number(value, 'g', 2).replace(u'-', QChar(minusSign));
    if (std::round(value) == value && size < 1e15) return fixed(value, 0);
    return fixed(value, size < 0.1 ? 3 : size < 1 ? 2 : size < 100 ? 1 : 0);
}

QString withUnit(double value, const QString &unit)
{
    return unit.isEmpty() ? plain(value) : plain(value) + QChar(narrowSpace) + unit;
}

QString metricValue(double value, const QString &unit)
{
    if (unit == "bytes"_L1) return bytes(value);
    if (unit == "us"_L1) return duration_us(value);
    if (unit == "ns"_L1) return duration_us(value / 1000);
    if (std::abs(value) >= 1e6 && (unit.isEmpty() || unit == "flop"_L1)) {
        const bool giga = std::abs(value) >= 1e9;
        return plain(value / (giga ? 1e9 : 1e6)) + QChar(narrowSpace) + (giga ? u"G"_s : u"M"_s) + unit;
    }
    return withUnit(value, unit);
}

QString duration_us(double value)
{
    if (value >= 10'000) return fixed(value / 1000, value >= 100'000 ? 0 : 1) + QChar(narrowSpace) + u"ms"_s;
    return fixed(value, value >= 1000 ? 0 : value >= 10 ? 1 : 2) + QChar(narrowSpace) + u"µs"_s;
}

QString elapsed_s(double seconds)
{
    const int whole = int(std::max(0.0, seconds));
    if (whole >= 3600)
        return u"%1:%2:%3"_s.arg(whole / 3600)
            .arg(whole / 60 % 60, 2, 10, QChar(u'0'))
            .arg(whole % 60, 2, 10, QChar(u'0'));
    return u"%1:%2"_s.arg(whole / 60).arg(whole % 60, 2, 10, QChar(u'0'));
}

QString money(double usd)
{
    return u'$' + fixed(usd, 2);
}

QString bytes(double value)
{
    static const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (std::abs(value) >= 1024 && unit < 4) {
        value /= 1024;
        ++unit;
    }
    return withUnit(value, QString::fromLatin1(units[unit]));
}

QString speedupValue(double value)
{
    return bare(value) + u'×';
}

QString bounds(const Interval &interval)
{
    return u"[%1, %2]"_s.arg(bare(interval.low), bare(interval.high));
}

QString halfWidth(const Speedup &speedup)
{
    const double half = std::max(speedup.interval.high - speedup.value, speedup.value - speedup.interval.low);
    // As fine as the value it belongs to, finer when it would read as nothing.
    int decimals = speedupDecimals(speedup.value);
    if (half > 0 && half < 0.5 * std::pow(10, -decimals)) decimals = 2;
    return u'±' + fixed(half, decimals);
}

QString kindShort(TimeKind kind)
{
    return kind == TimeKind::Measured ? u"meas."_s : u"mod."_s;
}

QString speedupFull(const Speedup &speedup, const QString &verdict)
{
    return u"%1 %2 %3, %4"_s.arg(speedupValue(speedup.value), bounds(speedup.interval), toString(speedup.kind),
                                 verdict);
}

QString change(std::optional<double> before, std::optional<double> after, const QString &unit)
{
    if (!before && !after) return u"no counter"_s;
    const auto text = [&](std::optional<double> value) { return value ? metricValue(*value, unit) : u"no counter"_s; };
    QString first = text(before);
    const QString second = text(after);
    // The unit stands once, at the end, when both sides share it.
    const qsizetype cut = first.lastIndexOf(QChar(narrowSpace));
    if (before && after && cut >= 0 && !first.at(cut + 1).isDigit() && second.endsWith(first.mid(cut)))
        first.truncate(cut);
    return first + u" → "_s + second;
}

QString compactChange(double before, double after, const QString &unit)
{
    const auto rounded = [](double value) {
        return std::abs(value) >= 10 && std::abs(value) < 1e6 ? std::round(value) : value;
    };
    return change(rounded(before), rounded(after), unit);
}

QString promise(const QString &text)
{
    if (text.startsWith("at most "_L1)) return u"≤ "_s + text.mid(8);
    if (text.startsWith("at least "_L1)) return u"≥ "_s + text.mid(9);
    return text;
}

} // namespace kernelskill::numbers
