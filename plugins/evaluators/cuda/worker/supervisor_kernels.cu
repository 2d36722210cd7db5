// SPDX-License-Identifier: Apache-2.0
// The supervisor's own kernels. Shipped as text and compiled once on the GPU's machine, for its GPU. Random bits are the
// kit's (core/kit/seeds.h, core/kit/poison.h), so that either side can check what the other wrote.

typedef unsigned long long u64;

__device__ u64 mixed(u64 x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}
__device__ u64 bits(u64 seed, u64 index) { return mixed(seed + (index + 1) * 0x9e3779b97f4a7c15ULL); }
__device__ u64 firstIndex() { return blockIdx.x * (u64)blockDim.x + threadIdx.x; }
__device__ u64 stride() { return gridDim.x * (u64)blockDim.x; }

__device__ void storeElement(unsigned char *target, u64 value, unsigned bytes)
{
    if (bytes == 8) *(u64 *)target = value;
    else if (bytes == 4) *(unsigned *)target = (unsigned)value;
    else if (bytes == 2) *(unsigned short *)target = (unsigned short)value;
    else *target = (unsigned char)value;
}
__device__ u64 loadElement(const unsigned char *source, unsigned bytes)
{
    if (bytes == 8) return *(const u64 *)source;
    if (bytes == 4) return *(const unsigned *)source;
    if (bytes == 2) return *(const unsigned short *)source;
    return *source;
}

extern "C" __global__ void kernelskill_poison(unsigned char *target, u64 count, unsigned bytes, u64 nan, u64 seed)
{
    for (u64 i = firstIndex(); i < count; i += stride()) storeElement(target + i * bytes, bits(seed, i) | nan, bytes);
}

// A guard's bytes, and the offset of the first that differs (all ones when none does).
extern "C" __global__ void kernelskill_guard(unsigned char *target, u64 bytes, u64 seed)
{
    for (u64 i = firstIndex(); i < bytes; i += stride())
        target[i] = (unsigned char)(bits(seed, i / 8) >> (i % 8 * 8));
}
extern "C" __global__ void kernelskill_check_guard(const unsigned char *target, u64 bytes, u64 seed, u64 *broken)
{
    for (u64 i = firstIndex(); i < bytes; i += stride())
        if (target[i] != (unsigned char)(bits(seed, i / 8) >> (i % 8 * 8))) atomicMin(broken, i);
}

// Fresh values with the properties of their distribution: of two draws of it each element takes one or the other, from
// another place on. What depends on an element's place changes, and so does what depends on all of them.
extern "C" __global__ void kernelskill_blend(unsigned char *target, const unsigned char *first,
                                             const unsigned char *second, u64 count, unsigned bytes, u64 offset, u64 seed)
{
    for (u64 i = firstIndex(); i < count; i += stride()) {
        u64 from = i + offset;
        if (from >= count) from -= count;
        const unsigned char *source = bits(seed, i) & 1 ? first : second;
        storeElement(target + i * bytes, loadElement(source + from * bytes, bytes), bytes);
    }
}

// Kinds of elements, as device_tools.cpp numbers them.
__device__ double number(const unsigned char *source, unsigned bytes, unsigned kind)
{
    const u64 raw = loadElement(source, bytes);
    if (kind == 0) return bytes == 8 ? __longlong_as_double((long long)raw) : (double)__uint_as_float((unsigned)raw);
    if (kind == 1) { // float16
        const unsigned sign = (unsigned)(raw >> 15) & 1, exponent = (unsigned)(raw >> 10) & 31, fraction = raw & 1023;
        double value;
        if (exponent == 31) value = fraction ? __longlong_as_double(0x7ff8000000000000LL) : __longlong_as_double(0x7ff0000000000000LL);
        else if (exponent == 0) value = ldexp((double)fraction, -24);
        else value = ldexp((double)(fraction + 1024), (int)exponent - 25);
        return sign ? -value : value;
    }
    if (kind == 2) return (double)__uint_as_float((unsigned)raw << 16); // bfloat16
    if (bytes == 8) return (double)(long long)raw;
    if (bytes == 4) return (double)(int)raw;
    return kind == 4 ? (double)(unsigned char)raw : (double)(signed char)raw;
}

// Error over allowed error, as core/kit/compare.cpp judges it.
__device__ double excess(double actual, double expected, bool exact, double absolute, double relative)
{
    const double infinity = __longlong_as_double(0x7ff0000000000000LL);
    if (isnan(expected)) return isnan(actual) ? 0 : infinity;
    if (isnan(actual)) return infinity;
    if (actual == expected) return 0;
    if (exact || isinf(expected) || isinf(actual)) return infinity;
    const double allowed = absolute + relative * fabs(expected);
    return allowed > 0 ? fabs(actual - expected) / allowed : infinity;
}

struct Verdict
{
    u64 mismatches, first; // index of the first, all ones when there is none
    u64 worst;             // bits of the largest excess, as float
};

extern "C" __global__ void kernelskill_compare(const unsigned char *actual, const unsigned char *expected, u64 count,
                                               unsigned bytes, unsigned kind, double absolute, double relative,
                                               Verdict *verdict)
{
    u64 mismatches = 0, first = ~0ULL;
    float worst = 0;
    for (u64 i = firstIndex(); i < count; i += stride()) {
        const u64 a = loadElement(actual + i * bytes, bytes), b = loadElement(expected + i * bytes, bytes);
        if (a == b) continue;
        const double over = excess(number(actual + i * bytes, bytes, kind), number(expected + i * bytes, bytes, kind),
                                   kind > 2, absolute, relative);
        worst = fmaxf(worst, (float)over);
        if (over <= 1) continue;
        ++mismatches;
        if (i < first) first = i;
    }
    if (worst > 0) atomicMax(&verdict->worst, (u64)__float_as_uint(worst));
    if (mismatches == 0) return;
    atomicAdd(&verdict->mismatches, mismatches);
    atomicMin(&verdict->first, first);
}

extern "C" __global__ void kernelskill_same(const unsigned char *first, const unsigned char *second, u64 count,
                                            unsigned bytes, u64 *same)
{
    u64 found = 0;
    for (u64 i = firstIndex(); i < count; i += stride())
        found += loadElement(first + i * bytes, bytes) == loadElement(second + i * bytes, bytes);
    if (found > 0) atomicAdd(same, found);
}

// Sum of the squares of all finite elements.
extern "C" __global__ void kernelskill_squares(const unsigned char *source, u64 count, unsigned bytes, unsigned kind,
                                               double *sum)
{
    double part = 0;
    for (u64 i = firstIndex(); i < count; i += stride()) {
        const double value = number(source + i * bytes, bytes, kind);
        if (isfinite(value)) part += value * value;
    }
    for (int step = 16; step > 0; step /= 2) part += __shfl_down_sync(0xffffffffu, part, step);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, part);
}

// Fills the L2 with lines that are clean. The data is all zeros, which the compiler does not know.
extern "C" __global__ void kernelskill_read(uint4 *source, u64 count)
{
    unsigned seen = 0;
    for (u64 i = firstIndex(); i < count; i += stride()) {
        const uint4 value = __ldcg(source + i);
        seen |= value.x | value.y | value.z | value.w;
    }
    if (seen != 0) source[0].x = 0;
}
