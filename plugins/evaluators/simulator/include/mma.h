// SPDX-License-Identifier: Apache-2.0
// Warp-wide matrix products on tensor cores: nvcuda::wmma for half, bfloat16 and 8-bit integers (16 × 16 × 16, 32 × 8 × 16
// and 8 × 32 × 16), tf32 (16 × 16 × 8) and double (8 × 8 × 4).
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace nvcuda {
namespace wmma {

struct row_major
{
};
struct col_major
{
};
struct matrix_a
{
};
struct matrix_b
{
};
struct accumulator
{
};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 // held in a float
{
};
} // namespace precision

// Elements a lane holds, as the instructions give them out; which element is which is left open, as it is on a device.
template <class T, int Count, int Words> struct __ks_fragment_storage
{
    enum { num_elements = Count, num_storage_elements = Count };
    typedef T element_type;
    typedef T storage_element_type;
    T x[Count];
    __device__ int *__words() { return reinterpret_cast<int *>(x); }
    __device__ const int *__words() const { return reinterpret_cast<const int *>(x); }
};

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;

// A tile's factors: elements a lane holds of T, in so many words.
#define KS_FACTOR(use, M, N, K, T, held, count, words)                                                                 \
    template <class Layout>                                                                                            \
    class fragment<use, M, N, K, T, Layout> : public __ks_fragment_storage<held, count, words>                         \
    {                                                                                                                  \
    };
#define KS_SUMS(M, N, K, T, count, words)                                                                              \
    template <> class fragment<accumulator, M, N, K, T> : public __ks_fragment_storage<T, count, words>                \
    {                                                                                                                  \
    };
#define KS_FACTORS(M, N, K, T, a, aWords, b, bWords)                                                                   \
    KS_FACTOR(matrix_a, M, N, K, T, T, a, aWords) KS_FACTOR(matrix_b, M, N, K, T, T, b, bWords)
#define KS_SHAPE(M, N, a, b)                                                                                           \
    KS_FACTORS(M, N, 16, __half, 16, 8, 16, 8)                                                                         \
    KS_FACTORS(M, N, 16, __nv_bfloat16, a, a / 2, b, b / 2)                                                            \
    KS_FACTORS(M, N, 16, signed char, a, a / 4, b, b / 4)                                                              \
    KS_FACTORS(M, N, 16, unsigned char, a, a / 4, b, b / 4)                                                            \
    KS_SUMS(M, N, 16, float, 8, 8)                                                                                     \
    KS_SUMS(M, N, 16, __half, 8, 4)                                                                                    \
    KS_SUMS(M, N, 16, int, 8, 8)
KS_SHAPE(16, 16, 8, 8)
KS_SHAPE(32, 8, 16, 4)
KS_SHAPE(8, 32, 4, 16)
KS_FACTOR(matrix_a, 16, 16, 8, precision::tf32, float, 4, 4)
KS_FACTOR(matrix_b, 16, 16, 8, precision::tf32, float, 4, 4)
KS_SUMS(16, 16, 8, float, 8, 8)
KS_FACTORS(8, 8, 4, double, 1, 2, 1, 2)
KS_SUMS(8, 8, 4, double, 2, 4)
#undef KS_FACTOR
#undef KS_FACTORS
#undef KS_SUMS
#undef KS_SHAPE

template <class Layout> constexpr int __ks_column_major = 0;
template <> inline constexpr int __ks_column_major<col_major> = 1;

#define KS_WMMA static __device__ __forceinline__

template <class T, int Count, int Words, class V>
KS_WMMA void fill_fragment(__ks_fragment_storage<T, Count, Words> &f, V value)
{
    for (int i = 0; i < Count; ++i)
        f.x[i] = static_cast<T>(value);
}
// Rounded to tf32's ten bits of mantissa, ties away from zero.
KS_WMMA float __float_to_tf32(float a)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(a));
    return __uint_as_float(bits);
}

// --- loads and stores
#define KS_LOAD(use, M, N, K, T, element, as, pointer, builtin)                                                        \
    template <class Layout>                                                                                            \
    KS_WMMA void load_matrix_sync(fragment<use, M, N, K, T, Layout> &f, const element *from, unsigned int stride)      \
    {                                                                                                                  \
        builtin(reinterpret_cast<as *>(f.x), reinterpret_cast<const pointer *>(from), stride,                          \
                __ks_column_major<Layout>);                                                                            \
    }
#define KS_MOVE_SUMS(M, N, K, T, as, load, store)                                                                      \
    KS_WMMA void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned int stride,            \
                                  layout_t layout)                                                                     \
    {                                                                                                                  \
        if (layout == mem_row_major)                                                                                   \
            load(reinterpret_cast<as *>(f.x), reinterpret_cast<const as *>(from), stride, 0);                          \
        else                                                                                                           \
            load(reinterpret_cast<as *>(f.x), reinterpret_cast<const as *>(from), stride, 1);                          \
    }                                                                                                                  \
    KS_WMMA void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned int stride,             \
                                   layout_t layout)                                                                    \
    {                                                                                                                  \
        if (layout == mem_row_major)                                                                                   \
            store(reinterpret_cast<as *>(to), reinterpret_cast<const as *>(f.x), stride, 0);                           \
        else                                                                                                           \
            store(reinterpret_cast<as *>(to), reinterpret_cast<const as *>(f.x), stride, 1);                           \
    }
#define KS_SHAPE(M, N, shape)                                                                                          \
    KS_LOAD(matrix_a, M, N, 16, __half, __half, int, int, __hmma_##shape##_ld_a)                                       \
    KS_LOAD(matrix_b, M, N, 16, __half, __half, int, int, __hmma_##shape##_ld_b)                                       \
    KS_LOAD(matrix_a, M, N, 16, __nv_bfloat16, __nv_bfloat16, int, int, __mma_bf16_##shape##_ld_a)                     \
    KS_LOAD(matrix_b, M, N, 16, __nv_bfloat16, __nv_bfloat16, int, int, __mma_bf16_##shape##_ld_b)                     \
    KS_LOAD(matrix_a, M, N, 16, signed char, signed char, int, int, __imma_##shape##_ld_a_s8)                          \
    KS_LOAD(matrix_b, M, N, 16, signed char, signed char, int, int, __imma_##shape##_ld_b_s8)                          \
    KS_LOAD(matrix_a, M, N, 16, unsigned char, unsigned char, int, int, __imma_##shape##_ld_a_u8)                      \
    KS_LOAD(matrix_b, M, N, 16, unsigned char, unsigned char, int, int, __imma_##shape##_ld_b_u8)                      \
    KS_MOVE_SUMS(M, N, 16, float, float, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32)                         \
    KS_MOVE_SUMS(M, N, 16, __half, int, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)                          \
    KS_MOVE_SUMS(M, N, 16, int, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)
KS_SHAPE(16, 16, m16n16k16)
KS_SHAPE(32, 8, m32n8k16)
KS_SHAPE(8, 32, m8n32k16)
#undef KS_SHAPE
KS_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, int, int, __mma_tf32_m16n16k8_ld_a)
KS_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, int, int, __mma_tf32_m16n16k8_ld_b)
KS_MOVE_SUMS(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
KS_LOAD(matrix_a, 8, 8, 4, double, double, double, double, __dmma_m8n8k4_ld_a)
KS_LOAD(matrix_b, 8, 8, 4, double, double, double, double, __dmma_m8n8k4_ld_b)
KS_MOVE_SUMS(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
#undef KS_LOAD
#undef KS_MOVE_SUMS

// --- products: the layouts of a and b are part of the instruction
template <class A, class B>
constexpr int __ks_layouts = (__ks_column_major<A> ? 2 : 0) + (__ks_column_major<B> ? 1 : 0);

#define KS_MULTIPLY(M, N, K, T, D, C, factors, sumsD, sumsC, builtin)                                                  \
    template <class LA, class LB>                                                                                      \
    KS_WMMA void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,           \
                          const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C> &c)     \
    {                                                                                                                  \
        sumsD *to = reinterpret_cast<sumsD *>(d.x);                                                                    \
        const factors *left = reinterpret_cast<const factors *>(a.x), *right = reinterpret_cast<const factors *>(b.x); \
        const sumsC *from = reinterpret_cast<const sumsC *>(c.x);                                                      \
        if constexpr (__ks_layouts<LA, LB> == 0)                                                                       \
            builtin(to, left, right, from, 0, 0);                                                                      \
        else if constexpr (__ks_layouts<LA, LB> == 1)                                                                  \
            builtin(to, left, right, from, 1, 0);                                                                      \
        else if constexpr (__ks_layouts<LA, LB> == 2)                                                                  \
            builtin(to, left, right, from, 2, 0);                                                                      \
        else                                                                                                           \
            builtin(to, left, right, from, 3, 0);                                                                      \
    }
#define KS_SHAPE(M, N, shape)                                                                                          \
    KS_MULTIPLY(M, N, 16, __half, float, float, int, float, float, __hmma_##shape##_mma_f32f32)                        \
    KS_MULTIPLY(M, N, 16, __half, __half, __half, int, int, int, __hmma_##shape##_mma_f16f16)                          \
    KS_MULTIPLY(M, N, 16, __half, float, __half, int, float, int, __hmma_##shape##_mma_f32f16)                         \
    KS_MULTIPLY(M, N, 16, __half, __half, float, int, int, float, __hmma_##shape##_mma_f16f32)                         \
    KS_MULTIPLY(M, N, 16, __nv_bfloat16, float, float, int, float, float, __mma_bf16_##shape##_mma_f32)                \
    KS_MULTIPLY(M, N, 16, signed char, int, int, int, int, int, __imma_##shape##_mma_s8)                               \
    KS_MULTIPLY(M, N, 16, unsigned char, int, int, int, int, int, __imma_##shape##_mma_u8)
KS_SHAPE(16, 16, m16n16k16)
KS_SHAPE(32, 8, m32n8k16)
KS_SHAPE(8, 32, m8n32k16)
#undef KS_SHAPE
KS_MULTIPLY(16, 16, 8, precision::tf32, float, float, int, float, float, __mma_tf32_m16n16k8_mma_f32)
KS_MULTIPLY(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
#undef KS_MULTIPLY
#undef KS_WMMA

} // namespace wmma
} // namespace nvcuda

#pragma clang attribute pop
