// SPDX-License-Identifier: Apache-2.0
// What the GPU itself can do: bandwidths, pipe rates, latencies, launch costs. Prints one JSON object.
// Rates are thread instructions a cycle of one SM, taken by that SM's own clock in one block of 1024 threads, so they
// do not depend on the clock frequency. Latencies are cycles from issue to use, one thread in a dependent chain.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

bool firstField = true;
void report(const std::string &name, double value)
{
    std::printf("%s\n  \"%s\": %.5g", firstField ? "" : ",", name.c_str(), value);
    std::fflush(stdout);
    firstField = false;
}

double medianOf(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

__global__ void wait(long long nanoseconds)
{
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
}

// Median duration of what `work` queues, in microseconds. The GPU is kept busy first, for as long as the host needs to
// queue it all, so that the host's launch cost is hidden.
double time_us(const std::function<void()> &work, int samples = 15, double busy_us = 60,
               const std::function<void()> &before = [] {})
{
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    std::vector<double> all;
    for (int i = 0; i < samples + 3; ++i) {
        before();
        wait<<<1, 1>>>((long long)(busy_us * 1000));
        check(cudaEventRecord(begin), "record");
        work();
        check(cudaEventRecord(end), "record");
        check(cudaDeviceSynchronize(), "work");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
        if (i >= 3)
            all.push_back(ms * 1000.0);
    }
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    return medianOf(all);
}

// ------------------------------------------------------------------------------------------------ bandwidths

__global__ void copyAll(const float4 *from, float4 *to, std::size_t n)
{
    const std::size_t first = blockIdx.x * std::size_t(blockDim.x) * 4 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + i * blockDim.x < n)
            v[i] = from[first + i * blockDim.x];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + i * blockDim.x < n)
            to[first + i * blockDim.x] = v[i];
}

__global__ void writeAll(float4 *to, std::size_t n)
{
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i < n)
        to[i] = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
}

template <int vectors> __global__ void readAll(const float4 *from, std::size_t n, float *sink)
{
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    float sum = 0.0f;
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    for (; i + (vectors - 1) * stride < n; i += vectors * stride) {
        float4 v[vectors];
#pragma unroll
        for (int j = 0; j < vectors; ++j)
            v[j] = __ldcg(from + i + j * stride);
#pragma unroll
        for (int j = 0; j < vectors; ++j)
            sum += v[j].x + v[j].y + v[j].z + v[j].w;
    }
    for (; i < n; i += stride)
        sum += __ldcg(from + i).x;
    if (sum == 12345.0f)
        *sink = sum;
}

// Four loads of one word each in flight a thread, one 128-byte line a warp and load.
__global__ void readWords(const float *from, std::size_t n, float *sink)
{
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    float sum = 0.0f;
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i + 3 * stride < n; i += 4 * stride) {
        float v[4];
#pragma unroll
        for (int j = 0; j < 4; ++j)
            v[j] = __ldcg(from + i + j * stride);
#pragma unroll
        for (int j = 0; j < 4; ++j)
            sum += v[j];
    }
    if (sum == 12345.0f)
        *sink = sum;
}

__global__ void readResident(const float4 *from, int n, int rounds, float *sink)
{
    float sum = 0.0f;
    const int stride = gridDim.x * blockDim.x;
    for (int r = 0; r < rounds; ++r) {
#pragma unroll 4
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
            const float4 v = __ldcg(from + i);
            sum += v.x + v.y + v.z + v.w;
        }
    }
    if (sum == 12345.0f)
        *sink = sum;
}

// ------------------------------------------------------------------------------------------------ rates of one SM

__device__ long long blockCycles(long long begin)
{
    __syncthreads();
    return clock64() - begin;
}

// OP is one asm statement on lane values a[i] (float), k[i] (int) and so on; CHAINS of them are independent.
#define RATE_KERNEL(NAME, TYPE, INIT, STATEMENT, CHAINS)                                                               \
    __global__ void NAME(long long *cycles, int rounds, TYPE *sink)                                                    \
    {                                                                                                                  \
        TYPE a[CHAINS];                                                                                                \
        const TYPE b = INIT;                                                                                           \
        for (int i = 0; i < CHAINS; ++i)                                                                               \
            a[i] = TYPE(b + TYPE(i));                                                                                  \
        __syncthreads();                                                                                               \
        const long long begin = clock64();                                                                             \
        for (int r = 0; r < rounds; ++r) {                                                                             \
            _Pragma("unroll") for (int u = 0; u < 32 / CHAINS; ++u)                                                    \
            {                                                                                                          \
                _Pragma("unroll") for (int i = 0; i < CHAINS; ++i)                                                     \
                {                                                                                                      \
                    STATEMENT;                                                                                         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        const long long took = rounds > 0 && blockDim.x > 32 ? blockCycles(begin) : clock64() - begin;                 \
        TYPE sum = a[0];                                                                                               \
        for (int i = 1; i < CHAINS; ++i)                                                                               \
            sum = TYPE(sum + a[i]);                                                                                    \
        if (threadIdx.x == 0)                                                                                          \
            cycles[0] = took;                                                                                          \
        sink[threadIdx.x] = sum;                                                                                       \
    }

#define PAIR(NAME, TYPE, INIT, STATEMENT)                                                                              \
    RATE_KERNEL(NAME##Rate, TYPE, INIT, STATEMENT, 8)                                                                  \
    RATE_KERNEL(NAME##Chain, TYPE, INIT, STATEMENT, 1)

PAIR(ffma, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i]) : "f"(b)))
PAIR(fadd, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(b)))
PAIR(fmul, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(b)))
PAIR(fmax, float, 0.5f + threadIdx.x * 1e-6f,
     if (u % 2) asm volatile("max.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(b));
     else asm volatile("min.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(b)))
PAIR(dfma, double, 0.5 + threadIdx.x * 1e-6, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(a[i]) : "d"(b)))
PAIR(imad, int, int(threadIdx.x) | 3, asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(a[i]) : "r"(b)))
PAIR(ixor, int, int(threadIdx.x) | 3,
     if (u % 2) asm volatile("xor.b32 %0, %0, %1;" : "+r"(a[i]) : "r"(b));
     else asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(a[i])))
PAIR(shift, int, int(threadIdx.x) | 3, asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(a[i]) : "r"(b)))
PAIR(popc, int, int(threadIdx.x) | 3, asm volatile("popc.b32 %0, %0;" : "+r"(a[i])))
PAIR(ex2, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a[i])))
PAIR(rsqrt, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a[i])))
PAIR(sin, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(a[i])))
PAIR(f2i, float, 0.5f + threadIdx.x * 1e-6f,
     asm volatile("{ .reg .s32 t; cvt.rni.s32.f32 t, %0; mov.b32 %0, t; }" : "+f"(a[i])))
PAIR(i2f, float, 0.5f + threadIdx.x * 1e-6f,
     asm volatile("{ .reg .s32 t; mov.b32 t, %0; cvt.rn.f32.s32 %0, t; }" : "+f"(a[i])))
PAIR(f2h, float, 0.5f + threadIdx.x * 1e-6f,
     asm volatile("{ .reg .b16 t; cvt.rn.f16.f32 t, %0; mov.b32 %0, {t, t}; }" : "+f"(a[i])))
PAIR(fdiv, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("div.rn.f32 %0, %1, %0;" : "+f"(a[i]) : "f"(b)))
PAIR(fsqrt, float, 0.5f + threadIdx.x * 1e-6f, asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(a[i])))
PAIR(prmt, int, int(threadIdx.x) | 3, asm volatile("prmt.b32 %0, %0, %1, 0x2146;" : "+r"(a[i]) : "r"(b)))
PAIR(lop3, int, int(threadIdx.x) | 3, asm volatile("lop3.b32 %0, %0, %1, %1, 0x1e;" : "+r"(a[i]) : "r"(b)))
PAIR(shfl, int, int(threadIdx.x), asm volatile("shfl.sync.bfly.b32 %0, %0, 5, 0x1f, 0xffffffff;" : "+r"(a[i])))
PAIR(vote, int, int(threadIdx.x),
     asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 3; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "+r"(a[i])))
PAIR(hfma2, unsigned, 0x38003800u, asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a[i]) : "r"(b)))

// Adds that ptxas cannot join into three-operand ones: every sum is used by the next two.
__global__ void iaddRate(long long *cycles, int rounds, int *sink)
{
    int a[8], c[8];
    for (int i = 0; i < 8; ++i) {
        a[i] = threadIdx.x + i;
        c[i] = threadIdx.x * 3 + i;
    }
    __syncthreads();
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int u = 0; u < 2; ++u)
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                asm volatile("add.s32 %0, %0, %1;" : "+r"(a[i]) : "r"(c[i]));
                asm volatile("add.s32 %0, %0, %1;" : "+r"(c[i]) : "r"(a[i]));
            }
    }
    const long long took = blockCycles(begin);
    int sum = 0;
    for (int i = 0; i < 8; ++i)
        sum += a[i] ^ c[i];
    if (threadIdx.x == 0)
        cycles[0] = took;
    sink[threadIdx.x] = sum;
}

template <typename Word> __global__ void sharedRead(long long *cycles, int rounds, float *sink, int pitchWords)
{
    extern __shared__ float words[];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = 0.0f;
    __syncthreads();
    const unsigned base = unsigned(__cvta_generic_to_shared(words));
    const unsigned lane = base + (threadIdx.x % 32 * pitchWords * 4) % 8192;
    float sum = 0.0f;
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
        const unsigned at = lane + (r * 1040u & 0x3ff0u); // moves, so that the loads stay in the loop
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            if (sizeof(Word) == 4) {
                float v;
                asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at + u * 1024));
                sum += v;
            } else {
                float x, y, z, w;
                asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                             : "r"(at + u * 1024));
                sum += (x + y) + (z + w);
            }
        }
    }
    const long long took = blockCycles(begin);
    if (threadIdx.x == 0)
        cycles[0] = took;
    sink[threadIdx.x] = sum;
}

__global__ void sharedWrite(long long *cycles, int rounds, float *sink)
{
    extern __shared__ float words[];
    const unsigned at = unsigned(__cvta_generic_to_shared(words)) + threadIdx.x * 4;
    __syncthreads();
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int u = 0; u < 8; ++u)
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + u * 4096), "f"(1.0f) : "memory");
    }
    const long long took = blockCycles(begin);
    if (threadIdx.x == 0)
        cycles[0] = took;
    sink[threadIdx.x] = words[threadIdx.x];
}

// Lanes add to `addresses` different words, without using the result; pitch 0: to random ones of that many, another
// set every time. warpPitch sets warps apart (0: all warps use the same words).
template <bool random>
__global__ void sharedAdd(long long *cycles, int rounds, int *sink, int addresses, int pitch, int warpPitch)
{
    extern __shared__ int counters[];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        counters[i] = 0;
    __syncthreads();
    unsigned state = (threadIdx.x + 1) * 2654435761u;
    state = (state ^ (state >> 15)) * 0x2c1b3c6du;
    state = (state ^ (state >> 12)) * 0x297a2d39u;
    state ^= state >> 15;
    const unsigned base = unsigned(__cvta_generic_to_shared(counters)) + threadIdx.x / 32 * warpPitch * 4;
    const unsigned fixed = base + threadIdx.x % addresses * pitch * 4;
    const unsigned mask = addresses - 1;
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            const unsigned at = random ? base + ((state >> (u * 3)) & mask) * 4 : fixed;
            asm volatile("red.shared.add.s32 [%0], 1;" ::"r"(at) : "memory");
        }
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
    const long long took = blockCycles(begin);
    if (threadIdx.x == 0)
        cycles[0] = took;
    sink[threadIdx.x] = counters[threadIdx.x];
}

// vectors: 1 reads words, 4 reads float4; every warp reads 16 KiB of its block again and again through L1.
template <int vectors> __global__ void l1Read(long long *cycles, int rounds, const float *from, float *sink)
{
    float sum = 0.0f;
    const float *lane = from + threadIdx.x % 512 * vectors;
    for (int u = 0; u < 5; ++u)
        sum += lane[u * 512 * vectors];
    __syncthreads();
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
        const float *mine = lane + (r & 7) * 32 * vectors;
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            if (vectors == 1) {
                float v;
                asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(mine + u * 512));
                sum += v;
            } else {
                float x, y, z, w;
                asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                             : "l"(mine + u * 2048));
                sum += (x + y) + (z + w);
            }
        }
    }
    const long long took = blockCycles(begin);
    if (threadIdx.x == 0)
        cycles[0] = took;
    sink[threadIdx.x] = sum;
}

// Each lane reads another line (32 sectors a request, 32 banks), all of them in L1.
__global__ void l1Scatter(long long *cycles, int rounds, const float *from, float *sink)
{
    float sum = 0.0f;
    const float *lane = from + threadIdx.x % 32 * 32 + threadIdx.x % 32;
    for (int u = 0; u < 5; ++u)
        sum += lane[u * 1024];
    __syncthreads();
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
        const float *mine = lane + (r & 7) * 32;
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            float v;
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(mine + u * 1024));
            sum += v;
        }
    }
    const long long took = blockCycles(begin);
    if (threadIdx.x == 0)
        cycles[0] = took;
    sink[threadIdx.x] = sum;
}

__global__ void barriers(long long *cycles, int rounds, float *sink)
{
    __syncthreads();
    const long long begin = clock64();
    for (int r = 0; r < rounds; ++r)
        __syncthreads();
    if (threadIdx.x == 0)
        cycles[0] = clock64() - begin;
    sink[threadIdx.x] = 0.0f;
}

// ------------------------------------------------------------------------------------------------ latencies

template <bool cachedInL1> __global__ void chase(const unsigned *next, int steps, long long *cycles, unsigned *sink)
{
    const char *base = reinterpret_cast<const char *>(next);
    unsigned at = 0;
    for (int i = 0; i < (cachedInL1 ? 2 * steps : 16); ++i)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(base + at));
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i) {
        if (cachedInL1)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(base + at) : "memory");
        else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(base + at) : "memory");
    }
    cycles[0] = clock64() - begin;
    *sink = at;
}

__global__ void chaseShared(int steps, long long *cycles, unsigned *sink)
{
    __shared__ unsigned next[256];
    const unsigned base = unsigned(__cvta_generic_to_shared(next));
    for (int i = 0; i < 256; ++i)
        next[i] = base + (i + 1) % 256 * 4;
    unsigned at = base;
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    cycles[0] = clock64() - begin;
    *sink = at;
}

__global__ void chaseAtomics(int steps, unsigned *global, long long *cycles, unsigned *sink)
{
    __shared__ unsigned word;
    word = 0;
    unsigned value = 0;
    long long begin = clock64();
    for (int i = 0; i < steps; ++i)
        value = atomicAdd(&word, value & 1u);
    cycles[0] = clock64() - begin;
    begin = clock64();
    for (int i = 0; i < steps; ++i)
        value = atomicAdd(global, value & 1u);
    cycles[1] = clock64() - begin;
    *sink = value;
}

__constant__ unsigned constantNext[1024];
__global__ void chaseConstant(int steps, long long *cycles, unsigned *sink)
{
    unsigned at = 0;
    for (int i = 0; i < steps; ++i)
        at = constantNext[at];
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i)
        at = constantNext[at];
    cycles[0] = clock64() - begin;
    *sink = at;
}

// ------------------------------------------------------------------------------------------------ whole device

__global__ void fmaAll(int rounds, float *sink, long long *clocks)
{
    float a[8];
    for (int i = 0; i < 8; ++i)
        a[i] = threadIdx.x * 1e-3f + i;
    long long beginCycles = clock64(), beginNs, endNs;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(beginNs));
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int u = 0; u < 8; ++u)
#pragma unroll
            for (int i = 0; i < 8; ++i)
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i]) : "f"(0.5f));
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(endNs));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        clocks[0] = clock64() - beginCycles;
        clocks[1] = endNs - beginNs;
    }
    float sum = 0.0f;
    for (int i = 0; i < 8; ++i)
        sum += a[i];
    if (sum == 12345.0f)
        *sink = sum;
}

__global__ void nothing() {}

// pitch 0: all at one address, by one atomic a thread (the compiler joins those of a warp unless the value differs).
template <typename Element> __global__ void globalAdd(Element *to, int pitch, int mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(to + ((i * pitch) & mask), Element(1 + (i & 1)));
}

// One of the first `words` at random a lane, a power of two.
__global__ void globalAddRandom(int *to, unsigned words)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u;
    state = (state ^ (state >> 15)) * 0x2c1b3c6du;
    state = (state ^ (state >> 12)) * 0x297a2d39u;
    atomicAdd(to + ((state ^ (state >> 15)) & (words - 1)), 1);
}

long long *cyclesOnDevice;
float *sink;

template <typename Launch> long long cyclesOf(const Launch &launch)
{
    launch();
    launch();
    check(cudaDeviceSynchronize(), "rate");
    long long cycles = 0;
    check(cudaMemcpy(&cycles, cyclesOnDevice, sizeof cycles, cudaMemcpyDeviceToHost), "copy");
    return cycles;
}

void bandwidths()
{
    const std::size_t bytes = std::size_t(2) << 30;
    float4 *a, *b;
    check(cudaMalloc(&a, bytes), "cudaMalloc");
    check(cudaMalloc(&b, bytes), "cudaMalloc");
    check(cudaMemset(a, 0, bytes), "memset");
    check(cudaMemset(b, 0, bytes), "memset");
    const std::size_t n = bytes / 16;
    double t = time_us([&] { cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice); });
    report("memcpy_device_to_device_gb_s", 2 * bytes / t / 1e3);
    t = time_us([&] { copyAll<<<int((n + 1023) / 1024), 256>>>(a, b, n); });
    report("copy_kernel_gb_s", 2 * bytes / t / 1e3);
    t = time_us([&] { readAll<4><<<132 * 8, 256>>>(a, n, sink); });
    report("read_kernel_gb_s", bytes / t / 1e3);
    t = time_us([&] { writeAll<<<int((n + 255) / 256), 256>>>(a, n); });
    report("write_kernel_gb_s", bytes / t / 1e3);
    for (int mib : {64, 128}) { // what a task of usual size reaches, all launch and tail effects in
        const std::size_t small = (std::size_t(mib) << 20) / 16;
        t = time_us([&] { copyAll<<<int((small + 1023) / 1024), 256>>>(a + 2 * small, b + 2 * small, small); });
        report("copy_kernel_" + std::to_string(mib) + "mib_warm_us", t);
    }
    // Little's law: how much an SM reads with few warps and 16 or 64 bytes in flight a thread.
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        const std::size_t part = (std::size_t(threads < 128 ? 64 : 512) << 20) / 16;
        t = time_us([&] { readWords<<<132, threads>>>(reinterpret_cast<const float *>(a), part * 4, sink); }, 5);
        report("read_gb_s_132_blocks_of_" + std::to_string(threads) + "_16_bytes_a_thread", part * 16 / t / 1e3);
        t = time_us([&] { readAll<4><<<132, threads>>>(a, part, sink); }, 5);
        report("read_gb_s_132_blocks_of_" + std::to_string(threads) + "_64_bytes_a_thread", part * 16 / t / 1e3);
    }
    for (int mib : {4, 8, 16, 24, 32, 40, 48, 64}) {
        const int elements = int((std::size_t(mib) << 20) / 16);
        const int rounds = 20;
        t = time_us([&] { readResident<<<132 * 4, 512>>>(a, elements, rounds, sink); }, 9);
        report("l2_read_gb_s_" + std::to_string(mib) + "mib", double(elements) * 16 * rounds / t / 1e3);
    }
    check(cudaFree(a), "free");
    check(cudaFree(b), "free");
}

#define REPORT_PAIR(NAME, TYPE, PER_STATEMENT)                                                                         \
    {                                                                                                                  \
        const int rounds = 256;                                                                                        \
        const long long many =                                                                                         \
            cyclesOf([&] { NAME##Rate<<<1, 1024>>>(cyclesOnDevice, rounds, reinterpret_cast<TYPE *>(sink)); });        \
        report("rate_" #NAME, 1024.0 * rounds * 4 * 8 * PER_STATEMENT / many);                                         \
        const long long one =                                                                                          \
            cyclesOf([&] { NAME##Chain<<<1, 32>>>(cyclesOnDevice, rounds, reinterpret_cast<TYPE *>(sink)); });         \
        report("latency_" #NAME, double(one) / (rounds * 32 * PER_STATEMENT));                                          \
    }

void pipes()
{
    REPORT_PAIR(ffma, float, 1)
    REPORT_PAIR(fadd, float, 1)
    REPORT_PAIR(fmul, float, 1)
    REPORT_PAIR(fmax, float, 1)
    REPORT_PAIR(dfma, double, 1)
    REPORT_PAIR(imad, int, 1)
    REPORT_PAIR(ixor, int, 1)
    REPORT_PAIR(shift, int, 1)
    REPORT_PAIR(popc, int, 1)
    REPORT_PAIR(ex2, float, 1)
    REPORT_PAIR(rsqrt, float, 1)
    REPORT_PAIR(sin, float, 1)
    REPORT_PAIR(f2i, float, 1)
    REPORT_PAIR(i2f, float, 1)
    REPORT_PAIR(f2h, float, 1)
    REPORT_PAIR(fdiv, float, 1)
    REPORT_PAIR(fsqrt, float, 1)
    REPORT_PAIR(prmt, int, 1)
    REPORT_PAIR(lop3, int, 1)
    REPORT_PAIR(shfl, int, 1)
    REPORT_PAIR(vote, int, 1)
    REPORT_PAIR(hfma2, unsigned, 1)
    const int rounds = 256;
    report("rate_iadd", 1024.0 * rounds * 32 /
                            cyclesOf([&] { iaddRate<<<1, 1024>>>(cyclesOnDevice, rounds, (int *)sink); }));
    const int shared = 65536;
    check(cudaFuncSetAttribute(sharedRead<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    check(cudaFuncSetAttribute(sharedRead<float4>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    check(cudaFuncSetAttribute(sharedWrite, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    for (int pitch : {0, 1, 2, 4, 8, 16, 32})
        report("shared_read_warp_cycles_pitch_" + std::to_string(pitch),
               cyclesOf([&] { sharedRead<float><<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink, pitch); }) /
                   (32.0 * rounds * 8));
    report("shared_read_bytes_a_cycle", 1024.0 * rounds * 8 * 4 / cyclesOf([&] {
                                            sharedRead<float><<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink, 1);
                                        }));
    report("shared_read_float4_bytes_a_cycle", 1024.0 * rounds * 8 * 16 / cyclesOf([&] {
                                                   sharedRead<float4>
                                                       <<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink, 4);
                                               }));
    report("shared_write_bytes_a_cycle", 1024.0 * rounds * 8 * 4 / cyclesOf([&] {
                                             sharedWrite<<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink);
                                         }));
    const struct { const char *name; int addresses, pitch, warpPitch; } patterns[] = {
        {"distinct_banks", 32, 1, 32}, {"distinct_banks_same_words_all_warps", 32, 1, 0},
        {"random_of_256", 256, 0, 0}, {"random_of_256_own_of_each_warp", 256, 0, 256},
        {"random_of_32_own_of_each_warp", 32, 0, 256}, {"two_lanes_an_address", 16, 1, 32},
        {"four_lanes_an_address", 8, 1, 32}, {"one_address", 1, 1, 32}, {"one_address_all_warps", 1, 1, 0},
        {"one_bank", 32, 32, 256}};
    for (const auto &pattern : patterns)
        report(std::string("shared_add_warp_cycles_") + pattern.name, cyclesOf([&] {
                   (pattern.pitch ? sharedAdd<false> : sharedAdd<true>)<<<1, 1024, 40960>>>(
                       cyclesOnDevice, rounds, (int *)sink, pattern.addresses, pattern.pitch, pattern.warpPitch);
               }) / (32.0 * rounds * 8));
    float *small;
    check(cudaMalloc(&small, 1 << 20), "cudaMalloc");
    check(cudaMemset(small, 0, 1 << 20), "memset");
    report("l1_read_bytes_a_cycle", 1024.0 * rounds * 4 * 4 / cyclesOf([&] {
                                        l1Read<1><<<1, 1024>>>(cyclesOnDevice, rounds, small, sink);
                                    }));
    report("l1_read_float4_bytes_a_cycle", 1024.0 * rounds * 4 * 16 / cyclesOf([&] {
                                               l1Read<4><<<1, 1024>>>(cyclesOnDevice, rounds, small, sink);
                                           }));
    report("l1_read_32_lines_warp_cycles", cyclesOf([&] {
               l1Scatter<<<1, 1024>>>(cyclesOnDevice, rounds, small, sink);
           }) / (32.0 * rounds * 4));
    check(cudaFree(small), "free");
    for (int threads : {32, 128, 256, 512, 1024})
        report("barrier_cycles_" + std::to_string(threads) + "_threads",
               double(cyclesOf([&] { barriers<<<1, threads>>>(cyclesOnDevice, 1024, sink); })) / 1024);
}

// A random cycle through `bytes` of memory, one word a 128-byte line.
unsigned *chain(std::size_t bytes)
{
    const std::size_t lines = bytes / 128;
    std::vector<unsigned> order(lines), words(bytes / 4, 0);
    std::iota(order.begin(), order.end(), 0u);
    std::mt19937 random(7);
    std::shuffle(order.begin() + 1, order.end(), random);
    for (std::size_t i = 0; i < lines; ++i)
        words[std::size_t(order[i]) * 32] = order[(i + 1) % lines] * 128u;
    unsigned *device;
    check(cudaMalloc(&device, bytes), "cudaMalloc");
    check(cudaMemcpy(device, words.data(), bytes, cudaMemcpyHostToDevice), "copy");
    return device;
}

void latencies()
{
    unsigned *unsignedSink = reinterpret_cast<unsigned *>(sink);
    unsigned *small = chain(16 << 10), *middle = chain(4 << 20), *large = chain(std::size_t(2) << 30);
    report("latency_l1", cyclesOf([&] { chase<true><<<1, 1>>>(small, 1024, cyclesOnDevice, unsignedSink); }) / 1024.0);
    // Every line of the 4 MiB once, so the second of cyclesOf's two runs finds all in L2.
    report("latency_l2", cyclesOf([&] { chase<false><<<1, 1>>>(middle, 32768, cyclesOnDevice, unsignedSink); }) /
                             32768.0);
    // Two runs of the same few lines would hit L2: the L2 is overwritten before the measured one.
    float4 *other;
    const std::size_t otherBytes = std::size_t(256) << 20;
    check(cudaMalloc(&other, otherBytes), "cudaMalloc");
    report("latency_dram_2gib", cyclesOf([&] {
               readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink);
               chase<false><<<1, 1>>>(large, 4096, cyclesOnDevice, unsignedSink);
           }) / 4096.0);
    unsigned *local = chain(std::size_t(64) << 20);
    report("latency_dram_64mib", cyclesOf([&] {
               readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink);
               chase<false><<<1, 1>>>(local, 4096, cyclesOnDevice, unsignedSink);
           }) / 4096.0);
    report("latency_shared", cyclesOf([&] { chaseShared<<<1, 1>>>(4096, cyclesOnDevice, unsignedSink); }) / 4096.0);
    std::vector<unsigned> words(1024);
    for (unsigned i = 0; i < 1024; ++i)
        words[i] = (i + 1) % 64;
    check(cudaMemcpyToSymbol(constantNext, words.data(), 4096), "constant");
    report("latency_constant_indexed",
           cyclesOf([&] { chaseConstant<<<1, 1>>>(1024, cyclesOnDevice, unsignedSink); }) / 1024.0);
    cyclesOf([&] { chaseAtomics<<<1, 1>>>(1024, small, cyclesOnDevice, unsignedSink); });
    long long both[2];
    check(cudaMemcpy(both, cyclesOnDevice, sizeof both, cudaMemcpyDeviceToHost), "copy");
    report("latency_shared_atomic", both[0] / 1024.0);
    report("latency_global_atomic", both[1] / 1024.0);
    check(cudaFree(small), "free");
    check(cudaFree(middle), "free");
    check(cudaFree(large), "free");
    check(cudaFree(local), "free");
    check(cudaFree(other), "free");
}

void wholeDevice()
{
    const int rounds = 20000;
    const double t = time_us([&] { fmaAll<<<132 * 2, 1024>>>(rounds, sink, cyclesOnDevice); }, 7);
    report("fp32_fma_tflops", 2.0 * 132 * 2 * 1024 * rounds * 64 / t / 1e6);
    long long clocks[2];
    check(cudaMemcpy(clocks, cyclesOnDevice, sizeof clocks, cudaMemcpyDeviceToHost), "copy");
    report("sm_clock_mhz_during_fma", 1e3 * clocks[0] / clocks[1]);

    report("empty_kernel_event_pair_us", time_us([&] { nothing<<<1, 32>>>(); }, 51));
    report("two_empty_kernels_event_pair_us", time_us([&] {
               nothing<<<1, 32>>>();
               nothing<<<1, 32>>>();
           }, 51));
    report("event_pair_us", time_us([] {}, 51));
    report("empty_kernels_back_to_back_us", time_us([&] {
                                                for (int i = 0; i < 500; ++i)
                                                    nothing<<<1, 32>>>();
                                            }, 9, 4000) / 500);
    report("empty_kernels_full_grid_back_to_back_us", time_us([&] {
                                                          for (int i = 0; i < 500; ++i)
                                                              nothing<<<132 * 8, 256>>>();
                                                      }, 9, 4000) / 500);
    for (int threads : {32, 256, 1024})
        for (int blocks : {132, 13200, 132000})
            report("empty_grid_" + std::to_string(blocks) + "_blocks_of_" + std::to_string(threads) + "_us",
                   time_us([&] { nothing<<<blocks, threads>>>(); }));
    std::vector<double> host;
    for (int i = 0; i < 200; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        nothing<<<1, 32>>>();
        check(cudaDeviceSynchronize(), "launch");
        host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    report("launch_and_synchronise_host_us", medianOf(host));
    host.clear();
    for (int i = 0; i < 200; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        nothing<<<1, 32>>>();
        host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    check(cudaDeviceSynchronize(), "launch");
    report("launch_call_host_us", medianOf(host));
    report("memset_4_bytes_event_pair_us", time_us([&] { cudaMemsetAsync(sink, 0, 4); }, 51));
}

void atomics()
{
    int *words;
    check(cudaMalloc(&words, std::size_t(64) << 20), "cudaMalloc");
    check(cudaMemset(words, 0, std::size_t(64) << 20), "memset");
    const int blocks = 4096;
    const double adds = blocks * 256.0;
    auto *floats = reinterpret_cast<float *>(words);
    report("global_add_float_one_address_per_us", adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 0, 0); }));
    report("global_add_int_one_address_per_us", adds / time_us([&] { globalAdd<<<blocks, 256>>>(words, 0, 0); }));
    report("global_add_float_256_words_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 97, 255); }));
    report("global_add_int_256_words_per_us", adds / time_us([&] { globalAdd<<<blocks, 256>>>(words, 97, 255); }));
    report("global_add_float_coalesced_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 1, (1 << 20) - 1); }));
    report("global_add_float_scattered_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 9973, (1 << 20) - 1); }));
    // Where 256 words lie decides how many L2 slices share the work: the same at 64 places.
    std::vector<double> places;
    for (int i = 0; i < 64; ++i) {
        int *at = words + i * 262144 / 4 + i * 256;
        places.push_back(adds / time_us([&] { globalAdd<<<blocks, 256>>>(at, 97, 255); }, 5));
    }
    std::sort(places.begin(), places.end());
    report("global_add_int_256_words_at_64_places_least_per_us", places.front());
    report("global_add_int_256_words_at_64_places_median_per_us", places[32]);
    report("global_add_int_256_words_at_64_places_most_per_us", places.back());
    for (unsigned many : {32u, 256u, 4096u, 65536u, 1048576u})
        report("global_add_int_random_of_" + std::to_string(many) + "_words_per_us",
               adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, many); }));
    float4 *other;
    const std::size_t otherBytes = std::size_t(256) << 20;
    check(cudaMalloc(&other, otherBytes), "cudaMalloc");
    report("global_add_int_random_of_256_words_after_memset_per_us",
           adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, 256); }, 15, 60,
                          [&] { cudaMemsetAsync(words, 0, 1024); }));
    report("global_add_int_random_of_256_words_after_flush_per_us",
           adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, 256); }, 15, 60,
                          [&] { readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink); }));
    report("global_add_int_random_of_256_words_after_flush_and_memset_per_us",
           adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, 256); }, 15, 60, [&] {
               readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink);
               cudaMemsetAsync(words, 0, 1024);
           }));
    check(cudaFree(other), "free");
    // Whole sectors at once, a block's 256 lanes on the same 256 words: how histograms are merged.
    report("global_add_int_same_1024_bytes_coalesced_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(words, 1, 255); }));
    check(cudaFree(words), "free");
}

} // namespace

int main()
{
    check(cudaMalloc(&cyclesOnDevice, 64), "cudaMalloc");
    check(cudaMalloc(&sink, 65536), "cudaMalloc");
    std::printf("{");
    wholeDevice();
    pipes();
    atomics();
    latencies();
    bandwidths();
    std::printf("\n}\n");
    check(cudaDeviceSynchronize(), "end");
    return 0;
}
