// SPDX-License-Identifier: Apache-2.0
#include "device_spec.h"

#include <QRegularExpression>

#include <algorithm>

namespace kernelskill::cuda {

namespace {

// "NVIDIA A100-SXM4-80GB" and "NVIDIA A100 SXM 80 GB" are told apart from others by the model alone: A100.
QString modelOf(const QString &name)
{
    static const QRegularExpression model(QStringLiteral("\\b(?:RTX\\s*)?[A-Z]{0,2}\\d{1,4}[A-Z]*\\b"));
    return model.match(name).captured().remove(u' ');
}

struct Throughput // of one multiprocessor in a cycle
{
    int architecture;     // compute capability × 10, from this one on
    int fp32, fp64, half; // multiply-adds; half: dense matrices
};

// CUDA C++ programming guide, "Throughput of native arithmetic instructions", and for matrices the vendor's
// architecture papers (dense half precision; the largest part of each generation).
constexpr Throughput throughputs[] = {
    {120, 128, 2, 512}, {100, 128, 64, 4096}, {90, 128, 64, 2048}, {89, 128, 2, 512},
    {86, 128, 2, 512},  {80, 64, 32, 1024},   {75, 64, 2, 512},    {70, 64, 32, 512},
};

const Throughput &throughputOf(int architecture)
{
    const auto found =
        std::ranges::find_if(throughputs, [&](const Throughput &one) { return architecture >= one.architecture; });
    return found == std::end(throughputs) ? throughputs[std::size(throughputs) - 1] : *found;
}

Result<GpuSpec> fromAttributes(const CudaDevice &device)
{
    const QJsonObject &facts = device.facts;
    GpuSpec spec;
    spec.id = device.name;
    spec.name = device.name;
    spec.architecture = device.architecture;
    spec.smCount = facts.value(u"multiprocessors").toInt();
    spec.clock_mhz = facts.value(u"clock_mhz").toDouble();
    spec.l2Bytes = facts.value(u"l2").toDouble();
    const double memoryClock_mhz = facts.value(u"memory_clock_mhz").toDouble();
    const double busBytes = facts.value(u"memory_bus_bits").toDouble() / 8;
    if (spec.smCount <= 0 || spec.clock_mhz <= 0 || memoryClock_mhz <= 0 || busBytes <= 0)
        return failure(QStringLiteral("gpu.unknown"),
                       QStringLiteral("the ceilings of %1 are not known; a file in resources/gpus would tell them")
                           .arg(device.name));
    const Throughput &rate = throughputOf(device.architecture.sliced(3).toInt());
    const double teraMultiplyAdds = 2e-6 * spec.smCount * spec.clock_mhz; // for each one a cycle of a multiprocessor
    spec.fp32_tflops = teraMultiplyAdds * rate.fp32;
    spec.fp64_tflops = teraMultiplyAdds * rate.fp64;
    spec.fp16Tensor_tflops = teraMultiplyAdds * rate.half;
    spec.tf32Tensor_tflops = spec.fp16Tensor_tflops / 2;
    spec.dramPeak_gb_s = 2e-3 * memoryClock_mhz * busBytes; // two transfers a cycle of the clock the driver names
    spec.dram_gb_s = 0.9 * spec.dramPeak_gb_s;
    spec.l2_gb_s = 1e-3 * 64 * spec.smCount * spec.clock_mhz; // 64 bytes a cycle into each multiprocessor
    for (const char *field : {"smCount", "clock_mhz", "l2Bytes", "dramPeak_gb_s"})
        spec.provenance.insert(QString::fromLatin1(field), QStringLiteral("driver"));
    for (const char *field :
         {"fp32_tflops", "fp64_tflops", "fp16Tensor_tflops", "tf32Tensor_tflops", "dram_gb_s", "l2_gb_s"})
        spec.provenance.insert(QString::fromLatin1(field), QStringLiteral("assumed"));
    return spec;
}

} // namespace

Result<GpuSpec> specOf(const CudaDevice &device)
{
    const int multiprocessors = device.facts.value(u"multiprocessors").toInt();
    for (const QString &id : GpuSpec::available()) {
        const auto spec = GpuSpec::find(id);
        if (!spec || spec->architecture != device.architecture) continue;
        const bool sameSize = multiprocessors == 0 || multiprocessors == spec->smCount;
        if (spec->name == device.name || (sameSize && modelOf(spec->name) == modelOf(device.name))) return *spec;
    }
    return fromAttributes(device);
}

QJsonObject ceilings(const GpuSpec &gpu)
{
    return {{QStringLiteral("dram_gb_s"), gpu.dram_gb_s},
            {QStringLiteral("dram_peak_gb_s"), gpu.dramPeak_gb_s},
            {QStringLiteral("l2_gb_s"), gpu.l2_gb_s},
            {QStringLiteral("fp32_tflops"), gpu.fp32_tflops},
            {QStringLiteral("fp64_tflops"), gpu.fp64_tflops},
            {QStringLiteral("fp16_tensor_tflops"), gpu.fp16Tensor_tflops},
            {QStringLiteral("tf32_tensor_tflops"), gpu.tf32Tensor_tflops}};
}

} // namespace kernelskill::cuda
