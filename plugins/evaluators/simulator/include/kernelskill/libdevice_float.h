// SPDX-License-Identifier: Apache-2.0
// Device library, part 2: float32 functions. Accurate to a few units in the last place; the polynomials are Chebyshev
// fits made for this file. The `fast` group is one or two hardware instructions, as the `__expf` family is on a GPU.
#pragma once

extern "C" {

// --- fast: hardware approximations
// ----------------------------------------------------------------------------------------
KS_FUNCTION float __nv_fast_expf(float a)
{
    return __nvvm_ex2_approx_f(a * 1.442695041f);
}
KS_FUNCTION float __nv_fast_exp10f(float a)
{
    return __nvvm_ex2_approx_f(a * 3.321928095f);
}
KS_FUNCTION float __nv_fast_log2f(float a)
{
    return __nvvm_lg2_approx_f(a);
}
KS_FUNCTION float __nv_fast_logf(float a)
{
    return __nvvm_lg2_approx_f(a) * 0.6931471806f;
}
KS_FUNCTION float __nv_fast_log10f(float a)
{
    return __nvvm_lg2_approx_f(a) * 0.3010299957f;
}
KS_FUNCTION float __nv_fast_powf(float a, float b)
{
    return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
KS_FUNCTION float __nv_fast_sinf(float a)
{
    return __nvvm_sin_approx_f(a);
}
KS_FUNCTION float __nv_fast_cosf(float a)
{
    return __nvvm_cos_approx_f(a);
}
KS_FUNCTION float __nv_fast_fdividef(float a, float b)
{
    return __nvvm_div_approx_f(a, b);
}
KS_FUNCTION float __nv_fast_tanf(float a)
{
    return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
KS_FUNCTION void __nv_fast_sincosf(float a, float *sine, float *cosine)
{
    *sine = __nvvm_sin_approx_f(a);
    *cosine = __nvvm_cos_approx_f(a);
}

// --- exponentials
// ------------------------------------------------------------------------------------------------------------ 2^(whole
// + rest): the hardware does 2^rest, the whole part goes into the exponent's bits. `whole` is kept in the normal range,
// so what overflows or underflows does so in the last product.
KS_FUNCTION float __ks_scale_exp2(float rest, float whole)
{
    const int bits = (static_cast<int>(whole) + 127) << 23;
    return __nvvm_ex2_approx_f(rest) * __nv_int_as_float(bits);
}
KS_FUNCTION float __nv_expf(float a)
{
    // 126 + a·log2 e clamped to 0 … 252, then rounded down by adding 1.5·2^23 + 1: the exponent of the result, with its
    // bias of 127, is left in the low bits.
    float share;
    asm("fma.rn.sat.f32 %0, %1, 0f3BBB989D, 0f3F000000;" : "=f"(share) : "f"(a)); // a / (252 ln 2) + 0.5
    const float shifted = __nvvm_fma_rm_f(share, 252.0f, 12582913.0f);
    const float whole = shifted - 12583039.0f;
    const float rest = __builtin_fmaf(a, 1.925963033e-8f, __builtin_fmaf(a, 1.442695022f, -whole));
    return __nvvm_ex2_approx_ftz_f(rest) * __nv_int_as_float(__nv_float_as_int(shifted) << 23);
}
KS_FUNCTION float __nv_exp2f(float a)
{
    return __nvvm_ex2_approx_f(a);
}
KS_FUNCTION float __nv_exp10f(float a)
{
    const float whole = __builtin_rintf(__nvvm_fmin_f(__nvvm_fmax_f(a * 3.321928024f, -126.0f), 127.0f));
    const float rest = __builtin_fmaf(a, 7.059590e-8f, __builtin_fmaf(a, 3.321928024f, -whole));
    return __ks_scale_exp2(rest, whole);
}
KS_FUNCTION float __nv_expm1f(float a)
{
    if (__builtin_fabsf(a) >= 0.35f) return __nv_expf(a) - 1.0f;
    float p = 1.989197044e-04f;
    p = __builtin_fmaf(p, a, 1.393453218e-03f);
    p = __builtin_fmaf(p, a, 8.333310485e-03f);
    p = __builtin_fmaf(p, a, 4.166645557e-02f);
    p = __builtin_fmaf(p, a, 1.666666716e-01f);
    p = __builtin_fmaf(p, a, 0.5f);
    return __builtin_fmaf(p, a * a, a);
}

// --- logarithms
// -------------------------------------------------------------------------------------------------------------- log(1
// + f) for |f| ≤ 1/3.
KS_FUNCTION float __ks_log1p_core(float f)
{
    float p = -1.242332384e-01f;
    p = __builtin_fmaf(p, f, 1.374952942e-01f);
    p = __builtin_fmaf(p, f, -1.228853539e-01f);
    p = __builtin_fmaf(p, f, 1.405560970e-01f);
    p = __builtin_fmaf(p, f, -1.667332500e-01f);
    p = __builtin_fmaf(p, f, 2.000724375e-01f);
    p = __builtin_fmaf(p, f, -2.499994338e-01f);
    p = __builtin_fmaf(p, f, 3.333327174e-01f);
    p = __builtin_fmaf(p, f, -0.5f);
    return __builtin_fmaf(p, f * f, f);
}
// a = 2^exponent · (1 + fraction) with the fraction in [−1/3, 1/3].
KS_FUNCTION float __ks_split(float a, float *exponent)
{
    const bool tiny = a < 1.175494351e-38f;
    const float scaled = tiny ? a * 8388608.0f : a;
    const int bits = __nv_float_as_int(scaled);
    const int whole = (bits - 0x3f2aaaab) & static_cast<int>(0xff800000u);
    *exponent = __builtin_fmaf(static_cast<float>(whole), 1.1920929e-7f, tiny ? -23.0f : 0.0f);
    return __nv_int_as_float(bits - whole) - 1.0f;
}
// What the polynomial cannot say: zero, negative, infinite, not a number.
KS_FUNCTION float __ks_log_special(float a, float result)
{
    if (__nv_float_as_uint(a) - 1u >= 0x7f7fffffu) {
        result = a == 0.0f ? -__builtin_inff() : a < 0.0f ? __builtin_nanf("") : a;
    }
    return result;
}
KS_FUNCTION float __nv_logf(float a)
{
    float exponent;
    const float fraction = __ks_split(a, &exponent);
    return __ks_log_special(a, __builtin_fmaf(exponent, 0.6931471806f, __ks_log1p_core(fraction)));
}
KS_FUNCTION float __nv_log2f(float a)
{
    float exponent;
    const float natural = __ks_log1p_core(__ks_split(a, &exponent));
    return __ks_log_special(a, exponent + __builtin_fmaf(natural, 1.442695022f, natural * 1.925963033e-8f));
}
KS_FUNCTION float __nv_log10f(float a)
{
    float exponent;
    const float natural = __ks_log1p_core(__ks_split(a, &exponent));
    return __ks_log_special(a, __builtin_fmaf(exponent, 0.3010299957f, natural * 0.4342944819f));
}
// 1 + a = 2^e · (1 + f): f from a itself, so that no bit of it is lost.
KS_FUNCTION float __nv_log1pf(float a)
{
    const float sum = 1.0f + a;
    const int whole = (__nv_float_as_int(sum) - 0x3f2aaaab) & static_cast<int>(0xff800000u);
    const float scale = __nv_int_as_float(0x3f800000 - whole);
    const float fraction = __builtin_fmaf(scale, a, scale - 1.0f);
    const float exponent = static_cast<float>(whole) * 1.1920929e-7f;
    const float result = __builtin_fmaf(exponent, 0.6931471806f, __ks_log1p_core(fraction));
    return a > 1e37f ? __nv_logf(a) : __ks_log_special(sum, result);
}
KS_FUNCTION float __nv_logbf(float a)
{
    return static_cast<float>(((__nv_float_as_int(a) >> 23) & 0xff) - 127);
}
KS_FUNCTION int __nv_ilogbf(float a)
{
    return ((__nv_float_as_int(a) >> 23) & 0xff) - 127;
}

// --- hyperbolic and error functions
// --------------------------------------------------------------------------------------------
KS_FUNCTION float __nv_tanhf(float a)
{
    const float size = __builtin_fabsf(a);
    if (size >= 0.6f) {
        const float e = __nvvm_ex2_approx_f(size * 2.885390082f);
        return __nv_copysignf(__builtin_fmaf(__nvvm_rcp_approx_ftz_f(e + 1.0f), -2.0f, 1.0f), a);
    }
    const float u = a * a;
    float p = -6.269119680e-03f;
    p = __builtin_fmaf(p, u, 2.111095935e-02f);
    p = __builtin_fmaf(p, u, -5.387394875e-02f);
    p = __builtin_fmaf(p, u, 1.333291531e-01f);
    p = __builtin_fmaf(p, u, -3.333333135e-01f);
    return __builtin_fmaf(p * u, a, a);
}
KS_FUNCTION float __nv_sinhf(float a)
{
    const float half = 0.5f * __nv_expm1f(__builtin_fabsf(a));
    return __nv_copysignf(half + half * __nvvm_rcp_approx_ftz_f(__builtin_fmaf(half, 2.0f, 1.0f)), a);
}
KS_FUNCTION float __nv_coshf(float a)
{
    const float e = 0.5f * __nv_expf(__builtin_fabsf(a));
    return __builtin_fmaf(0.25f, __nvvm_rcp_approx_ftz_f(e), e);
}
KS_FUNCTION float __nv_asinhf(float a)
{
    const float size = __builtin_fabsf(a);
    const float root = __nvvm_sqrt_rn_f(__builtin_fmaf(size, size, 1.0f));
    const float big = __nv_logf(size) + 0.6931471806f;
    const float result = size > 1e18f ? big : __nv_log1pf(size + size * size / (1.0f + root));
    return __nv_copysignf(result, a);
}
KS_FUNCTION float __nv_acoshf(float a)
{
    const float t = a - 1.0f;
    return a > 1e18f ? __nv_logf(a) + 0.6931471806f : __nv_log1pf(t + __nvvm_sqrt_rn_f(__builtin_fmaf(2.0f, t, t * t)));
}
KS_FUNCTION float __nv_atanhf(float a)
{
    const float size = __builtin_fabsf(a);
    return __nv_copysignf(0.5f * __nv_log1pf(2.0f * size / (1.0f - size)), a);
}
// --- trigonometry
// ----------------------------------------------------------------------------------------------------------------
KS_FUNCTION float __ks_sin_core(float a)
{
    const float u = a * a;
    float p = 2.724992555e-06f;
    p = __builtin_fmaf(p, u, -1.984008704e-04f);
    p = __builtin_fmaf(p, u, 8.333331905e-03f);
    p = __builtin_fmaf(p, u, -1.666666716e-01f);
    return __builtin_fmaf(p * u, a, a);
}
KS_FUNCTION float __ks_cos_core(float a)
{
    const float u = a * a;
    float p = 2.446378858e-05f;
    p = __builtin_fmaf(p, u, -1.388758887e-03f);
    p = __builtin_fmaf(p, u, 4.166664928e-02f);
    p = __builtin_fmaf(p, u, -0.5f);
    return __builtin_fmaf(p, u, 1.0f);
}
// Takes multiples of π/2 away: in three float steps while the product is exact enough, else in double.
KS_FUNCTION float __ks_reduce(float a, int *quadrant)
{
    const float n = __builtin_rintf(a * 0.6366197724f);
    *quadrant = static_cast<int>(n);
    if (__builtin_fabsf(a) > 48039.0f) {
        const double wide = static_cast<double>(a);
        const double m = __builtin_rint(wide * 0.63661977236758134308);
        *quadrant = static_cast<int>(static_cast<long long>(m));
        return static_cast<float>(
            __builtin_fma(m, -6.123233995736766e-17, __builtin_fma(m, -1.5707963267948966, wide)));
    }
    const float first = __builtin_fmaf(n, -1.570796251f, a);
    const float second = __builtin_fmaf(n, -7.549789415e-08f, first);
    return __builtin_fmaf(n, -5.390302953e-15f, second);
}
// Sine or cosine by one polynomial whose coefficients are chosen by the quadrant: no lane waits for another's branch.
//     sin a = a + a·(u·p(u)), cos a = 1 + u·q(u), u = a²; both are scale + scale·(u·…) but for the cosine's 1.
KS_FUNCTION float __ks_sin_or_cos(float a, bool cosine)
{
    const float u = a * a;
    const float base = cosine ? 1.0f : a;
    float p = cosine ? 2.446378858e-05f : 2.724992555e-06f;
    p = __builtin_fmaf(p, u, cosine ? -1.388758887e-03f : -1.984008704e-04f);
    p = __builtin_fmaf(p, u, cosine ? 4.166664928e-02f : 8.333331905e-03f);
    p = __builtin_fmaf(p, u, cosine ? -0.5f : -1.666666716e-01f);
    return __builtin_fmaf(p * u, base, base);
}
KS_FUNCTION float __nv_sinf(float a)
{
    int quadrant;
    const float rest = __ks_reduce(a, &quadrant);
    const float value = __ks_sin_or_cos(rest, (quadrant & 1) != 0);
    return quadrant & 2 ? -value : value;
}
KS_FUNCTION float __nv_cosf(float a)
{
    int quadrant;
    const float rest = __ks_reduce(a, &quadrant);
    const float value = __ks_sin_or_cos(rest, (quadrant & 1) == 0);
    return (quadrant + 1) & 2 ? -value : value;
}
KS_FUNCTION void __nv_sincosf(float a, float *sine, float *cosine)
{
    int quadrant;
    const float rest = __ks_reduce(a, &quadrant);
    const float s = __ks_sin_core(rest), c = __ks_cos_core(rest);
    const float s1 = quadrant & 1 ? c : s, c1 = quadrant & 1 ? s : c;
    *sine = quadrant & 2 ? -s1 : s1;
    *cosine = (quadrant + 1) & 2 ? -c1 : c1;
}
KS_FUNCTION float __nv_tanf(float a)
{
    int quadrant;
    const float rest = __ks_reduce(a, &quadrant);
    const float u = rest * rest;
    float p = 9.482568057e-03f;
    p = __builtin_fmaf(p, u, 2.924678749e-03f);
    p = __builtin_fmaf(p, u, 2.458094393e-02f);
    p = __builtin_fmaf(p, u, 5.335544745e-02f);
    p = __builtin_fmaf(p, u, 1.333980058e-01f);
    p = __builtin_fmaf(p, u, 3.333308070e-01f);
    const float tangent = __builtin_fmaf(p * u, rest, rest);
    return quadrant & 1 ? -__nvvm_rcp_approx_ftz_f(tangent) : tangent;
}
// a π as a number of quarter turns and what is left.
KS_FUNCTION float __ks_reduce_half_turns(float a, int *quadrant)
{
    const float n = __builtin_rintf(a * 2.0f);
    *quadrant = static_cast<int>(__builtin_fabsf(n) < 1e9f ? n : 0.0f);
    const float rest = __builtin_fmaf(n, -0.5f, a);
    return __builtin_fmaf(rest, 3.141592741f, rest * -8.742277657e-08f);
}
KS_FUNCTION float __nv_sinpif(float a)
{
    int quadrant;
    const float rest = __ks_reduce_half_turns(a, &quadrant);
    const float value = __ks_sin_or_cos(rest, (quadrant & 1) != 0);
    return quadrant & 2 ? -value : value;
}
KS_FUNCTION float __nv_cospif(float a)
{
    int quadrant;
    const float rest = __ks_reduce_half_turns(a, &quadrant);
    const float value = __ks_sin_or_cos(rest, (quadrant & 1) == 0);
    return (quadrant + 1) & 2 ? -value : value;
}
KS_FUNCTION void __nv_sincospif(float a, float *sine, float *cosine)
{
    *sine = __nv_sinpif(a);
    *cosine = __nv_cospif(a);
}
KS_FUNCTION float __ks_atan_core(float a) // 0 ≤ a ≤ 1
{
    const float u = a * a;
    float p = 3.866738873e-03f;
    p = __builtin_fmaf(p, u, -2.002674714e-02f);
    p = __builtin_fmaf(p, u, 4.891432077e-02f);
    p = __builtin_fmaf(p, u, -8.009681851e-02f);
    p = __builtin_fmaf(p, u, 1.086575910e-01f);
    p = __builtin_fmaf(p, u, -1.425704509e-01f);
    p = __builtin_fmaf(p, u, 1.999868155e-01f);
    p = __builtin_fmaf(p, u, -3.333332241e-01f);
    return __builtin_fmaf(p * u, a, a);
}
KS_FUNCTION float __nv_atanf(float a)
{
    const float size = __builtin_fabsf(a);
    const float core = __ks_atan_core(size > 1.0f ? __nvvm_rcp_approx_ftz_f(size) : size);
    return __nv_copysignf(size > 1.0f ? 1.570796327f - core : core, a);
}
KS_FUNCTION float __nv_atan2f(float y, float x)
{
    const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
    const float large = __nvvm_fmax_f(ax, ay), small = __nvvm_fmin_f(ax, ay);
    float angle = large == 0.0f ? 0.0f : __ks_atan_core(large == small ? 1.0f : small / large);
    if (ay > ax) angle = 1.570796327f - angle;
    if (__nv_signbitf(x)) angle = 3.141592654f - angle;
    return x != x || y != y ? x + y : __nv_copysignf(angle, y);
}
KS_FUNCTION float __ks_asin_core(float a) // |a| ≤ 1/2
{
    const float u = a * a;
    float p = 3.808502480e-02f;
    p = __builtin_fmaf(p, u, 2.655454166e-02f);
    p = __builtin_fmaf(p, u, 4.500138015e-02f);
    p = __builtin_fmaf(p, u, 7.498855144e-02f);
    p = __builtin_fmaf(p, u, 1.666667312e-01f);
    return __builtin_fmaf(p * u, a, a);
}
KS_FUNCTION float __nv_asinf(float a)
{
    const float size = __builtin_fabsf(a);
    if (size <= 0.5f) return __ks_asin_core(a);
    const float core = __ks_asin_core(__nvvm_sqrt_rn_f(0.5f * (1.0f - size)));
    return __nv_copysignf(__builtin_fmaf(core, -2.0f, 1.570796327f), a);
}
KS_FUNCTION float __nv_acosf(float a)
{
    const float size = __builtin_fabsf(a);
    if (size <= 0.5f) return 1.570796327f - __ks_asin_core(a);
    const float core = 2.0f * __ks_asin_core(__nvvm_sqrt_rn_f(0.5f * (1.0f - size)));
    return a < 0.0f ? 3.141592654f - core : core;
}

// --- powers, roots, remainders
// ------------------------------------------------------------------------------------------------- |a|^b through log2
// as a sum of two floats, so that the product with b keeps its low bits.
KS_FUNCTION float __ks_pow_core(float a, float b)
{
    float exponent;
    const float f = __ks_split(a, &exponent);
    // s = f / (2 + f) as a pair; log(1 + f) = 2 s + 2/3 s³ + …
    const float sum = 2.0f + f, inverse = 1.0f / sum;
    const float high = f * inverse;
    const float low = inverse * (__builtin_fmaf(-high, sum, f) - high * (f - (sum - 2.0f)));
    const float u = high * high;
    float p = 0.1f;
    p = __builtin_fmaf(p, u, 0.1111111f);
    p = __builtin_fmaf(p, u, 0.1428571f);
    p = __builtin_fmaf(p, u, 0.2f);
    p = __builtin_fmaf(p, u, 0.3333333433f);
    const float tail = 2.0f * __builtin_fmaf(p * u, high, low);
    // Sum of exponent + (2·high + tail)/ln 2 as a pair.
    const float scaled = high * 2.885390043f;
    const float scaledLow =
        __builtin_fmaf(high, 2.885390043f, -scaled) + __builtin_fmaf(high, 3.851926e-08f, tail * 1.442695041f);
    const float top = exponent + scaled;
    const float bottom = (exponent - top) + scaled + scaledLow;
    const float product = b * top;
    const float productLow = __builtin_fmaf(b, top, -product) + b * bottom;
    const float bounded = __nvvm_fmin_f(__nvvm_fmax_f(product, -160.0f), 160.0f);
    const float whole = __builtin_rintf(__nvvm_fmin_f(__nvvm_fmax_f(bounded, -126.0f), 127.0f));
    return __ks_scale_exp2((bounded - whole) + (bounded == product ? productLow : 0.0f), whole);
}
KS_FUNCTION float __nv_powf(float a, float b)
{
    if (a == 1.0f || b == 0.0f) return 1.0f;
    if (a != a || b != b) return a + b;
    const bool whole = __builtin_truncf(b) == b;
    const bool odd = whole && __builtin_fabsf(b) < 16777216.0f && (static_cast<int>(b) & 1);
    const float size = __builtin_fabsf(a);
    float result;
    if (size == 0.0f || size == __builtin_inff())
        result = (size == 0.0f) == (b > 0.0f) ? 0.0f : __builtin_inff();
    else if (__nv_isinff(b))
        result = size == 1.0f ? 1.0f : (size > 1.0f) == (b > 0.0f) ? __builtin_inff() : 0.0f;
    else
        result = __ks_pow_core(size, b);
    if (a < 0.0f && !whole && size != __builtin_inff()) return __builtin_nanf("");
    return odd && __nv_signbitf(a) ? -result : result;
}
// The C++ library's pow(float, int) is that of two doubles.
__device__ double __nv_pow(double a, double b);
KS_FUNCTION float __nv_powif(float a, int b)
{
    return static_cast<float>(__nv_pow(static_cast<double>(a), static_cast<double>(b)));
}
KS_FUNCTION float __nv_cbrtf(float a)
{
    const float size = __builtin_fabsf(a);
    if (size == 0.0f || !__nv_finitef(a)) return a;
    float root = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(size) * 0.3333333433f);
    const float inverse = __nvvm_rcp_approx_ftz_f(root * root);
    root = __builtin_fmaf(__builtin_fmaf(size, inverse, -root), 0.3333333433f, root);
    return __nv_copysignf(root, a);
}
KS_FUNCTION float __nv_rcbrtf(float a)
{
    return 1.0f / __nv_cbrtf(a);
}
KS_FUNCTION float __nv_hypotf(float a, float b)
{
    const float large = __nvvm_fmax_f(__builtin_fabsf(a), __builtin_fabsf(b));
    const float small = __nvvm_fmin_f(__builtin_fabsf(a), __builtin_fabsf(b));
    if (large == 0.0f || large == __builtin_inff() || a != a || b != b) return large == __builtin_inff() ? large : a + b;
    const float ratio = small / large;
    return large * __nvvm_sqrt_rn_f(__builtin_fmaf(ratio, ratio, 1.0f));
}
KS_FUNCTION float __nv_rhypotf(float a, float b)
{
    return 1.0f / __nv_hypotf(a, b);
}
KS_FUNCTION float __nv_norm3df(float a, float b, float c)
{
    return __nv_hypotf(__nv_hypotf(a, b), c);
}
KS_FUNCTION float __nv_norm4df(float a, float b, float c, float d)
{
    return __nv_hypotf(__nv_hypotf(a, b), __nv_hypotf(c, d));
}
KS_FUNCTION float __nv_rnorm3df(float a, float b, float c)
{
    return 1.0f / __nv_norm3df(a, b, c);
}
KS_FUNCTION float __nv_rnorm4df(float a, float b, float c, float d)
{
    return 1.0f / __nv_norm4df(a, b, c, d);
}
KS_FUNCTION float __nv_fdimf(float a, float b)
{
    return a > b ? a - b : a != a || b != b ? a + b : 0.0f;
}
// Exact: the quotient is taken away in steps of at most 2^23.
KS_FUNCTION float __nv_fmodf(float a, float b)
{
    float rest = __builtin_fabsf(a);
    const float size = __builtin_fabsf(b);
    if (!(size > 0.0f) || !__nv_finitef(rest)) return __builtin_nanf("");
    if (size == __builtin_inff()) return a;
    while (rest >= size) {
        float step = size;
        const int shift = __nv_ilogbf(rest) - __nv_ilogbf(size);
        if (shift > 0) step = size * __nv_int_as_float(((shift > 126 ? 126 : shift) + 127) << 23);
        if (step > rest) step *= 0.5f;
        rest -= step;
    }
    return __nv_copysignf(rest, a);
}
KS_FUNCTION float __nv_remainderf(float a, float b)
{
    const float size = __builtin_fabsf(b);
    float rest = __nv_fmodf(a, b);
    const float magnitude = __builtin_fabsf(rest);
    const float twice = 2.0f * magnitude;
    if (twice > size)
        rest = a < 0.0f ? size - magnitude : magnitude - size;
    else if (twice == size && (static_cast<long long>((a - rest) / b) & 1))
        rest = -rest;
    return rest;
}
KS_FUNCTION float __nv_modff(float a, float *whole)
{
    *whole = __builtin_truncf(a);
    return __nv_isinff(a) ? __nv_copysignf(0.0f, a) : __nv_copysignf(a - *whole, a);
}
KS_FUNCTION float __nv_ldexpf(float a, int exponent)
{
    const int first = __nv_max(__nv_min(exponent, 127), -126);
    const int second = __nv_max(__nv_min(exponent - first, 127), -126);
    return a * __nv_int_as_float((first + 127) << 23) * __nv_int_as_float((second + 127) << 23);
}
KS_FUNCTION float __nv_scalbnf(float a, int exponent)
{
    return __nv_ldexpf(a, exponent);
}
KS_FUNCTION float __nv_frexpf(float a, int *exponent)
{
    if (a == 0.0f || !__nv_finitef(a)) {
        *exponent = 0;
        return a;
    }
    const bool tiny = __builtin_fabsf(a) < 1.175494351e-38f;
    const int bits = __nv_float_as_int(tiny ? a * 8388608.0f : a);
    *exponent = ((bits >> 23) & 0xff) - 126 - (tiny ? 23 : 0);
    return __nv_int_as_float((bits & static_cast<int>(0x807fffffu)) | 0x3f000000);
}
KS_FUNCTION float __nv_nextafterf(float a, float b)
{
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    if (a == 0.0f) return __nv_copysignf(__nv_int_as_float(1), b);
    const int step = (b > a) == (a > 0.0f) ? 1 : -1;
    return __nv_int_as_float(__nv_float_as_int(a) + step);
}
KS_FUNCTION float __nv_nanf(const signed char *)
{
    return __builtin_nanf("");
}
} // extern "C"
