// SPDX-License-Identifier: Apache-2.0
// Checks and times the versions of one family on a GPU. measure.py writes the plan this program reads and builds each
// version, its reference and the two adapters call_solve and call_reference into one shared library.
//
// Plan, a line each: "lib <version> <path>", "tolerance <absolute> <relative>", "case <name>", and of the case
// "tensor in <dtype> <elements> <distribution> <a> <b>", "tensor out <dtype> <elements>", "scalar <value>".
// The case "time" is compared with the first version's output and timed; every other one is compared with the
// reference. With --profile only the case "time" runs, once a version, between marker kernels.
// Output: one JSON object a line.
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using CallSolve = void (*)(void **, const double *, cudaStream_t);
using CallReference = void (*)(void **, const double *);

struct Library
{
    std::string version;
    CallSolve solve = nullptr;
    CallReference reference = nullptr;
};

struct Tensor
{
    bool output = false;
    std::string dtype;
    std::size_t elements = 0;
    std::string distribution;
    double first = 0, second = 0;
    void *device = nullptr;
    [[nodiscard]] std::size_t bytes() const { return elements * (dtype == "uint8" ? 1 : dtype == "float16" ? 2 : 4); }
};

struct Case
{
    std::string name;
    std::vector<Tensor> tensors;
    std::vector<double> scalars;
};

struct Plan
{
    std::vector<Library> libraries;
    double absolute = 0, relative = 0;
    std::vector<Case> cases;
};

void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

__host__ __device__ std::uint64_t mix(std::uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

enum class Kind { Normal, Uniform, Integer };

// Element i of a tensor depends on the seed and i alone.
template <typename Element>
__global__ void generate(Element *to, std::size_t elements, std::uint64_t seed, Kind kind, double first, double second)
{
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < elements;
         i += std::size_t(gridDim.x) * blockDim.x) {
        const std::uint64_t bits = mix(seed ^ mix(i));
        const double u = ((bits >> 11) + 0.5) * 0x1p-53;
        double value = first + (second - first) * u;
        if (kind == Kind::Normal) {
            const double v = (mix(bits) >> 11) * 0x1p-53;
            value = first + second * sqrt(-2.0 * log(u)) * cospi(2.0 * v);
        } else if (kind == Kind::Integer) {
            value = floor(first + (second - first + 1.0) * u);
        }
        to[i] = Element(value);
    }
}

// Reads more than the L2 holds, so that nothing of an earlier run is left in it, neither data nor dirty lines.
__global__ void flushCache(const float4 *from, std::size_t elements, float *sink)
{
    float sum = 0.0f;
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < elements;
         i += std::size_t(gridDim.x) * blockDim.x)
        sum += from[i].x;
    if (sum == 12345.0f)
        *sink = sum;
}

__global__ void ladderMarker() {}

struct Difference
{
    double squares, reference; // sums of squares of the difference and of the expected values
    double largest;
    unsigned long long outside; // elements outside the tolerance
};

template <typename Element>
void accumulate(const std::vector<char> &got, const std::vector<char> &expected, double absolute, double relative,
                Difference &sum)
{
    const auto *a = reinterpret_cast<const Element *>(got.data());
    const auto *b = reinterpret_cast<const Element *>(expected.data());
    for (std::size_t i = 0; i < got.size() / sizeof(Element); ++i) {
        const double d = std::fabs(double(a[i]) - double(b[i]));
        sum.squares += d * d;
        sum.reference += double(b[i]) * double(b[i]);
        sum.largest = std::max(sum.largest, d);
        if (!(d <= absolute + relative * std::fabs(double(b[i]))))
            ++sum.outside;
    }
}

// The reference computes with float where the device has float16.
std::vector<char> widened(const std::vector<char> &halves)
{
    std::vector<char> floats(2 * halves.size());
    const auto *from = reinterpret_cast<const __half *>(halves.data());
    auto *to = reinterpret_cast<float *>(floats.data());
    for (std::size_t i = 0; i < halves.size() / sizeof(__half); ++i)
        to[i] = __half2float(from[i]);
    return floats;
}

std::vector<std::vector<char>> outputs(const Case &one)
{
    std::vector<std::vector<char>> all;
    for (const Tensor &tensor : one.tensors)
        if (tensor.output) {
            all.emplace_back(tensor.bytes());
            check(cudaMemcpy(all.back().data(), tensor.device, tensor.bytes(), cudaMemcpyDeviceToHost), "copy output");
            if (tensor.dtype == "float16")
                all.back() = widened(all.back());
        }
    return all;
}

void reportDifference(const Plan &plan, const Case &one, const Library &library,
                      const std::vector<std::vector<char>> &got, const std::vector<std::vector<char>> &expected)
{
    Difference sum{};
    std::size_t next = 0;
    for (const Tensor &tensor : one.tensors) {
        if (!tensor.output)
            continue;
        if (tensor.dtype == "float32" || tensor.dtype == "float16")
            accumulate<float>(got[next], expected[next], plan.absolute, plan.relative, sum);
        else if (tensor.dtype == "uint8")
            accumulate<std::uint8_t>(got[next], expected[next], plan.absolute, plan.relative, sum);
        else
            accumulate<std::int32_t>(got[next], expected[next], plan.absolute, plan.relative, sum);
        ++next;
    }
    const double norm = std::sqrt(sum.squares) / std::max(std::sqrt(sum.reference), 1e-30);
    std::printf("{\"check\": \"%s\", \"version\": \"%s\", \"relative_norm\": %.3e, \"largest\": %.3e, "
                "\"outside\": %llu}\n",
                one.name.c_str(), library.version.c_str(), std::isfinite(norm) ? norm : 1e30,
                std::isfinite(sum.largest) ? sum.largest : 1e30, sum.outside);
}

void fill(Case &one)
{
    std::uint64_t seed = 20240901;
    for (Tensor &tensor : one.tensors) {
        check(cudaMalloc(&tensor.device, tensor.bytes()), "cudaMalloc");
        if (tensor.output)
            continue;
        const Kind kind = tensor.distribution == "normal"    ? Kind::Normal
                          : tensor.distribution == "uniform" ? Kind::Uniform
                                                             : Kind::Integer;
        seed = mix(seed);
        if (tensor.dtype == "float32")
            generate<<<1024, 256>>>(static_cast<float *>(tensor.device), tensor.elements, seed, kind, tensor.first,
                                    tensor.second);
        else if (tensor.dtype == "float16")
            generate<<<1024, 256>>>(static_cast<__half *>(tensor.device), tensor.elements, seed, kind, tensor.first,
                                    tensor.second);
        else if (tensor.dtype == "int32")
            generate<<<1024, 256>>>(static_cast<std::int32_t *>(tensor.device), tensor.elements, seed, kind,
                                    tensor.first, tensor.second);
        else
            generate<<<1024, 256>>>(static_cast<std::uint8_t *>(tensor.device), tensor.elements, seed, kind,
                                    tensor.first, tensor.second);
    }
    check(cudaDeviceSynchronize(), "generate inputs");
}

void poison(const Case &one)
{
    for (const Tensor &tensor : one.tensors)
        if (tensor.output)
            check(cudaMemset(tensor.device, 0xff, tensor.bytes()), "poison");
}

void release(Case &one)
{
    for (Tensor &tensor : one.tensors)
        check(cudaFree(tensor.device), "cudaFree");
}

std::vector<void *> pointers(const Case &one)
{
    std::vector<void *> all;
    for (const Tensor &tensor : one.tensors)
        all.push_back(tensor.device);
    return all;
}

void runSolve(const Case &one, const Library &library, cudaStream_t stream)
{
    std::vector<void *> all = pointers(one);
    library.solve(all.data(), one.scalars.data(), stream);
}

std::vector<std::vector<char>> referenceOutputs(const Case &one, const Library &library)
{
    std::vector<std::vector<char>> buffers;
    std::vector<void *> all;
    for (const Tensor &tensor : one.tensors) {
        buffers.emplace_back(tensor.bytes());
        if (!tensor.output)
            check(cudaMemcpy(buffers.back().data(), tensor.device, tensor.bytes(), cudaMemcpyDeviceToHost), "copy");
        if (tensor.dtype == "float16")
            buffers.back() = widened(buffers.back());
    }
    for (auto &buffer : buffers)
        all.push_back(buffer.data());
    library.reference(all.data(), one.scalars.data());
    std::vector<std::vector<char>> result;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (one.tensors[i].output)
            result.push_back(std::move(buffers[i]));
    return result;
}

struct Timing
{
    std::vector<float> device_us, host_us;
};

// Events around one solve() that is already queued behind the flush, so that the host's launch cost is hidden.
Timing timeVersion(const Case &one, const Library &library, const float4 *flushFrom, std::size_t flushElements,
                   float *sink, cudaStream_t stream)
{
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    float last_us = 0;
    int warm = 0;
    while (warm < 3 || Clock::now() - start < std::chrono::milliseconds(60)) {
        check(cudaEventRecord(begin, stream), "record");
        runSolve(one, library, stream);
        check(cudaEventRecord(end, stream), "record");
        check(cudaStreamSynchronize(stream), "warm-up");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
        last_us = ms * 1000;
        ++warm;
    }
    const int samples = last_us > 5000 ? 21 : 51;
    Timing timing;
    for (int i = 0; i < samples; ++i) {
        flushCache<<<1056, 256, 0, stream>>>(flushFrom, flushElements, sink);
        flushCache<<<1056, 256, 0, stream>>>(flushFrom, flushElements, sink);
        check(cudaEventRecord(begin, stream), "record");
        runSolve(one, library, stream);
        check(cudaEventRecord(end, stream), "record");
        check(cudaStreamSynchronize(stream), "sample");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
        timing.device_us.push_back(ms * 1000);
    }
    for (int i = 0; i < 21; ++i) {
        flushCache<<<1056, 256, 0, stream>>>(flushFrom, flushElements, sink);
        check(cudaStreamSynchronize(stream), "flush");
        const auto from = Clock::now();
        runSolve(one, library, stream);
        check(cudaStreamSynchronize(stream), "sample");
        timing.host_us.push_back(std::chrono::duration<float, std::micro>(Clock::now() - from).count());
    }
    check(cudaGetLastError(), "timing");
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    return timing;
}

void printSamples(const char *name, const std::vector<float> &samples)
{
    std::printf("\"%s\": [", name);
    for (std::size_t i = 0; i < samples.size(); ++i)
        std::printf("%s%.3f", i ? ", " : "", samples[i]);
    std::printf("]");
}

Plan readPlan(const char *path)
{
    Plan plan;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "lib") {
            Library library;
            std::string where;
            words >> library.version >> where;
            void *handle = dlopen(where.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (!handle) {
                std::fprintf(stderr, "%s\n", dlerror());
                std::exit(1);
            }
            library.solve = reinterpret_cast<CallSolve>(dlsym(handle, "call_solve"));
            library.reference = reinterpret_cast<CallReference>(dlsym(handle, "call_reference"));
            plan.libraries.push_back(library);
        } else if (word == "tolerance") {
            words >> plan.absolute >> plan.relative;
        } else if (word == "case") {
            plan.cases.emplace_back();
            words >> plan.cases.back().name;
        } else if (word == "tensor") {
            Tensor tensor;
            std::string role;
            words >> role >> tensor.dtype >> tensor.elements;
            tensor.output = role == "out";
            if (!tensor.output)
                words >> tensor.distribution >> tensor.first >> tensor.second;
            plan.cases.back().tensors.push_back(tensor);
        } else if (word == "scalar") {
            double value = 0;
            words >> value;
            plan.cases.back().scalars.push_back(value);
        }
    }
    return plan;
}

void profile(Plan &plan, cudaStream_t stream)
{
    for (Case &one : plan.cases) {
        if (one.name != "time")
            continue;
        fill(one);
        poison(one);
        check(cudaProfilerStart(), "profiler");
        for (const Library &library : plan.libraries) {
            ladderMarker<<<1, 32, 0, stream>>>();
            runSolve(one, library, stream);
            check(cudaStreamSynchronize(stream), library.version.c_str());
        }
        check(cudaProfilerStop(), "profiler");
        release(one);
    }
}

void measure(Plan &plan, cudaStream_t stream)
{
    const std::size_t flushBytes = std::size_t(256) << 20;
    float4 *flushFrom = nullptr;
    float *sink = nullptr;
    check(cudaMalloc(&flushFrom, flushBytes), "cudaMalloc");
    check(cudaMalloc(&sink, sizeof(float)), "cudaMalloc");
    check(cudaMemset(flushFrom, 0, flushBytes), "memset");
    for (Case &one : plan.cases) {
        fill(one);
        std::vector<std::vector<char>> expected;
        if (one.name != "time")
            expected = referenceOutputs(one, plan.libraries.front());
        for (const Library &library : plan.libraries) {
            poison(one);
            runSolve(one, library, stream);
            check(cudaGetLastError(), library.version.c_str());
            check(cudaStreamSynchronize(stream), library.version.c_str());
            const auto got = outputs(one);
            if (expected.empty())
                expected = got; // the time size: the first version is the yardstick
            reportDifference(plan, one, library, got, expected);
            if (one.name == "time") {
                const Timing timing =
                    timeVersion(one, library, flushFrom, flushBytes / sizeof(float4), sink, stream);
                std::printf("{\"version\": \"%s\", ", library.version.c_str());
                printSamples("device_us", timing.device_us);
                std::printf(", ");
                printSamples("host_us", timing.host_us);
                std::printf("}\n");
            }
            std::fflush(stdout);
        }
        release(one);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: measure PLAN [--profile]\n");
        return 2;
    }
    Plan plan = readPlan(argv[1]);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    if (argc > 2 && std::strcmp(argv[2], "--profile") == 0)
        profile(plan, stream);
    else
        measure(plan, stream);
    check(cudaDeviceSynchronize(), "end");
    return 0;
}
