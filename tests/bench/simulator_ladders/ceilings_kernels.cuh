// SPDX-License-Identifier: Apache-2.0
// The kernels of ceilings.cu: each keeps one unit of the GPU busy, or one chain of dependent steps going.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace {

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

// One warp reads whole lines, `lines` of them one after the other, `passes` times; `slow` counts, in the last pass, those that
// took longer than `limit` cycles, which L1 did not have any more. `writes`: each line of another array is written in between.
__global__ void readAgain(const float *from, float *other, int lines, int passes, bool writes, int limit, long long *slow)
{
    long long late = 0;
    float sum = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (int line = 0; line < lines; ++line) {
            const long long begin = clock64();
            float value;
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value) : "l"(from + line * 32 + threadIdx.x) : "memory");
            sum += value; // waits for it
            const long long took = clock64() - begin + (__float_as_int(sum) == 1);
            if (pass == passes - 1)
                late += took > limit;
            if (writes)
                other[line * 32 + threadIdx.x] = sum;
        }
    if (threadIdx.x == 0)
        slow[0] = late;
    other[threadIdx.x] = sum;
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

} // namespace
