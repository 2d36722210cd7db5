// SPDX-License-Identifier: Apache-2.0
#include "profile/gpu_spec.h"

#include "base/paths.h"
#include "base/json_reader.h"

#include <QDir>
#include <QFileInfo>

#include <limits>

namespace kernelskill {

namespace {

struct IntegerField
{
    const char *key;
    int GpuSpec::*member;
    bool required;
};

struct NumberField
{
    const char *key;
    double GpuSpec::*member;
    bool required;
};

// Keys are the members' own names, so that a reader of the header can write the file.
constexpr IntegerField integerFields[] = {
    {"smCount", &GpuSpec::smCount, true},
    {"maxThreadsPerSm", &GpuSpec::maxThreadsPerSm, false},
    {"maxBlocksPerSm", &GpuSpec::maxBlocksPerSm, false},
    {"maxWarpsPerSm", &GpuSpec::maxWarpsPerSm, false},
    {"registersPerSm", &GpuSpec::registersPerSm, false},
    {"registerAllocationUnit", &GpuSpec::registerAllocationUnit, false},
    {"sharedBytesPerSm", &GpuSpec::sharedBytesPerSm, true},
    {"sharedBytesPerBlock", &GpuSpec::sharedBytesPerBlock, true},
    {"l1BytesPerSm", &GpuSpec::l1BytesPerSm, true},
};

constexpr NumberField numberFields[] = {
    {"clock_mhz", &GpuSpec::clock_mhz, true},
    {"l2Bytes", &GpuSpec::l2Bytes, true},
    {"dram_gb_s", &GpuSpec::dram_gb_s, true},
    {"l2_gb_s", &GpuSpec::l2_gb_s, true},
    {"dramPeak_gb_s", &GpuSpec::dramPeak_gb_s, false},
    {"fp32_tflops", &GpuSpec::fp32_tflops, true},
    {"fp64_tflops", &GpuSpec::fp64_tflops, false},
    {"fp16Tensor_tflops", &GpuSpec::fp16Tensor_tflops, false},
    {"tf32Tensor_tflops", &GpuSpec::tf32Tensor_tflops, false},
    {"launch_us", &GpuSpec::launch_us, true},
};

Result<void> readText(const JsonReader &root, const char *key, QString &target)
{
    const auto text = root.member(key).and_then(&JsonReader::text);
    if (!text) return std::unexpected(text.error());
    target = *text;
    return {};
}

Result<void> readNumbers(const JsonReader &root, const char *key, QMap<QString, double> &target)
{
    if (!root.has(key)) return {};
    const auto object = root.member(key);
    const auto keys = object->keys();
    if (!keys) return std::unexpected(keys.error());
    for (const QString &name : *keys) {
        const auto number = object->member(name).and_then(&JsonReader::number);
        if (!number) return std::unexpected(number.error());
        target.insert(name, *number);
    }
    return {};
}

Result<void> readProvenance(const JsonReader &root, QMap<QString, QString> &target)
{
    if (!root.has("provenance")) return {};
    const auto object = root.member("provenance");
    const auto keys = object->keys();
    if (!keys) return std::unexpected(keys.error());
    for (const QString &name : *keys) {
        const auto text = object->member(name).and_then(&JsonReader::text);
        if (!text) return std::unexpected(text.error());
        target.insert(name, *text);
    }
    return {};
}

Result<void> readFigures(const JsonReader &root, GpuSpec &spec)
{
    for (const IntegerField &field : integerFields) {
        if (!root.has(field.key) && !field.required) continue;
        const auto value = root.member(field.key).and_then(&JsonReader::integer);
        if (!value) return std::unexpected(value.error());
        if (*value <= 0 || *value > std::numeric_limits<int>::max())
            return root.member(field.key)->refuse(QStringLiteral("expected a positive whole number"));
        spec.*field.member = int(*value);
    }
    for (const NumberField &field : numberFields) {
        if (!root.has(field.key) && !field.required) continue;
        const auto value = root.member(field.key).and_then(&JsonReader::number);
        if (!value) return std::unexpected(value.error());
        if (*value <= 0) return root.member(field.key)->refuse(QStringLiteral("expected a positive number"));
        spec.*field.member = *value;
    }
    return {};
}

} // namespace

Result<GpuSpec> GpuSpec::read(const QString &path)
{
    const Result<JsonReader> root = JsonReader::open(path, QStringLiteral("gpu"));
    if (!root) return std::unexpected(root.error());
    GpuSpec spec;
    for (const auto &[key, target] : {std::pair{"id", &spec.id}, std::pair{"name", &spec.name},
                                      std::pair{"architecture", &spec.architecture}})
        if (const auto done = readText(*root, key, *target); !done) return std::unexpected(done.error());
    if (!spec.architecture.startsWith(u"sm_"))
        return root->member("architecture")->refuse(QStringLiteral("expected \"sm_\" and digits, such as \"sm_90\""));
    if (const auto done = readFigures(*root, spec); !done) return std::unexpected(done.error());
    if (const auto done = readNumbers(*root, "latencies", spec.latencies); !done) return std::unexpected(done.error());
    if (const auto done = readNumbers(*root, "rates", spec.rates); !done) return std::unexpected(done.error());
    if (const auto done = readProvenance(*root, spec.provenance); !done) return std::unexpected(done.error());
    spec.model = root->value().toObject().value(u"model").toObject();
    return spec;
}

Result<GpuSpec> GpuSpec::find(const QString &id)
{
    const QString path = paths::resources() + QStringLiteral("/gpus/") + id + QStringLiteral(".json");
    // An id is a plain name: no way out of the folder.
    if (id.isEmpty() || id.contains(u'/') || !QFileInfo::exists(path)) {
        return failure(QStringLiteral("gpu.unknown"), QStringLiteral("There is no GPU \"%1\"; known are: %2.")
                                                          .arg(id, available().join(QStringLiteral(", "))));
    }
    return read(path);
}

QStringList GpuSpec::available()
{
    QStringList ids;
    const QDir folder(paths::resources() + QStringLiteral("/gpus"));
    const QFileInfoList files = folder.entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
    for (const QFileInfo &file : files) ids.append(file.completeBaseName());
    return ids;
}

} // namespace kernelskill
