// SPDX-License-Identifier: Apache-2.0
// A GPU as data: resources/gpus/<name>.json. Units in the names; every figure says whether it was measured.
#pragma once

#include "base/result.h"

#include <QJsonObject>
#include <QMap>
#include <QString>
#include <QStringList>

namespace kernelskill {

struct GpuSpec
{
    QString id;           // "h200"
    QString name;         // "NVIDIA H200"
    QString architecture; // "sm_90"
    int smCount = 0;
    double clock_mhz = 0;
    int maxThreadsPerSm = 2048, maxBlocksPerSm = 32, maxWarpsPerSm = 64;
    int registersPerSm = 65536, registerAllocationUnit = 256;
    int sharedBytesPerSm = 0, sharedBytesPerBlock = 0, l1BytesPerSm = 0;
    double l2Bytes = 0;
    double dram_gb_s = 0, l2_gb_s = 0; // achievable bandwidths
    double dramPeak_gb_s = 0;          // datasheet
    double fp32_tflops = 0, fp64_tflops = 0, fp16Tensor_tflops = 0, tf32Tensor_tflops = 0;
    double launch_us = 0;              // host-inclusive cost of one launch
    QMap<QString, double> latencies;   // cycles: alu, shared, l1, l2, dram, special, shuffle, barrier, …
    QMap<QString, double> rates;       // thread instructions per cycle per SM by pipe: fp32, integer, special, …
    QMap<QString, QString> provenance; // field → "measured", "datasheet", "assumed"
    QJsonObject model;                 // the time model's own fitted constants

    [[nodiscard]] static Result<GpuSpec> read(const QString &path);
    [[nodiscard]] static Result<GpuSpec> find(const QString &id); // in resources/gpus
    [[nodiscard]] static QStringList available();
};

} // namespace kernelskill
