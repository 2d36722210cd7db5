// SPDX-License-Identifier: Apache-2.0
// Reads a native task's folder. Every refusal names the file, the place in it and what was expected.
#include "task/task.h"

#include "base/json_reader.h"
#include "task/dtypes.h"
#include "task/parameter_reader.h"
#include "task/source_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>

namespace kernelskill {

namespace {

constexpr int knownSchema = 1;
constexpr qint64 largestSource = 4 << 20;   // bytes of one source file
constexpr double largestTensor = 1ull << 40; // elements; beyond any device's memory

Result<Sizes> readSizes(const JsonReader &reader)
{
    const Result<QStringList> keys = reader.keys();
    if (!keys) return std::unexpected(keys.error());
    Sizes sizes;
    for (const QString &key : *keys) {
        const Result<JsonReader> member = reader.member(key);
        if (!isIdentifier(key))
            return member->refuse(QStringLiteral("expected a size name of letters, digits and _"));
        const Result<qint64> value = member->integer();
        if (!value) return std::unexpected(value.error());
        if (*value < 1) return member->refuse(QStringLiteral("expected a size of at least 1, found %1").arg(*value));
        sizes.insert(key, *value);
    }
    return sizes;
}

// All sets of sizes must name the same sizes, those of `check`.
Result<Sizes> readSizesLike(const JsonReader &reader, const Sizes &model)
{
    Result<Sizes> sizes = readSizes(reader);
    if (!sizes) return sizes;
    for (const QString &name : model.keys())
        if (!sizes->contains(name))
            return reader.refuse(QStringLiteral("the size \"%1\" is missing, which sizes.check has").arg(name));
    for (const QString &name : sizes->keys())
        if (!model.contains(name))
            return reader.member(name)->refuse(QStringLiteral("sizes.check has no \"%1\"").arg(name));
    return sizes;
}

Result<double> readOptionalNumber(const JsonReader &reader, const char *key, double standard, double least)
{
    if (!reader.has(key)) return standard;
    const Result<JsonReader> member = reader.member(key);
    const Result<double> value = member->number();
    if (value && *value < least)
        return member->refuse(QStringLiteral("expected at least %1, found %2").arg(least).arg(*value));
    return value;
}

Result<TimeSize> readTimeSize(const JsonReader &reader, const Sizes &model)
{
    TimeSize result;
    const Result<JsonReader> nameReader = reader.member("name");
    const Result<QString> name = nameReader.and_then(&JsonReader::text);
    if (!name) return std::unexpected(name.error());
    if (name->trimmed().isEmpty()) return nameReader->refuse(QStringLiteral("expected a name, found an empty text"));
    const Result<double> weight = readOptionalNumber(reader, "weight", 1, 0);
    if (!weight) return std::unexpected(weight.error());
    if (*weight == 0) return reader.member("weight")->refuse(QStringLiteral("expected a weight above 0"));
    const Result<double> regression = readOptionalNumber(reader, "max_regression", result.maxRegression, 1);
    if (!regression) return std::unexpected(regression.error());
    const Result<Sizes> sizes =
        reader.member("size").and_then([&](const JsonReader &size) { return readSizesLike(size, model); });
    if (!sizes) return std::unexpected(sizes.error());
    return TimeSize{*name, *weight, *sizes, *regression};
}

Result<QList<TimeSize>> readTimeSizes(const JsonReader &reader, const Sizes &model)
{
    if (reader.value().isObject()) {
        const Result<Sizes> sizes = readSizesLike(reader, model);
        if (!sizes) return std::unexpected(sizes.error());
        TimeSize only;
        only.sizes = *sizes;
        return QList<TimeSize>{only};
    }
    if (!reader.value().isArray())
        return reader.refuse("type", QStringLiteral("expected an object of sizes, or a list of {name, weight, size}"));
    const Result<QList<JsonReader>> elements = reader.elements();
    if (elements->isEmpty()) return reader.refuse(QStringLiteral("expected at least one size to time"));
    QList<TimeSize> result;
    for (const JsonReader &element : *elements) {
        const Result<TimeSize> size = readTimeSize(element, model);
        if (!size) return std::unexpected(size.error());
        for (const TimeSize &earlier : result)
            if (earlier.name == size->name)
                return element.member("name")->refuse(QStringLiteral("\"%1\" is there twice").arg(size->name));
        result.append(*size);
    }
    return result;
}

Result<void> readAllSizes(const JsonReader &root, Task &task)
{
    const Result<JsonReader> sizes = root.member("sizes");
    if (!sizes) return std::unexpected(sizes.error());
    const Result<Sizes> check = sizes->member("check").and_then(readSizes);
    if (!check) return std::unexpected(check.error());
    task.check = *check;
    if (sizes->has("edge")) {
        const Result<QList<JsonReader>> elements = sizes->member("edge")->elements();
        if (!elements) return std::unexpected(elements.error());
        for (const JsonReader &element : *elements) {
            const Result<Sizes> edge = readSizesLike(element, task.check);
            if (!edge) return std::unexpected(edge.error());
            task.edge.append(*edge);
        }
    }
    const Result<QList<TimeSize>> time =
        sizes->member("time").and_then([&](const JsonReader &reader) { return readTimeSizes(reader, task.check); });
    if (!time) return std::unexpected(time.error());
    task.time = *time;
    return {};
}

Result<void> readParameters(const JsonReader &root, Task &task)
{
    const Result<JsonReader> list = root.member("parameters");
    const Result<QList<JsonReader>> elements = list.and_then(&JsonReader::elements);
    if (!elements) return std::unexpected(elements.error());
    bool writes = false;
    for (const JsonReader &element : *elements) {
        const Result<Parameter> parameter = readParameter(element);
        if (!parameter) return std::unexpected(parameter.error());
        if (task.parameter(parameter->name))
            return element.member("name")->refuse(QStringLiteral("\"%1\" is there twice").arg(parameter->name));
        writes = writes || (parameter->kind == Parameter::Kind::Tensor && parameter->isWritten());
        task.parameters.append(*parameter);
    }
    if (!writes) return list->refuse(QStringLiteral("expected at least one tensor with role \"out\" or \"inout\""));
    return {};
}

// Bytes read and written once each: what no kernel can avoid when the task itself does not say.
Result<Expression> leastBytes(const Task &task)
{
    QStringList terms;
    for (const Parameter &parameter : task.parameters) {
        if (parameter.kind != Parameter::Kind::Tensor) continue;
        QStringList factors{QString::number(dtypeInfo(parameter.dtype)->bytes * (int(parameter.isRead()) + int(parameter.isWritten())))};
        for (const Expression &dimension : parameter.shape) factors.append(u'(' + dimension.text() + u')');
        terms.append(factors.join(u'*'));
    }
    return Expression::parse(terms.join(QStringLiteral(" + ")));
}

Result<void> readNumbers(const JsonReader &root, Task &task)
{
    if (root.has("tolerance")) {
        const Result<JsonReader> tolerance = root.member("tolerance");
        if (const auto keys = tolerance->keys(); !keys) return std::unexpected(keys.error());
        const Result<double> absolute = readOptionalNumber(*tolerance, "absolute", task.tolerance.absolute, 0);
        if (!absolute) return std::unexpected(absolute.error());
        const Result<double> relative = readOptionalNumber(*tolerance, "relative", task.tolerance.relative, 0);
        if (!relative) return std::unexpected(relative.error());
        task.tolerance = {*absolute, *relative};
    }
    const Result<Expression> least = leastBytes(task);
    if (!least) return std::unexpected(least.error());
    task.bytes = *least;
    if (!root.has("work")) return {};
    const Result<JsonReader> work = root.member("work");
    if (const auto keys = work->keys(); !keys) return std::unexpected(keys.error());
    for (const auto &[key, target] : {std::pair{"flops", &task.flops}, std::pair{"bytes", &task.bytes}}) {
        if (!work->has(key)) continue;
        const Result<Expression> expression = work->member(key).and_then(readExpression);
        if (!expression) return std::unexpected(expression.error());
        *target = *expression;
    }
    return {};
}

// Evaluates what must hold at every size, so that no later step meets a surprise.
class SizeChecker
{
public:
    SizeChecker(const JsonReader &root, const Task &task) : m_root(root), m_task(task) {}

    Result<void> check() const
    {
        QList<Sizes> all = m_task.checkedSizes();
        for (const TimeSize &size : m_task.time) all.append(size.sizes);
        for (const Sizes &sizes : all) {
            for (qsizetype i = 0; i < m_task.parameters.size(); ++i)
                if (const auto done = checkParameter(i, sizes); !done) return done;
            for (const auto &[key, expression] : {std::pair{"flops", &m_task.flops}, std::pair{"bytes", &m_task.bytes}})
                if (const auto done = checkWork(key, *expression, sizes); !done) return done;
        }
        return {};
    }

private:
    Result<void> checkParameter(qsizetype index, const Sizes &sizes) const
    {
        const Parameter &parameter = m_task.parameters[index];
        const JsonReader place = m_root.member("parameters")->elements()->at(index);
        if (parameter.kind == Parameter::Kind::Scalar) return checkScalar(parameter, *place.member("value"), sizes);
        double elements = 1;
        for (qsizetype i = 0; i < parameter.shape.size(); ++i) {
            const JsonReader dimension = place.member("shape")->elements()->at(i);
            const Result<qint64> value = parameter.shape[i].evaluateInteger(sizes);
            if (!value) return refuse(dimension, value.error(), sizes);
            if (*value < 1)
                return dimension.refuse(QStringLiteral("expected a dimension of at least 1, found %1 with %2")
                                            .arg(*value).arg(text(sizes)));
            elements *= double(*value);
        }
        if (elements > largestTensor)
            return place.member("shape")->refuse(QStringLiteral("the tensor has %1 elements with %2, which is too large")
                                                     .arg(elements).arg(text(sizes)));
        return {};
    }

    static Result<void> checkScalar(const Parameter &parameter, const JsonReader &place, const Sizes &sizes)
    {
        if (dtypeInfo(parameter.dtype)->isFloating) {
            const Result<double> value = parameter.value.evaluate(sizes);
            return value ? Result<void>() : refuse(place, value.error(), sizes);
        }
        const Result<qint64> value = parameter.value.evaluateInteger(sizes);
        if (!value) return refuse(place, value.error(), sizes);
        if (!fits(parameter.dtype, *value))
            return place.refuse(QStringLiteral("%1 does not fit into %2 with %3")
                                    .arg(*value).arg(parameter.dtype, text(sizes)));
        return {};
    }

    Result<void> checkWork(const char *key, const Expression &expression, const Sizes &sizes) const
    {
        const Result<double> value = expression.evaluate(sizes);
        const Result<JsonReader> work = m_root.member("work");
        if (!work || !work->has(key)) return {}; // made up here from shapes, which were checked
        if (!value) return refuse(*work->member(key), value.error(), sizes);
        if (*value < 0) return work->member(key)->refuse(QStringLiteral("expected no negative amount, found %1").arg(*value));
        return {};
    }

    static std::unexpected<Error> refuse(const JsonReader &place, const Error &error, const Sizes &sizes)
    {
        // An unknown name has nothing to do with the sizes' values.
        if (error.code == u"expression.unknown_name") return place.refuse(error.message);
        return place.refuse(QStringLiteral("%1 (with %2)").arg(error.message, text(sizes)));
    }

    static QString text(const Sizes &sizes)
    {
        QStringList parts;
        for (auto it = sizes.cbegin(); it != sizes.cend(); ++it)
            parts.append(QStringLiteral("%1 = %2").arg(it.key()).arg(it.value()));
        return parts.isEmpty() ? QStringLiteral("no sizes") : parts.join(QStringLiteral(", "));
    }

    const JsonReader &m_root;
    const Task &m_task;
};

Result<void> readGraph(const JsonReader &root, Task &task)
{
    if (!root.has("graph") || root.value().toObject().value(u"graph").isNull()) return {};
    const Result<JsonReader> place = root.member("graph");
    if (const auto keys = place->keys(); !keys) return std::unexpected(keys.error());
    Result<OperatorGraph> graph = OperatorGraph::fromJson(place->value().toObject(), place->pointer());
    if (!graph) {
        Error error = graph.error();
        error.message = QStringLiteral("%1: %2").arg(root.file(), error.message);
        return std::unexpected(error);
    }
    for (qsizetype i = 0; i < graph->inputs.size(); ++i) {
        const Parameter *parameter = task.parameter(graph->inputs[i]);
        if (!parameter || !parameter->isRead())
            return place->member("inputs")->elements()->at(i).refuse(
                QStringLiteral("expected a parameter that is read, found \"%1\"").arg(graph->inputs[i]));
    }
    for (qsizetype i = 0; i < graph->outputs.size(); ++i) {
        const Parameter *parameter = task.parameter(graph->outputs[i]);
        if (!parameter || parameter->kind != Parameter::Kind::Tensor || !parameter->isWritten())
            return place->member("outputs")->elements()->at(i).refuse(
                QStringLiteral("expected a tensor with role \"out\" or \"inout\", found \"%1\"").arg(graph->outputs[i]));
    }
    task.graph = *graph;
    return {};
}

Result<QString> readSource(const QString &path, const QString &purpose)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return failure(QStringLiteral("task.missing_file"),
                       QStringLiteral("%1: this file is missing or cannot be read; expected %2.").arg(path, purpose));
    if (file.size() > largestSource)
        return failure(QStringLiteral("task.value"), QStringLiteral("%1: expected at most 4 MiB of source.").arg(path));
    return QString::fromUtf8(file.readAll());
}

Result<QString> readSourceThatDefines(const QString &path, const QString &function, const QString &declaration)
{
    Result<QString> text = readSource(path, QStringLiteral("a source that defines %1").arg(declaration));
    if (text && !mentionsFunction(*text, function))
        return failure(QStringLiteral("task.missing_function"),
                       QStringLiteral("%1: there is no function \"%2\"; expected %3.").arg(path, function, declaration));
    return text;
}

Result<void> readSources(const QDir &folder, Task &task)
{
    const Result<QString> reference = readSourceThatDefines(
        folder.filePath(QStringLiteral("reference.cpp")), QStringLiteral("reference"),
        QStringLiteral("extern \"C\" void reference(…) with the parameters in order"));
    if (!reference) return std::unexpected(reference.error());
    task.reference = *reference;
    const QString baselineName = QStringLiteral("baseline.cu");
    const Result<QString> baseline = readSourceThatDefines(folder.filePath(baselineName), QStringLiteral("solve"),
                                                           task.solveDeclaration());
    if (!baseline) return std::unexpected(baseline.error());
    task.baseline = Candidate::fromText(baselineName, *baseline);
    struct Hook
    {
        const char *file, *function;
        std::optional<QString> *target;
    };
    for (const Hook &hook : {Hook{"generate.cpp", "generate", &task.generateHook}, Hook{"check.cpp", "check", &task.checkHook}}) {
        const QString path = folder.filePath(QString::fromLatin1(hook.file));
        if (!QFileInfo::exists(path)) continue;
        const Result<QString> text = readSourceThatDefines(
            path, QString::fromLatin1(hook.function), QStringLiteral("extern \"C\" %1(…)").arg(QString::fromLatin1(hook.function)));
        if (!text) return std::unexpected(text.error());
        *hook.target = *text;
    }
    return {};
}

// Libraries that CUDA brings along, and cuDNN. CUB is headers only and needs no entry.
const QStringList &vendorLibraries()
{
    static const QStringList names{QStringLiteral("cublas"),   QStringLiteral("cublasLt"), QStringLiteral("cudnn"),
                                   QStringLiteral("cufft"),    QStringLiteral("curand"),   QStringLiteral("cusolver"),
                                   QStringLiteral("cusparse"), QStringLiteral("nppc")};
    return names;
}

Result<QStringList> readVendorLibraries(const JsonReader &place)
{
    QStringList libraries;
    if (!place.has("libraries")) return libraries;
    const Result<QList<JsonReader>> elements = place.member("libraries").and_then(&JsonReader::elements);
    if (!elements) return std::unexpected(elements.error());
    for (const JsonReader &element : *elements) {
        const Result<QString> name = element.text();
        if (!name) return std::unexpected(name.error());
        if (!vendorLibraries().contains(*name))
            return element.refuse(QStringLiteral("expected %1, found \"%2\"").arg(orList(vendorLibraries()), *name));
        libraries.append(*name);
    }
    return libraries;
}

Result<void> readVendor(const JsonReader &root, Task &task)
{
    if (!root.has("vendor")) return {};
    const Result<JsonReader> place = root.member("vendor");
    if (const auto keys = place->keys(); !keys) return std::unexpected(keys.error());
    const Result<QString> title = place->member("title").and_then(&JsonReader::text);
    if (!title) return std::unexpected(title.error());
    QString name = QStringLiteral("vendor.cu");
    if (place->has("file")) {
        const Result<JsonReader> file = place->member("file");
        const Result<QString> text = file->text();
        if (!text) return std::unexpected(text.error());
        if (!isPlainName(*text) || !text->endsWith(QLatin1String(".cu")))
            return file->refuse(QStringLiteral("expected the name of a .cu file in this folder, found \"%1\"").arg(*text));
        name = *text;
    }
    const Result<QStringList> libraries = readVendorLibraries(*place);
    if (!libraries) return std::unexpected(libraries.error());
    const Result<QString> text =
        readSourceThatDefines(QDir(task.folder).filePath(name), QStringLiteral("solve"), task.solveDeclaration());
    if (!text) return std::unexpected(text.error());
    task.vendor = VendorBaseline{*title, Candidate::fromText(name, *text)};
    task.vendor->candidate.libraries = *libraries;
    return {};
}

Result<void> readPrepare(const JsonReader &root, Task &task)
{
    if (!root.has("prepare")) return {};
    const Result<JsonReader> place = root.member("prepare");
    const Result<QString> entry = place->text();
    if (!entry) return std::unexpected(entry.error());
    if (!isIdentifier(*entry)) return place->refuse(QStringLiteral("expected the name of a function"));
    if (!mentionsFunction(task.baseline.mainText(), *entry))
        return place->refuse(QStringLiteral("baseline.cu defines no function \"%1\"").arg(*entry));
    task.prepareEntry = *entry;
    return {};
}

Result<void> readHead(const JsonReader &root, Task &task)
{
    const Result<JsonReader> schemaReader = root.member("schema");
    const Result<qint64> schema = schemaReader.and_then(&JsonReader::integer);
    if (!schema) return std::unexpected(schema.error());
    if (*schema != knownSchema)
        return schemaReader->refuse("schema", QStringLiteral("expected %1, the only version this program reads, found %2")
                                                  .arg(knownSchema).arg(*schema));
    const Result<JsonReader> nameReader = root.member("name");
    const Result<QString> name = nameReader.and_then(&JsonReader::text);
    if (!name) return std::unexpected(name.error());
    if (!isPlainName(*name))
        return nameReader->refuse(QStringLiteral("expected a name of letters, digits, \"_\", \"-\" and \".\""));
    task.name = *name;
    task.title = *name;
    for (const auto &[key, target] : {std::pair{"title", &task.title}, std::pair{"description", &task.description}}) {
        if (!root.has(key)) continue;
        const Result<QString> text = root.member(key)->text();
        if (!text) return std::unexpected(text.error());
        *target = *text;
    }
    return {};
}

} // namespace

Result<Task> readTask(const QString &folderPath)
{
    const QDir folder(folderPath);
    if (QFileInfo(folderPath).isFile())
        return failure(QStringLiteral("task.missing_file"),
                       QStringLiteral("%1: is a file; a task is the folder that holds task.json.").arg(folderPath));
    if (!folder.exists())
        return failure(QStringLiteral("task.missing_file"),
                       QStringLiteral("%1: there is no such folder; a task is a folder with task.json.").arg(folderPath));
    Task task;
    task.folder = folder.absolutePath();
    const Result<JsonReader> root =
        JsonReader::open(folder.absoluteFilePath(QStringLiteral("task.json")), QStringLiteral("task"));
    if (!root) return std::unexpected(root.error());
    const auto steps = {readHead, readAllSizes, readParameters, readNumbers};
    for (const auto step : steps)
        if (const Result<void> done = step(*root, task); !done) return std::unexpected(done.error());
    if (const Result<void> done = SizeChecker(*root, task).check(); !done) return std::unexpected(done.error());
    if (const Result<void> done = readGraph(*root, task); !done) return std::unexpected(done.error());
    if (const Result<void> done = readSources(QDir(task.folder), task); !done) return std::unexpected(done.error());
    for (const auto step : {readVendor, readPrepare})
        if (const Result<void> done = step(*root, task); !done) return std::unexpected(done.error());
    return task;
}

} // namespace kernelskill
