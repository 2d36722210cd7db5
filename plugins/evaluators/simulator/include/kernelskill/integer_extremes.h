// SPDX-License-Identifier: Apache-2.0
// Least and greatest of two or three integers and sums (__vimax3_s32, __viaddmin_u16x2, …), as dynamic programming uses them.
#pragma once

#define KS_DEVICE static __device__ __forceinline__
// type: of 32 bits; MAX, MIN, SUM of two such;
#define KS_EXTREMES(suffix, type, MAX, MIN, SUM)                                                                       \
    KS_DEVICE type __vimax3_##suffix(type a, type b, type c)                                                           \
    {                                                                                                                  \
        return MAX(MAX(a, b), c);                                                                                      \
    }                                                                                                                  \
    KS_DEVICE type __vimin3_##suffix(type a, type b, type c)                                                           \
    {                                                                                                                  \
        return MIN(MIN(a, b), c);                                                                                      \
    }                                                                                                                  \
    KS_DEVICE type __viaddmax_##suffix(type a, type b, type c)                                                         \
    {                                                                                                                  \
        return MAX(SUM(a, b), c);                                                                                      \
    }                                                                                                                  \
    KS_DEVICE type __viaddmin_##suffix(type a, type b, type c)                                                         \
    {                                                                                                                  \
        return MIN(SUM(a, b), c);                                                                                      \
    }
#define KS_NOT_NEGATIVE(suffix, type, MAX, MIN, SUM)                                                                   \
    KS_DEVICE type __vimax_##suffix##_relu(type a, type b)                                                             \
    {                                                                                                                  \
        return MAX(MAX(a, b), 0);                                                                                      \
    }                                                                                                                  \
    KS_DEVICE type __vimin_##suffix##_relu(type a, type b)                                                             \
    {                                                                                                                  \
        return MAX(MIN(a, b), 0);                                                                                      \
    }                                                                                                                  \
    KS_DEVICE type __vimax3_##suffix##_relu(type a, type b, type c)                                                    \
    {                                                                                                                  \
        return MAX(MAX(MAX(a, b), c), 0);                                                                              \
    }                                                                                                                  \
    KS_DEVICE type __vimin3_##suffix##_relu(type a, type b, type c)                                                    \
    {                                                                                                                  \
        return MAX(MIN(MIN(a, b), c), 0);                                                                              \
    }                                                                                                                  \
    KS_DEVICE type __viaddmax_##suffix##_relu(type a, type b, type c)                                                  \
    {                                                                                                                  \
        return MAX(MAX(SUM(a, b), c), 0);                                                                              \
    }                                                                                                                  \
    KS_DEVICE type __viaddmin_##suffix##_relu(type a, type b, type c)                                                  \
    {                                                                                                                  \
        return MAX(MIN(SUM(a, b), c), 0);                                                                              \
    }
namespace kernelskill_extremes {
KS_DEVICE int wrapped(int a, int b) // overflows as the machine does
{
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
KS_DEVICE unsigned wrapped(unsigned a, unsigned b)
{
    return a + b;
}
} // namespace kernelskill_extremes
KS_EXTREMES(s32, int, max, min, kernelskill_extremes::wrapped)
KS_EXTREMES(u32, unsigned int, max, min, kernelskill_extremes::wrapped)
KS_EXTREMES(s16x2, unsigned int, __vmaxs2, __vmins2, __vadd2)
KS_EXTREMES(u16x2, unsigned int, __vmaxu2, __vminu2, __vadd2)
KS_NOT_NEGATIVE(s32, int, max, min, kernelskill_extremes::wrapped)
KS_NOT_NEGATIVE(s16x2, unsigned int, __vmaxs2, __vmins2, __vadd2)
#undef KS_EXTREMES
#undef KS_NOT_NEGATIVE
// The predicate says that the first is taken.
#define KS_CHOSEN(suffix, type)                                                                                        \
    KS_DEVICE type __vibmax_##suffix(type a, type b, bool *first)                                                      \
    {                                                                                                                  \
        *first = a >= b;                                                                                               \
        return max(a, b);                                                                                              \
    }                                                                                                                  \
    KS_DEVICE type __vibmin_##suffix(type a, type b, bool *first)                                                      \
    {                                                                                                                  \
        *first = a <= b;                                                                                               \
        return min(a, b);                                                                                              \
    }
KS_CHOSEN(s32, int)
KS_CHOSEN(u32, unsigned int)
#undef KS_CHOSEN
#define KS_CHOSEN_PAIR(suffix, part, letter)                                                                           \
    KS_DEVICE unsigned int __vibmax_##suffix(unsigned int a, unsigned int b, bool *high, bool *low)                    \
    {                                                                                                                  \
        *high = static_cast<part>(a >> 16) >= static_cast<part>(b >> 16);                                              \
        *low = static_cast<part>(a) >= static_cast<part>(b);                                                           \
        return __vmax##letter##2(a, b);                                                                                \
    }                                                                                                                  \
    KS_DEVICE unsigned int __vibmin_##suffix(unsigned int a, unsigned int b, bool *high, bool *low)                    \
    {                                                                                                                  \
        *high = static_cast<part>(a >> 16) <= static_cast<part>(b >> 16);                                              \
        *low = static_cast<part>(a) <= static_cast<part>(b);                                                           \
        return __vmin##letter##2(a, b);                                                                                \
    }
KS_CHOSEN_PAIR(s16x2, short, s)
KS_CHOSEN_PAIR(u16x2, unsigned short, u)
#undef KS_CHOSEN_PAIR
#undef KS_DEVICE
