// SPDX-License-Identifier: Apache-2.0
// Device functions beyond the compiler's wrappers: mixed min and max, address spaces, loads and stores with a cache
// hint, byte dot products.
#pragma once

#define KS_DEVICE static __device__ __forceinline__

// --- min and max for every pair people write
// -------------------------------------------------------------------------------
KS_DEVICE float max(float a, float b)
{
    return fmaxf(a, b);
}
KS_DEVICE float min(float a, float b)
{
    return fminf(a, b);
}
KS_DEVICE double max(double a, double b)
{
    return fmax(a, b);
}
KS_DEVICE double min(double a, double b)
{
    return fmin(a, b);
}
KS_DEVICE double max(float a, double b)
{
    return fmax(static_cast<double>(a), b);
}
KS_DEVICE double min(float a, double b)
{
    return fmin(static_cast<double>(a), b);
}
KS_DEVICE double max(double a, float b)
{
    return fmax(a, static_cast<double>(b));
}
KS_DEVICE double min(double a, float b)
{
    return fmin(a, static_cast<double>(b));
}
// On both sides, as nvcc has them.
#define KS_BOTH static inline __host__ __device__
#define KS_MIN_MAX(type, left, right)                                                                                  \
    KS_BOTH type max(left a, right b)                                                                                  \
    {                                                                                                                  \
        return static_cast<type>(a) > static_cast<type>(b) ? static_cast<type>(a) : static_cast<type>(b);              \
    }                                                                                                                  \
    KS_BOTH type min(left a, right b)                                                                                  \
    {                                                                                                                  \
        return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a) : static_cast<type>(b);              \
    }
KS_MIN_MAX(unsigned int, unsigned int, unsigned int)
KS_MIN_MAX(unsigned int, int, unsigned int)
KS_MIN_MAX(unsigned int, unsigned int, int)
KS_MIN_MAX(long, long, long)
KS_MIN_MAX(unsigned long, unsigned long, unsigned long)
KS_MIN_MAX(long long, long long, long long)
KS_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
KS_MIN_MAX(unsigned long long, unsigned long long, long long)
KS_MIN_MAX(unsigned long long, long long, unsigned long long)
KS_MIN_MAX(unsigned long, unsigned long, long)
KS_MIN_MAX(unsigned long, long, unsigned long)
KS_MIN_MAX(long, long, int)
KS_MIN_MAX(long, int, long)
KS_MIN_MAX(long long, long long, int)
KS_MIN_MAX(long long, int, long long)
#undef KS_BOTH
#undef KS_MIN_MAX

KS_DEVICE float rsqrt(float a)
{
    return rsqrtf(a);
}
KS_DEVICE float __frsqrt_approx(float a)
{
    return rsqrtf(a);
}
KS_DEVICE float __tanhf(float a)
{
    float result;
    asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}
KS_DEVICE float __exp2f(float a)
{
    return __nvvm_ex2_approx_f(a);
}

// --- address spaces
// ------------------------------------------------------------------------------------------------------------
KS_DEVICE unsigned int __isGlobal(const void *pointer)
{
    return __nvvm_isspacep_global(pointer);
}
KS_DEVICE unsigned int __isShared(const void *pointer)
{
    return __nvvm_isspacep_shared(pointer);
}
KS_DEVICE unsigned int __isConstant(const void *pointer)
{
    return __nvvm_isspacep_const(pointer);
}
KS_DEVICE unsigned int __isLocal(const void *pointer)
{
    return __nvvm_isspacep_local(pointer);
}
KS_DEVICE size_t __cvta_generic_to_shared(const void *pointer)
{
    return (size_t)(void __attribute__((address_space(3))) *)pointer;
}
KS_DEVICE size_t __cvta_generic_to_global(const void *pointer)
{
    return (size_t)(void __attribute__((address_space(1))) *)pointer;
}
KS_DEVICE size_t __cvta_generic_to_constant(const void *pointer)
{
    return (size_t)(void __attribute__((address_space(4))) *)pointer;
}
KS_DEVICE size_t __cvta_generic_to_local(const void *pointer)
{
    return (size_t)(void __attribute__((address_space(5))) *)pointer;
}
#define KS_GENERIC(name, space)                                                                                        \
    KS_DEVICE void *name(size_t address)                                                                               \
    {                                                                                                                  \
        return (void *)(void __attribute__((address_space(space))) *)address;                                          \
    }
KS_GENERIC(__cvta_global_to_generic, 1)
KS_GENERIC(__cvta_shared_to_generic, 3)
KS_GENERIC(__cvta_constant_to_generic, 4)
KS_GENERIC(__cvta_local_to_generic, 5)
#undef KS_GENERIC

// --- loads and stores with a cache hint
// -------------------------------------------------------------------------------------------
#define KS_LOAD(name, instruction, type, constraint)                                                                   \
    KS_DEVICE type name(const type *pointer)                                                                           \
    {                                                                                                                  \
        type value;                                                                                                    \
        asm volatile(instruction " %0, [%1];" : "=" constraint(value) : "l"(pointer) : "memory");                      \
        return value;                                                                                                  \
    }
#define KS_LOAD2(name, instruction, type, constraint)                                                                  \
    KS_DEVICE type name(const type *pointer)                                                                           \
    {                                                                                                                  \
        type value;                                                                                                    \
        asm volatile(instruction " {%0, %1}, [%2];"                                                                    \
                     : "=" constraint(value.x), "=" constraint(value.y)                                                \
                     : "l"(pointer)                                                                                    \
                     : "memory");                                                                                      \
        return value;                                                                                                  \
    }
#define KS_LOAD4(name, instruction, type, constraint)                                                                  \
    KS_DEVICE type name(const type *pointer)                                                                           \
    {                                                                                                                  \
        type value;                                                                                                    \
        asm volatile(instruction " {%0, %1, %2, %3}, [%4];"                                                            \
                     : "=" constraint(value.x), "=" constraint(value.y), "=" constraint(value.z),                      \
                       "=" constraint(value.w)                                                                         \
                     : "l"(pointer)                                                                                    \
                     : "memory");                                                                                      \
        return value;                                                                                                  \
    }
#define KS_STORE(name, instruction, type, constraint)                                                                  \
    KS_DEVICE void name(type *pointer, type value)                                                                     \
    {                                                                                                                  \
        asm volatile(instruction " [%0], %1;" ::"l"(pointer), constraint(value) : "memory");                           \
    }
#define KS_STORE2(name, instruction, type, constraint)                                                                 \
    KS_DEVICE void name(type *pointer, type value)                                                                     \
    {                                                                                                                  \
        asm volatile(instruction " [%0], {%1, %2};" ::"l"(pointer), constraint(value.x), constraint(value.y)           \
                     : "memory");                                                                                      \
    }
#define KS_STORE4(name, instruction, type, constraint)                                                                 \
    KS_DEVICE void name(type *pointer, type value)                                                                     \
    {                                                                                                                  \
        asm volatile(instruction " [%0], {%1, %2, %3, %4};" ::"l"(pointer), constraint(value.x), constraint(value.y),  \
                     constraint(value.z), constraint(value.w)                                                          \
                     : "memory");                                                                                      \
    }
#define KS_LOAD_BYTE(name, instruction, type)                                                                          \
    KS_DEVICE type name(const type *pointer)                                                                           \
    {                                                                                                                  \
        unsigned int value;                                                                                            \
        asm volatile(instruction " %0, [%1];" : "=r"(value) : "l"(pointer) : "memory");                                \
        return static_cast<type>(value);                                                                               \
    }
#define KS_STORE_BYTE(name, instruction, type)                                                                         \
    KS_DEVICE void name(type *pointer, type value)                                                                     \
    {                                                                                                                  \
        asm volatile(instruction " [%0], %1;" ::"l"(pointer), "r"(static_cast<unsigned int>(value)) : "memory");       \
    }
#define KS_LOAD_AS(name, type, as)                                                                                     \
    KS_DEVICE type name(const type *pointer)                                                                           \
    {                                                                                                                  \
        const as bits = name(reinterpret_cast<const as *>(pointer));                                                   \
        type value;                                                                                                    \
        __builtin_memcpy(&value, &bits, sizeof value);                                                                 \
        return value;                                                                                                  \
    }
#define KS_STORE_AS(name, type, as)                                                                                    \
    KS_DEVICE void name(type *pointer, type value)                                                                     \
    {                                                                                                                  \
        as bits;                                                                                                       \
        __builtin_memcpy(&bits, &value, sizeof bits);                                                                  \
        name(reinterpret_cast<as *>(pointer), bits);                                                                   \
    }
#define KS_HINTED_LOADS(name, hint)                                                                                    \
    KS_LOAD(name, "ld.global." hint ".f32", float, "f")                                                                \
    KS_LOAD(name, "ld.global." hint ".f64", double, "d")                                                               \
    KS_LOAD(name, "ld.global." hint ".u32", int, "r")                                                                  \
    KS_LOAD(name, "ld.global." hint ".u32", unsigned int, "r")                                                         \
    KS_LOAD(name, "ld.global." hint ".s16", short, "h")                                                                \
    KS_LOAD(name, "ld.global." hint ".u16", unsigned short, "h")                                                       \
    KS_LOAD_BYTE(name, "ld.global." hint ".s8", char)                                                                  \
    KS_LOAD_BYTE(name, "ld.global." hint ".s8", signed char)                                                           \
    KS_LOAD_BYTE(name, "ld.global." hint ".u8", unsigned char)                                                         \
    KS_LOAD(name, "ld.global." hint ".u64", long, "l")                                                                 \
    KS_LOAD(name, "ld.global." hint ".u64", unsigned long, "l")                                                        \
    KS_LOAD_AS(name, char4, unsigned int)                                                                              \
    KS_LOAD_AS(name, uchar4, unsigned int)                                                                             \
    KS_LOAD_AS(name, short2, unsigned int)                                                                             \
    KS_LOAD_AS(name, ushort2, unsigned int)                                                                            \
    KS_LOAD(name, "ld.global." hint ".u64", long long, "l")                                                            \
    KS_LOAD(name, "ld.global." hint ".u64", unsigned long long, "l")                                                   \
    KS_LOAD2(name, "ld.global." hint ".v2.f32", float2, "f")                                                           \
    KS_LOAD2(name, "ld.global." hint ".v2.f64", double2, "d")                                                          \
    KS_LOAD2(name, "ld.global." hint ".v2.u32", int2, "r")                                                             \
    KS_LOAD2(name, "ld.global." hint ".v2.u32", uint2, "r")                                                            \
    KS_LOAD4(name, "ld.global." hint ".v4.f32", float4, "f")                                                           \
    KS_LOAD4(name, "ld.global." hint ".v4.u32", int4, "r")                                                             \
    KS_LOAD4(name, "ld.global." hint ".v4.u32", uint4, "r")                                                            \
    KS_LOAD2(name, "ld.global." hint ".v2.u64", longlong2, "l")                                                        \
    KS_LOAD2(name, "ld.global." hint ".v2.u64", ulonglong2, "l")                                                       \
    KS_LOAD_AS(name, short4, uint2)                                                                                    \
    KS_LOAD_AS(name, ushort4, uint2)
#define KS_HINTED_STORES(name, hint)                                                                                   \
    KS_STORE(name, "st.global." hint ".f32", float, "f")                                                               \
    KS_STORE(name, "st.global." hint ".f64", double, "d")                                                              \
    KS_STORE(name, "st.global." hint ".u32", int, "r")                                                                 \
    KS_STORE(name, "st.global." hint ".u32", unsigned int, "r")                                                        \
    KS_STORE(name, "st.global." hint ".u16", short, "h")                                                               \
    KS_STORE(name, "st.global." hint ".u16", unsigned short, "h")                                                      \
    KS_STORE_BYTE(name, "st.global." hint ".u8", char)                                                                 \
    KS_STORE_BYTE(name, "st.global." hint ".u8", signed char)                                                          \
    KS_STORE_BYTE(name, "st.global." hint ".u8", unsigned char)                                                        \
    KS_STORE(name, "st.global." hint ".u64", long, "l")                                                                \
    KS_STORE(name, "st.global." hint ".u64", unsigned long, "l")                                                       \
    KS_STORE_AS(name, char4, unsigned int)                                                                             \
    KS_STORE_AS(name, uchar4, unsigned int)                                                                            \
    KS_STORE_AS(name, short2, unsigned int)                                                                            \
    KS_STORE_AS(name, ushort2, unsigned int)                                                                           \
    KS_STORE(name, "st.global." hint ".u64", long long, "l")                                                           \
    KS_STORE(name, "st.global." hint ".u64", unsigned long long, "l")                                                  \
    KS_STORE2(name, "st.global." hint ".v2.f32", float2, "f")                                                          \
    KS_STORE2(name, "st.global." hint ".v2.f64", double2, "d")                                                         \
    KS_STORE2(name, "st.global." hint ".v2.u32", int2, "r")                                                            \
    KS_STORE2(name, "st.global." hint ".v2.u32", uint2, "r")                                                           \
    KS_STORE4(name, "st.global." hint ".v4.f32", float4, "f")                                                          \
    KS_STORE4(name, "st.global." hint ".v4.u32", int4, "r")                                                            \
    KS_STORE4(name, "st.global." hint ".v4.u32", uint4, "r")                                                           \
    KS_STORE2(name, "st.global." hint ".v2.u64", longlong2, "l")                                                       \
    KS_STORE2(name, "st.global." hint ".v2.u64", ulonglong2, "l")                                                      \
    KS_STORE_AS(name, short4, uint2)                                                                                   \
    KS_STORE_AS(name, ushort4, uint2)
KS_HINTED_LOADS(__ldca, "ca")
KS_HINTED_LOADS(__ldcg, "cg")
KS_HINTED_LOADS(__ldcs, "cs")
KS_HINTED_LOADS(__ldlu, "lu")
KS_HINTED_LOADS(__ldcv, "cv")
KS_HINTED_STORES(__stwb, "wb")
KS_HINTED_STORES(__stcg, "cg")
KS_HINTED_STORES(__stcs, "cs")
KS_HINTED_STORES(__stwt, "wt")
#undef KS_LOAD
#undef KS_LOAD2
#undef KS_LOAD4
#undef KS_STORE
#undef KS_STORE2
#undef KS_STORE4
#undef KS_LOAD_BYTE
#undef KS_STORE_BYTE
#undef KS_LOAD_AS
#undef KS_STORE_AS
#undef KS_HINTED_LOADS
#undef KS_HINTED_STORES

KS_DEVICE unsigned short __nv_bswap16(unsigned short a)
{
    return __builtin_bswap16(a);
}
KS_DEVICE unsigned int __nv_bswap32(unsigned int a)
{
    return __byte_perm(a, 0, 0x0123);
}
KS_DEVICE unsigned long long __nv_bswap64(unsigned long long a)
{
    return __builtin_bswap64(a);
}

// --- dot products of bytes
// ---------------------------------------------------------------------------------------------------------
KS_DEVICE int __dp4a(int a, int b, int c)
{
    int result;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
KS_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int result;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
// Two products of the 16-bit halves of a with the low or high two bytes of b.
#define KS_DP2A(name, mode, type, suffix)                                                                              \
    KS_DEVICE type name(type a, type b, type c)                                                                        \
    {                                                                                                                  \
        type result;                                                                                                   \
        asm("dp2a." mode "." suffix "." suffix " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));            \
        return result;                                                                                                 \
    }
KS_DP2A(__dp2a_lo, "lo", int, "s32")
KS_DP2A(__dp2a_lo, "lo", unsigned int, "u32")
KS_DP2A(__dp2a_hi, "hi", int, "s32")
KS_DP2A(__dp2a_hi, "hi", unsigned int, "u32")
#undef KS_DP2A
#undef KS_DEVICE
