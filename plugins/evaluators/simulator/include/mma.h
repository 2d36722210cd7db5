// SPDX-License-Identifier: Apache-2.0
// Warp-wide matrix products on tensor cores: nvcuda::wmma for 16 x 16 x 16 tiles of half and bfloat16, with float or
// half sums.
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

// Elements a lane holds, as the instructions give them out; which element is which is left open, as it is on a device.
template <class T, int Count, int Words> struct __ks_fragment_storage
{
    enum { num_elements = Count };
    T x[Count];
    __device__ int *__words() { return reinterpret_cast<int *>(x); }
    __device__ const int *__words() const { return reinterpret_cast<const int *>(x); }
};

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;
template <class Layout>
class fragment<matrix_a, 16, 16, 16, __half, Layout> : public __ks_fragment_storage<__half, 16, 8>
{
};
template <class Layout>
class fragment<matrix_b, 16, 16, 16, __half, Layout> : public __ks_fragment_storage<__half, 16, 8>
{
};
template <class Layout>
class fragment<matrix_a, 16, 16, 16, __nv_bfloat16, Layout> : public __ks_fragment_storage<__nv_bfloat16, 8, 4>
{
};
template <class Layout>
class fragment<matrix_b, 16, 16, 16, __nv_bfloat16, Layout> : public __ks_fragment_storage<__nv_bfloat16, 8, 4>
{
};
template <> class fragment<accumulator, 16, 16, 16, float> : public __ks_fragment_storage<float, 8, 8>
{
};
template <> class fragment<accumulator, 16, 16, 16, __half> : public __ks_fragment_storage<__half, 8, 4>
{
};

template <class Layout> constexpr int __ks_column_major = 0;
template <> inline constexpr int __ks_column_major<col_major> = 1;

#define KS_WMMA static __device__ __forceinline__

template <class T, int Count, int Words, class V>
KS_WMMA void fill_fragment(__ks_fragment_storage<T, Count, Words> &f, V value)
{
    for (int i = 0; i < Count; ++i)
        f.x[i] = static_cast<T>(value);
}

// --- loads
// -----------------------------------------------------------------------------------------------------------------------
#define KS_LOAD(use, type, builtin)                                                                                    \
    template <class Layout>                                                                                            \
    KS_WMMA void load_matrix_sync(fragment<use, 16, 16, 16, type, Layout> &f, const type *from, unsigned int stride)   \
    {                                                                                                                  \
        builtin(f.__words(), reinterpret_cast<const int *>(from), stride, __ks_column_major<Layout>);                  \
    }
KS_LOAD(matrix_a, __half, __hmma_m16n16k16_ld_a)
KS_LOAD(matrix_b, __half, __hmma_m16n16k16_ld_b)
KS_LOAD(matrix_a, __nv_bfloat16, __mma_bf16_m16n16k16_ld_a)
KS_LOAD(matrix_b, __nv_bfloat16, __mma_bf16_m16n16k16_ld_b)
#undef KS_LOAD
KS_WMMA void load_matrix_sync(fragment<accumulator, 16, 16, 16, float> &f, const float *from, unsigned int stride,
                              layout_t layout)
{
    if (layout == mem_row_major)
        __hmma_m16n16k16_ld_c_f32(f.x, from, stride, 0);
    else
        __hmma_m16n16k16_ld_c_f32(f.x, from, stride, 1);
}
KS_WMMA void load_matrix_sync(fragment<accumulator, 16, 16, 16, __half> &f, const __half *from, unsigned int stride,
                              layout_t layout)
{
    if (layout == mem_row_major)
        __hmma_m16n16k16_ld_c_f16(f.__words(), reinterpret_cast<const int *>(from), stride, 0);
    else
        __hmma_m16n16k16_ld_c_f16(f.__words(), reinterpret_cast<const int *>(from), stride, 1);
}

// --- stores
// ------------------------------------------------------------------------------------------------------------------------
KS_WMMA void store_matrix_sync(float *to, const fragment<accumulator, 16, 16, 16, float> &f, unsigned int stride,
                               layout_t layout)
{
    if (layout == mem_row_major)
        __hmma_m16n16k16_st_c_f32(to, f.x, stride, 0);
    else
        __hmma_m16n16k16_st_c_f32(to, f.x, stride, 1);
}
KS_WMMA void store_matrix_sync(__half *to, const fragment<accumulator, 16, 16, 16, __half> &f, unsigned int stride,
                               layout_t layout)
{
    if (layout == mem_row_major)
        __hmma_m16n16k16_st_c_f16(reinterpret_cast<int *>(to), f.__words(), stride, 0);
    else
        __hmma_m16n16k16_st_c_f16(reinterpret_cast<int *>(to), f.__words(), stride, 1);
}

// --- products: the layouts of a and b are part of the instruction
// ---------------------------------------------------------------------
template <class A, class B>
constexpr int __ks_layouts = (__ks_column_major<A> ? 2 : 0) + (__ks_column_major<B> ? 1 : 0);

#define KS_BY_LAYOUT(call)                                                                                             \
    if constexpr (__ks_layouts<LA, LB> == 0)                                                                           \
        call(0);                                                                                                       \
    else if constexpr (__ks_layouts<LA, LB> == 1)                                                                      \
        call(1);                                                                                                       \
    else if constexpr (__ks_layouts<LA, LB> == 2)                                                                      \
        call(2);                                                                                                       \
    else                                                                                                               \
        call(3);
template <class LA, class LB>
KS_WMMA void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __half, LA> &a,
                      const fragment<matrix_b, 16, 16, 16, __half, LB> &b,
                      const fragment<accumulator, 16, 16, 16, float> &c)
{
#define KS_CALL(layouts) __hmma_m16n16k16_mma_f32f32(d.x, a.__words(), b.__words(), c.x, layouts, 0)
    KS_BY_LAYOUT(KS_CALL)
#undef KS_CALL
}
template <class LA, class LB>
KS_WMMA void mma_sync(fragment<accumulator, 16, 16, 16, __half> &d, const fragment<matrix_a, 16, 16, 16, __half, LA> &a,
                      const fragment<matrix_b, 16, 16, 16, __half, LB> &b,
                      const fragment<accumulator, 16, 16, 16, __half> &c)
{
#define KS_CALL(layouts) __hmma_m16n16k16_mma_f16f16(d.__words(), a.__words(), b.__words(), c.__words(), layouts, 0)
    KS_BY_LAYOUT(KS_CALL)
#undef KS_CALL
}
template <class LA, class LB>
KS_WMMA void
mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, LA> &a,
         const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, LB> &b, const fragment<accumulator, 16, 16, 16, float> &c)
{
#define KS_CALL(layouts) __mma_bf16_m16n16k16_mma_f32(d.x, a.__words(), b.__words(), c.x, layouts, 0)
    KS_BY_LAYOUT(KS_CALL)
#undef KS_CALL
}
#undef KS_BY_LAYOUT
#undef KS_WMMA

} // namespace wmma
} // namespace nvcuda

#pragma clang attribute pop
