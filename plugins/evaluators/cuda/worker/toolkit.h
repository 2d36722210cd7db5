// SPDX-License-Identifier: Apache-2.0
// NVIDIA's compiler and its companions on this machine.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace kernelskill::cuda {

struct Toolkit
{
    std::string nvcc;    // resolved path; KERNELSKILL_NVCC names another than the usual one
    std::string folder;  // the toolkit's root, to be readable where nvcc runs
    std::string version; // "13.0"
    int major = 0;
    std::string cuobjdump; // empty when there is none

    // `wanted` is nvcc's path; empty: the one in PATH or in the usual place. False with `error`: one sentence and what
    // to do.
    [[nodiscard]] static bool find(const std::string &wanted, Toolkit &toolkit, std::string &error);
    // False with `error` when a program built by this toolkit cannot run under this driver (13000: CUDA 13.0).
    [[nodiscard]] bool fitsDriver(int driverVersion, std::string &error) const;
};

// Where a program lies: in PATH or beside nvcc; empty when nowhere.
[[nodiscard]] std::string findTool(const std::string &name, const std::string &besides = {});
// ncu: the one KERNELSKILL_NCU names, else in PATH or beside nvcc; empty when there is none.
[[nodiscard]] std::string findNcu(const std::string &nvccFolder);
// What list_devices tells of this machine's tools: path, or null.
[[nodiscard]] nlohmann::json toolsFound();

} // namespace kernelskill::cuda
