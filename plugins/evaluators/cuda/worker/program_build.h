// SPDX-License-Identifier: Apache-2.0
// From source to a shared library for one GPU, by nvcc in a sandbox.
#pragma once

#include "build_cache.h"
#include "request.h"
#include "toolkit.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kernelskill::cuda {

struct KernelResources // as ptxas tells them
{
    std::string kernel; // demangled, without parameters' names
    int registers = 0;
    std::int64_t spillBytes = 0, sharedBytes = 0;
    std::string symbol = {}; // mangled, as the binary has it
};
[[nodiscard]] std::vector<KernelResources> resourcesIn(const std::string &compilerOutput);

struct Build
{
    bool ok = false, cached = false, timedOut = false;
    double seconds = 0;
    std::string folder;  // the cache's entry
    std::string library; // candidate.so in it
    std::string object;  // the candidate's own part of it, before it was linked with others; empty when not kept
    std::string log;     // what the compiler said
    std::string ptx, sass;
    std::vector<KernelResources> resources;
    [[nodiscard]] nlohmann::json toJson() const;
};

// Its functions may be called from several threads at once. Compilers end with the thread that started them.
class Builder
{
public:
    // `dataFolder` has counter.cpp and supervisor_kernels.cu.
    Builder(Toolkit toolkit, std::string architecture, std::string dataFolder, bool unconfined, int limit_ms);

    // False with `error` when the surroundings keep it from building; a program that does not compile is a Build that
    // says so.
    [[nodiscard]] bool build(const Program &program, Build &result, std::string &error);
    // The supervisor's own kernels; the path of their cubin.
    [[nodiscard]] bool buildTools(std::string &cubin, std::string &error);

private:
    struct Job;
    [[nodiscard]] bool run(const Job &job, Build &result, std::string &error);
    [[nodiscard]] bool compile(const Job &job, const std::string &folder, Build &result, std::string &error);
    void describe(Build &result) const;
    Toolkit m_toolkit;
    std::string m_architecture, m_dataFolder;
    bool m_unconfined;
    int m_limit_ms;
    BuildCache m_cache;
};

} // namespace kernelskill::cuda
