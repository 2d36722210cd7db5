// SPDX-License-Identifier: Apache-2.0
// What a GPU can do at most: from its file in resources/gpus, else from what the driver says of it.
#pragma once

#include "cuda_device.h"
#include "profile/gpu_spec.h"

namespace kernelskill::cuda {

// The file whose name, architecture and number of multiprocessors fit. Without one, ceilings that no device of its kind
// exceeds; gpu.unknown when the driver says too little for that.
[[nodiscard]] Result<GpuSpec> specOf(const CudaDevice &device);

// {"dram_gb_s", …}: for a worker that computes distances from the roofline.
[[nodiscard]] QJsonObject ceilings(const GpuSpec &gpu);

} // namespace kernelskill::cuda
