// SPDX-License-Identifier: Apache-2.0
// What __half and __nv_bfloat16 have in common beyond arithmetic: conversions with all roundings, comparisons of every kind,
// clamped arithmetic, functions, hinted loads and stores. Included once for each type, with
//     KS_T, KS_T2           the type and its pair
//     KS_NAME(before, after) before##half##after, or before##bfloat16##after
//     KS_BITS(x), KS_OF(bits) its 16 bits and back
//     KS_ROUND(x, mode)     from a float that holds the value, or its odd neighbour: rn, rz, rd or ru
// No include guard: that is how it works.

// --- integers
#define KS_ROUNDED(mode)                                                                                               \
    KS_BOTH KS_T KS_NAME(__int2, _##mode)(int a)                                                                       \
    {                                                                                                                  \
        return KS_ROUND(kernelskill_narrow::odd(a), mode);                                                             \
    }                                                                                                                  \
    KS_BOTH KS_T KS_NAME(__uint2, _##mode)(unsigned int a)                                                             \
    {                                                                                                                  \
        return KS_ROUND(kernelskill_narrow::odd(a), mode);                                                             \
    }                                                                                                                  \
    KS_BOTH KS_T KS_NAME(__short2, _##mode)(short a)                                                                   \
    {                                                                                                                  \
        return KS_ROUND(static_cast<float>(a), mode);                                                                  \
    }                                                                                                                  \
    KS_BOTH KS_T KS_NAME(__ushort2, _##mode)(unsigned short a)                                                         \
    {                                                                                                                  \
        return KS_ROUND(static_cast<float>(a), mode);                                                                  \
    }                                                                                                                  \
    KS_BOTH KS_T KS_NAME(__ll2, _##mode)(long long a)                                                                  \
    {                                                                                                                  \
        return KS_ROUND(kernelskill_narrow::odd(a), mode);                                                             \
    }                                                                                                                  \
    KS_BOTH KS_T KS_NAME(__ull2, _##mode)(unsigned long long a)                                                        \
    {                                                                                                                  \
        return KS_ROUND(kernelskill_narrow::odd(a), mode);                                                             \
    }                                                                                                                  \
    KS_DEVICE int KS_FROM(2int_##mode)(KS_T a)                                                                         \
    {                                                                                                                  \
        return __float2int_##mode(static_cast<float>(a));                                                              \
    }                                                                                                                  \
    KS_DEVICE unsigned int KS_FROM(2uint_##mode)(KS_T a)                                                               \
    {                                                                                                                  \
        return __float2uint_##mode(static_cast<float>(a));                                                             \
    }                                                                                                                  \
    KS_DEVICE short KS_FROM(2short_##mode)(KS_T a)                                                                     \
    {                                                                                                                  \
        return static_cast<short>(min(max(__float2int_##mode(static_cast<float>(a)), -32768), 32767));                 \
    }                                                                                                                  \
    KS_DEVICE unsigned short KS_FROM(2ushort_##mode)(KS_T a)                                                           \
    {                                                                                                                  \
        return static_cast<unsigned short>(min(__float2uint_##mode(static_cast<float>(a)), 65535u));                   \
    }                                                                                                                  \
    KS_DEVICE long long KS_FROM(2ll_##mode)(KS_T a)                                                                    \
    {                                                                                                                  \
        return __float2ll_##mode(static_cast<float>(a));                                                               \
    }                                                                                                                  \
    KS_DEVICE unsigned long long KS_FROM(2ull_##mode)(KS_T a)                                                          \
    {                                                                                                                  \
        return __float2ull_##mode(static_cast<float>(a));                                                              \
    }
KS_ROUNDED(rn)
KS_ROUNDED(rz)
KS_ROUNDED(rd)
KS_ROUNDED(ru)
#undef KS_ROUNDED
KS_DEVICE signed char KS_FROM(2char_rz)(KS_T a)
{
    return static_cast<signed char>(min(max(__float2int_rz(static_cast<float>(a)), -128), 127));
}
KS_DEVICE unsigned char KS_FROM(2uchar_rz)(KS_T a)
{
    return static_cast<unsigned char>(min(__float2uint_rz(static_cast<float>(a)), 255u));
}

KS_BOTH KS_T operator+(KS_T a)
{
    return a;
}
KS_BOTH KS_T2 operator+(KS_T2 a)
{
    return a;
}
#define KS_STEP(symbol, change)                                                                                        \
    KS_BOTH KS_T &operator symbol(KS_T & a)                                                                            \
    {                                                                                                                  \
        return a = a change KS_T(1.0f);                                                                                \
    }                                                                                                                  \
    KS_BOTH KS_T operator symbol(KS_T & a, int)                                                                        \
    {                                                                                                                  \
        const KS_T before = a;                                                                                         \
        a = a change KS_T(1.0f);                                                                                       \
        return before;                                                                                                 \
    }                                                                                                                  \
    KS_BOTH KS_T2 &operator symbol(KS_T2 & a)                                                                          \
    {                                                                                                                  \
        return a = KS_T2(a.x change KS_T(1.0f), a.y change KS_T(1.0f));                                                \
    }                                                                                                                  \
    KS_BOTH KS_T2 operator symbol(KS_T2 & a, int)                                                                      \
    {                                                                                                                  \
        const KS_T2 before = a;                                                                                        \
        a = KS_T2(before.x change KS_T(1.0f), before.y change KS_T(1.0f));                                             \
        return before;                                                                                                 \
    }
KS_STEP(++, +)
KS_STEP(--, -)
#undef KS_STEP
KS_DEVICE KS_T htanh_approx(KS_T a)
{
    return KS_T(__tanhf(static_cast<float>(a)));
}
KS_DEVICE KS_T2 h2tanh_approx(KS_T2 a)
{
    return KS_T2(htanh_approx(a.x), htanh_approx(a.y));
}

// --- comparisons: of two halves a half, a bool or a mask of ones; "u" is true of what is no number
#define KS_COMPARED(name, symbol, inverse)                                                                             \
    KS_BOTH bool __h##name##u(KS_T a, KS_T b)                                                                          \
    {                                                                                                                  \
        return !(a inverse b);                                                                                         \
    }                                                                                                                  \
    KS_BOTH KS_T2 __h##name##u2(KS_T2 a, KS_T2 b)                                                                      \
    {                                                                                                                  \
        return KS_T2(KS_T(!(a.x inverse b.x) ? 1.0f : 0.0f), KS_T(!(a.y inverse b.y) ? 1.0f : 0.0f));                  \
    }                                                                                                                  \
    KS_BOTH bool __hb##name##2(KS_T2 a, KS_T2 b)                                                                       \
    {                                                                                                                  \
        return a.x symbol b.x && a.y symbol b.y;                                                                       \
    }                                                                                                                  \
    KS_BOTH bool __hb##name##u2(KS_T2 a, KS_T2 b)                                                                      \
    {                                                                                                                  \
        return !(a.x inverse b.x) && !(a.y inverse b.y);                                                               \
    }                                                                                                                  \
    KS_BOTH unsigned __h##name##2_mask(KS_T2 a, KS_T2 b)                                                               \
    {                                                                                                                  \
        return (a.x symbol b.x ? 0xffffu : 0u) | (a.y symbol b.y ? 0xffff0000u : 0u);                                  \
    }                                                                                                                  \
    KS_BOTH unsigned __h##name##u2_mask(KS_T2 a, KS_T2 b)                                                              \
    {                                                                                                                  \
        return (!(a.x inverse b.x) ? 0xffffu : 0u) | (!(a.y inverse b.y) ? 0xffff0000u : 0u);                          \
    }
KS_COMPARED(eq, ==, !=)
KS_COMPARED(lt, <, >=)
KS_COMPARED(le, <=, >)
KS_COMPARED(gt, >, <=)
KS_COMPARED(ge, >=, <)
#undef KS_COMPARED
// Unequal and no number: != is true of that, so that its plain form asks for order.
KS_BOTH bool __hneu(KS_T a, KS_T b)
{
    return a != b;
}
KS_BOTH KS_T2 __hneu2(KS_T2 a, KS_T2 b)
{
    return KS_T2(KS_T(a.x != b.x ? 1.0f : 0.0f), KS_T(a.y != b.y ? 1.0f : 0.0f));
}
KS_BOTH bool __hbne2(KS_T2 a, KS_T2 b)
{
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
KS_BOTH bool __hbneu2(KS_T2 a, KS_T2 b)
{
    return a.x != b.x && a.y != b.y;
}
KS_BOTH unsigned __hne2_mask(KS_T2 a, KS_T2 b)
{
    return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
KS_BOTH unsigned __hneu2_mask(KS_T2 a, KS_T2 b)
{
    return (a.x != b.x ? 0xffffu : 0u) | (a.y != b.y ? 0xffff0000u : 0u);
}
KS_BOTH KS_T2 __hisnan2(KS_T2 a)
{
    return KS_T2(KS_T(__hisnan(a.x) ? 1.0f : 0.0f), KS_T(__hisnan(a.y) ? 1.0f : 0.0f));
}
// Of a number and what is none the latter.
#define KS_EXTREME(name)                                                                                               \
    KS_BOTH KS_T name##_nan(KS_T a, KS_T b)                                                                            \
    {                                                                                                                  \
        return __hisnan(a) || __hisnan(b) ? KS_OF(0x7fff) : name(a, b);                                                \
    }                                                                                                                  \
    KS_BOTH KS_T2 name##2_nan(KS_T2 a, KS_T2 b)                                                                        \
    {                                                                                                                  \
        return KS_T2(name##_nan(a.x, b.x), name##_nan(a.y, b.y));                                                      \
    }
KS_EXTREME(__hmax)
KS_EXTREME(__hmin)
#undef KS_EXTREME

// --- arithmetic that is never contracted, clamped to 0 … 1, or to what is not negative
#define KS_CLAMPED(name)                                                                                               \
    KS_BOTH KS_T name##_rn(KS_T a, KS_T b)                                                                             \
    {                                                                                                                  \
        return name(a, b);                                                                                             \
    }                                                                                                                  \
    KS_BOTH KS_T2 name##2_rn(KS_T2 a, KS_T2 b)                                                                         \
    {                                                                                                                  \
        return name##2(a, b);                                                                                          \
    }                                                                                                                  \
    KS_BOTH KS_T name##_sat(KS_T a, KS_T b)                                                                            \
    {                                                                                                                  \
        return kernelskill_narrow::toUnit(name(a, b));                                                                 \
    }                                                                                                                  \
    KS_BOTH KS_T2 name##2_sat(KS_T2 a, KS_T2 b)                                                                        \
    {                                                                                                                  \
        return KS_T2(name##_sat(a.x, b.x), name##_sat(a.y, b.y));                                                      \
    }
namespace kernelskill_narrow {
KS_BOTH KS_T toUnit(KS_T a)
{
    return __hmin(__hmax(a, KS_T(0.0f)), KS_T(1.0f)); // 0 of what is no number
}
KS_BOTH KS_T toPositive(KS_T a)
{
    return __hisnan(a) ? KS_OF(0x7fff) : __hmax(a, KS_T(0.0f));
}
} // namespace kernelskill_narrow
KS_CLAMPED(__hadd)
KS_CLAMPED(__hsub)
KS_CLAMPED(__hmul)
#undef KS_CLAMPED
KS_DEVICE KS_T __hfma_sat(KS_T a, KS_T b, KS_T c)
{
    return kernelskill_narrow::toUnit(__hfma(a, b, c));
}
KS_DEVICE KS_T __hfma_relu(KS_T a, KS_T b, KS_T c)
{
    return kernelskill_narrow::toPositive(__hfma(a, b, c));
}
KS_DEVICE KS_T2 __hfma2_sat(KS_T2 a, KS_T2 b, KS_T2 c)
{
    const KS_T2 d = __hfma2(a, b, c);
    return KS_T2(kernelskill_narrow::toUnit(d.x), kernelskill_narrow::toUnit(d.y));
}
KS_DEVICE KS_T2 __hfma2_relu(KS_T2 a, KS_T2 b, KS_T2 c)
{
    const KS_T2 d = __hfma2(a, b, c);
    return KS_T2(kernelskill_narrow::toPositive(d.x), kernelskill_narrow::toPositive(d.y));
}
// c + a·b of complex numbers
KS_DEVICE KS_T2 __hcmadd(KS_T2 a, KS_T2 b, KS_T2 c)
{
    const KS_T2 left = __hfma2(KS_T2(a.x, a.x), b, c);
    return __hfma2(KS_T2(-a.y, a.y), KS_T2(b.y, b.x), left);
}

// --- loads and stores with a cache hint, also of the pair
#define KS_HINTED_LOAD(name)                                                                                           \
    KS_DEVICE KS_T name(const KS_T *p)                                                                                 \
    {                                                                                                                  \
        return KS_OF(name(reinterpret_cast<const unsigned short *>(p)));                                               \
    }                                                                                                                  \
    KS_DEVICE KS_T2 name(const KS_T2 *p)                                                                               \
    {                                                                                                                  \
        return __builtin_bit_cast(KS_T2, name(reinterpret_cast<const unsigned *>(p)));                                 \
    }
#define KS_HINTED_STORE(name)                                                                                          \
    KS_DEVICE void name(KS_T *p, KS_T value)                                                                           \
    {                                                                                                                  \
        name(reinterpret_cast<unsigned short *>(p), KS_BITS(value));                                                   \
    }                                                                                                                  \
    KS_DEVICE void name(KS_T2 *p, KS_T2 value)                                                                         \
    {                                                                                                                  \
        name(reinterpret_cast<unsigned *>(p), __builtin_bit_cast(unsigned, value));                                    \
    }
KS_HINTED_LOAD(__ldca)
KS_HINTED_LOAD(__ldcg)
KS_HINTED_LOAD(__ldcs)
KS_HINTED_LOAD(__ldlu)
KS_HINTED_LOAD(__ldcv)
KS_HINTED_STORE(__stwb)
KS_HINTED_STORE(__stcg)
KS_HINTED_STORE(__stcs)
KS_HINTED_STORE(__stwt)
#undef KS_HINTED_LOAD
#undef KS_HINTED_STORE
