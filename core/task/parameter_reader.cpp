// SPDX-License-Identifier: Apache-2.0
#include "task/parameter_reader.h"

#include "kit/dtypes.h"
#include "task/dtypes.h"
#include "task/source_text.h"

namespace kernelskill {

namespace {

template <class Enum> struct Word
{
    const char *text;
    Enum value;
};

template <class Enum, size_t N> Result<Enum> readWord(const JsonReader &reader, const Word<Enum> (&words)[N])
{
    const Result<QString> text = reader.text();
    if (!text) return std::unexpected(text.error());
    QStringList known;
    for (const Word<Enum> &word : words) {
        if (*text == QLatin1String(word.text)) return word.value;
        known.append(QString::fromLatin1(word.text));
    }
    return reader.refuse(QStringLiteral("expected %1, found \"%2\"").arg(orList(known), *text));
}

constexpr Word<Parameter::Kind> kinds[] = {{"tensor", Parameter::Kind::Tensor}, {"scalar", Parameter::Kind::Scalar}};
constexpr Word<Parameter::Role> roles[] = {
    {"in", Parameter::Role::In}, {"out", Parameter::Role::Out}, {"inout", Parameter::Role::InOut}};
constexpr Word<Distribution::Kind> distributions[] = {
    {"normal", Distribution::Kind::Normal},       {"uniform", Distribution::Kind::Uniform},
    {"integer", Distribution::Kind::Integer},     {"bernoulli", Distribution::Kind::Bernoulli},
    {"constant", Distribution::Kind::Constant},   {"permutation", Distribution::Kind::Permutation}};

Result<double> readNumber(const JsonReader &reader, const char *key, std::optional<double> standard)
{
    if (standard && !reader.has(key)) return *standard;
    return reader.member(key).and_then(&JsonReader::number);
}

// Reads the two numbers a distribution may have under their names; a name that is null has none.
Result<Distribution> readNumbersOf(const JsonReader &reader, Distribution::Kind kind, const char *first,
                                   std::optional<double> firstStandard, const char *second,
                                   std::optional<double> secondStandard)
{
    Distribution result{kind, 0, 0};
    if (first) {
        const Result<double> value = readNumber(reader, first, firstStandard);
        if (!value) return std::unexpected(value.error());
        result.first = *value;
    }
    if (second) {
        const Result<double> value = readNumber(reader, second, secondStandard);
        if (!value) return std::unexpected(value.error());
        result.second = *value;
    }
    return result;
}

Result<Distribution> readDistributionOf(const JsonReader &reader, Distribution::Kind kind)
{
    switch (kind) {
    case Distribution::Kind::Normal: return readNumbersOf(reader, kind, "mean", 0.0, "std", 1.0);
    case Distribution::Kind::Uniform: return readNumbersOf(reader, kind, "low", 0.0, "high", 1.0);
    case Distribution::Kind::Integer: return readNumbersOf(reader, kind, "low", std::nullopt, "high", std::nullopt);
    case Distribution::Kind::Bernoulli: return readNumbersOf(reader, kind, "p", 0.5, nullptr, std::nullopt);
    case Distribution::Kind::Constant: return readNumbersOf(reader, kind, "value", std::nullopt, nullptr, std::nullopt);
    case Distribution::Kind::Permutation: break;
    }
    return Distribution{kind, 0, 0};
}

Result<Distribution> readDistribution(const JsonReader &reader)
{
    const Result<Distribution::Kind> kind =
        reader.member("distribution").and_then([](const JsonReader &word) { return readWord(word, distributions); });
    if (!kind) return std::unexpected(kind.error());
    const Result<Distribution> result = readDistributionOf(reader, *kind);
    if (!result) return result;
    const bool ranged = *kind == Distribution::Kind::Uniform || *kind == Distribution::Kind::Integer;
    if (ranged && result->first > result->second)
        return reader.refuse(QStringLiteral("expected low not above high, found %1 and %2")
                                 .arg(result->first).arg(result->second));
    if (*kind == Distribution::Kind::Integer)
        for (const char *key : {"low", "high"})
            if (const auto whole = reader.member(key).and_then(&JsonReader::integer); !whole)
                return std::unexpected(whole.error());
    if (*kind == Distribution::Kind::Normal && result->second < 0)
        return reader.member("std")->refuse(QStringLiteral("expected at least 0, found %1").arg(result->second));
    if (*kind == Distribution::Kind::Bernoulli && (result->first < 0 || result->first > 1))
        return reader.member("p")->refuse(QStringLiteral("expected 0 to 1, found %1").arg(result->first));
    return result;
}

Distribution standardValues(const DtypeInfo &dtype)
{
    if (dtype.isFloating) return {Distribution::Kind::Normal, 0, 1};
    if (dtype.name == u"bool") return {Distribution::Kind::Bernoulli, 0.5, 0};
    return {Distribution::Kind::Integer, 0, 100};
}

Result<const DtypeInfo *> readDtype(const JsonReader &reader)
{
    const Result<JsonReader> place = reader.member("dtype");
    const Result<QString> name = place.and_then(&JsonReader::text);
    if (!name) return std::unexpected(name.error());
    const DtypeInfo *info = dtypeInfo(*name);
    if (!info) return place->refuse(QStringLiteral("expected %1, found \"%2\"").arg(orList(dtypeNames()), *name));
    return info;
}

Result<void> readTensor(const JsonReader &reader, const DtypeInfo &dtype, Parameter &parameter)
{
    const Result<QList<JsonReader>> shape = reader.member("shape").and_then(&JsonReader::elements);
    if (!shape) return std::unexpected(shape.error());
    for (const JsonReader &dimension : *shape) {
        const Result<Expression> expression = readExpression(dimension);
        if (!expression) return std::unexpected(expression.error());
        parameter.shape.append(*expression);
    }
    const Result<Parameter::Role> role =
        reader.member("role").and_then([](const JsonReader &word) { return readWord(word, roles); });
    if (!role) return std::unexpected(role.error());
    parameter.role = *role;
    parameter.values = standardValues(dtype);
    if (!reader.has("values")) return {};
    const Result<Distribution> values = reader.member("values").and_then(readDistribution);
    if (!values) return std::unexpected(values.error());
    parameter.values = *values;
    return {};
}

} // namespace

Result<Expression> readExpression(const JsonReader &reader)
{
    if (reader.value().isDouble()) {
        const double value = reader.value().toDouble();
        return value == double(reader.value().toInteger()) ? Expression::parse(QString::number(reader.value().toInteger()))
                                                           : Result<Expression>(Expression::constant(value));
    }
    if (!reader.value().isString())
        return reader.refuse("type", QStringLiteral("expected an expression over sizes (a text or a number)"));
    const Result<Expression> expression = Expression::parse(reader.value().toString());
    if (!expression) return reader.refuse(expression.error().message);
    return expression;
}

bool fits(const QString &dtype, qint64 value)
{
    const kit::Dtype *info = kit::findDtype(dtype.toStdString());
    // Whole numbers here are at most 2^53, so they compare exactly.
    return info && double(value) >= info->lowest && double(value) <= info->highest;
}

Result<Parameter> readParameter(const JsonReader &reader)
{
    Parameter parameter;
    const Result<JsonReader> nameReader = reader.member("name");
    const Result<QString> name = nameReader.and_then(&JsonReader::text);
    if (!name) return std::unexpected(name.error());
    if (!isIdentifier(*name) || isReservedWord(*name) || *name == u"stream")
        return nameReader->refuse(
            QStringLiteral("expected a C++ name that is no reserved word (and not \"stream\"), found \"%1\"").arg(*name));
    parameter.name = *name;
    const Result<Parameter::Kind> kind =
        reader.member("kind").and_then([](const JsonReader &word) { return readWord(word, kinds); });
    if (!kind) return std::unexpected(kind.error());
    parameter.kind = *kind;
    const Result<const DtypeInfo *> dtype = readDtype(reader);
    if (!dtype) return std::unexpected(dtype.error());
    parameter.dtype = (*dtype)->name;
    if (*kind == Parameter::Kind::Tensor) {
        const Result<void> done = readTensor(reader, **dtype, parameter);
        if (!done) return std::unexpected(done.error());
        return parameter;
    }
    const Result<Expression> value = reader.member("value").and_then(readExpression);
    if (!value) return std::unexpected(value.error());
    parameter.value = *value;
    return parameter;
}

} // namespace kernelskill
