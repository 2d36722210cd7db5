// SPDX-License-Identifier: Apache-2.0
// Device library, part 3: float64 functions, within a few units in the last place of the exact value. Doubles are rare
// in candidates, so these favour short, plain series over tuned ones.
#pragma once

extern "C" {

KS_FUNCTION double __nv_rsqrt(double a)
{
    return __nvvm_rsqrt_approx_d(a);
}
KS_FUNCTION double __nv_rcp64h(double a)
{
    return __nvvm_rcp_approx_ftz_d(a);
}

// --- exponent bits
// -----------------------------------------------------------------------------------------------------------
KS_FUNCTION double __ks_power_of_two(int exponent) // −1022 … 1023
{
    return __nv_longlong_as_double(static_cast<long long>(exponent + 1023) << 52);
}
KS_FUNCTION double __nv_ldexp(double a, int exponent)
{
    const int first = __nv_max(__nv_min(exponent, 1023), -1022);
    const int second = __nv_max(__nv_min(exponent - first, 1023), -1022);
    return a * __ks_power_of_two(first) * __ks_power_of_two(second);
}
KS_FUNCTION double __nv_scalbn(double a, int exponent)
{
    return __nv_ldexp(a, exponent);
}
KS_FUNCTION double __nv_frexp(double a, int *exponent)
{
    if (a == 0.0 || !__nv_isfinited(a)) {
        *exponent = 0;
        return a;
    }
    const bool tiny = __builtin_fabs(a) < 2.2250738585072014e-308;
    const long long bits = static_cast<long long>(__nv_double_as_longlong(tiny ? a * 18014398509481984.0 : a));
    *exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1022 - (tiny ? 54 : 0);
    return __nv_longlong_as_double((bits & static_cast<long long>(0x800fffffffffffffull)) | 0x3fe0000000000000ll);
}
KS_FUNCTION int __nv_ilogb(double a)
{
    int exponent;
    __nv_frexp(a, &exponent);
    return exponent - 1;
}
KS_FUNCTION double __nv_logb(double a)
{
    return static_cast<double>(__nv_ilogb(a));
}

// --- exponentials and logarithms
// -------------------------------------------------------------------------------------------------
KS_FUNCTION double __ks_exp_core(double r) // |r| ≤ ln 2 / 2: Taylor to r^13
{
    double p = 1.6059043836821613e-10;
    p = __builtin_fma(p, r, 2.08767569878681e-9);
    p = __builtin_fma(p, r, 2.505210838544172e-8);
    p = __builtin_fma(p, r, 2.755731922398589e-7);
    p = __builtin_fma(p, r, 2.7557319223985893e-6);
    p = __builtin_fma(p, r, 2.48015873015873e-5);
    p = __builtin_fma(p, r, 1.984126984126984e-4);
    p = __builtin_fma(p, r, 1.388888888888889e-3);
    p = __builtin_fma(p, r, 8.333333333333333e-3);
    p = __builtin_fma(p, r, 4.1666666666666664e-2);
    p = __builtin_fma(p, r, 1.6666666666666666e-1);
    p = __builtin_fma(p, r, 0.5);
    p = __builtin_fma(p, r, 1.0);
    return p; // (exp(r) − 1) / r
}
KS_FUNCTION double __nv_exp(double a)
{
    const double bounded = __nvvm_fmin_d(__nvvm_fmax_d(a, -750.0), 710.0);
    const double n = __builtin_rint(bounded * 1.4426950408889634);
    const double r = __builtin_fma(n, -2.3190468138462996e-17, __builtin_fma(n, -0.6931471805599453, bounded));
    return a != a ? a : __nv_ldexp(__builtin_fma(__ks_exp_core(r), r, 1.0), static_cast<int>(n));
}
KS_FUNCTION double __nv_exp2(double a)
{
    const double bounded = __nvvm_fmin_d(__nvvm_fmax_d(a, -1080.0), 1025.0);
    const double n = __builtin_rint(bounded);
    const double r = (bounded - n) * 0.6931471805599453;
    return a != a ? a : __nv_ldexp(__builtin_fma(__ks_exp_core(r), r, 1.0), static_cast<int>(n));
}
KS_FUNCTION double __nv_exp10(double a)
{
    const double bounded = __nvvm_fmin_d(__nvvm_fmax_d(a, -330.0), 310.0);
    const double n = __builtin_rint(bounded * 3.3219280948873622);
    // a − n·log10 2, then times ln 10; both as sums of two
    const double rest = __builtin_fma(n, 2.8037281277851703e-18, __builtin_fma(n, -0.3010299956639812, bounded));
    const double r = __builtin_fma(rest, 2.3025850929940459, rest * -2.1707562233822494e-16);
    return a != a ? a : __nv_ldexp(__builtin_fma(__ks_exp_core(r), r, 1.0), static_cast<int>(n));
}
KS_FUNCTION double __nv_expm1(double a)
{
    return __builtin_fabs(a) < 0.34 ? __ks_exp_core(a) * a : __nv_exp(a) - 1.0;
}
// log(1 + f) by 2·atanh(f / (2 + f)) for |f| ≤ 0.42, as a pair of doubles.
KS_FUNCTION double __ks_log_core(double f, double *low)
{
    const double sum = 2.0 + f, inverse = 1.0 / sum;
    const double s = f * inverse;
    const double sLow = inverse * (__builtin_fma(-s, sum, f) - s * (f - (sum - 2.0)));
    const double u = s * s;
    double p = 1.0 / 23.0;
    p = __builtin_fma(p, u, 1.0 / 21.0);
    p = __builtin_fma(p, u, 1.0 / 19.0);
    p = __builtin_fma(p, u, 1.0 / 17.0);
    p = __builtin_fma(p, u, 1.0 / 15.0);
    p = __builtin_fma(p, u, 1.0 / 13.0);
    p = __builtin_fma(p, u, 1.0 / 11.0);
    p = __builtin_fma(p, u, 1.0 / 9.0);
    p = __builtin_fma(p, u, 1.0 / 7.0);
    p = __builtin_fma(p, u, 1.0 / 5.0);
    p = __builtin_fma(p, u, 1.0 / 3.0);
    const double main = 2.0 * s, tail = 2.0 * __builtin_fma(p * u, s, sLow);
    const double high = main + tail;
    *low = (main - high) + tail;
    return high;
}
KS_FUNCTION double __ks_log_split(double a, int *exponent)
{
    double mantissa = __nv_frexp(a, exponent); // 0.5 … 1
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        --*exponent;
    }
    return mantissa - 1.0;
}
KS_FUNCTION double __nv_log(double a)
{
    if (!(a > 0.0) || a == __builtin_inf()) return a == 0.0 ? -__builtin_inf() : a < 0.0 ? __builtin_nan("") : a;
    int exponent;
    double low;
    const double high = __ks_log_core(__ks_log_split(a, &exponent), &low);
    const double e = static_cast<double>(exponent);
    return __builtin_fma(e, 0.6931471805599453, high + __builtin_fma(e, 2.3190468138462996e-17, low));
}
KS_FUNCTION double __nv_log2(double a)
{
    int exponent;
    const double fraction = __ks_log_split(a, &exponent);
    double low;
    const double high = __ks_log_core(fraction, &low);
    return a > 0.0 && a < __builtin_inf() ? static_cast<double>(exponent) + (high + low) * 1.4426950408889634
                                          : __nv_log(a);
}
KS_FUNCTION double __nv_log10(double a)
{
    return __nv_log(a) * 0.43429448190325182;
}
KS_FUNCTION double __nv_log1p(double a)
{
    if (__builtin_fabs(a) < 0.4) {
        double low;
        const double high = __ks_log_core(a, &low);
        return high + low;
    }
    return __nv_log(1.0 + a);
}
KS_FUNCTION double __nv_pow(double a, double b)
{
    if (a == 1.0 || b == 0.0) return 1.0;
    if (a != a || b != b) return a + b;
    const bool whole = __builtin_trunc(b) == b;
    const bool odd = whole && __builtin_fabs(b) < 9007199254740992.0 && (static_cast<long long>(b) & 1);
    double size = __builtin_fabs(a);
    asm("" : "+d"(size)); // a constant base is not worked out beforehand, as nvcc does not
    double result;
    if (size == 0.0 || size == __builtin_inf()) {
        result = (size == 0.0) == (b > 0.0) ? 0.0 : __builtin_inf();
    } else if (__nv_isinfd(b)) {
        result = size == 1.0 ? 1.0 : (size > 1.0) == (b > 0.0) ? __builtin_inf() : 0.0;
    } else {
        int exponent;
        double low;
        const double high = __ks_log_core(__ks_log_split(size, &exponent), &low);
        const double e = static_cast<double>(exponent);
        const double main = __builtin_fma(e, 0.6931471805599453, 0.0);
        const double mainLow = __builtin_fma(e, 0.6931471805599453, -main) + e * 2.3190468138462996e-17;
        const double top = main + high;
        const double bottom = (main - top) + high + low + mainLow;
        const double product = b * top;
        const double productLow = __builtin_fma(b, top, -product) + b * bottom;
        const double power = __nv_exp(product);
        result = __nv_isfinited(power) ? __builtin_fma(power, productLow, power) : power;
    }
    if (a < 0.0 && !whole && size != __builtin_inf()) return __builtin_nan("");
    return odd && __nv_signbitd(a) ? -result : result;
}
// The C++ library's pow(double, int) is that of two doubles.
KS_FUNCTION double __nv_powi(double a, int b)
{
    return __nv_pow(a, static_cast<double>(b));
}

// --- hyperbolic functions
// ---------------------------------------------------------------------------------------------
KS_FUNCTION double __nv_sinh(double a)
{
    if (__builtin_fabs(a) < 1.0) { // Taylor to a^19
        const double u = a * a;
        double p = 8.2206352466243295e-18;
        p = __builtin_fma(p, u, 2.8114572543455206e-15);
        p = __builtin_fma(p, u, 7.6471637318198164e-13);
        p = __builtin_fma(p, u, 1.6059043836821613e-10);
        p = __builtin_fma(p, u, 2.505210838544172e-8);
        p = __builtin_fma(p, u, 2.7557319223985893e-6);
        p = __builtin_fma(p, u, 1.984126984126984e-4);
        p = __builtin_fma(p, u, 8.333333333333333e-3);
        p = __builtin_fma(p, u, 1.6666666666666666e-1);
        return __builtin_fma(p * u, a, a);
    }
    const double half = 0.5 * __nv_expm1(__builtin_fabs(a));
    return __nv_copysign(half + half / __builtin_fma(half, 2.0, 1.0), a);
}
KS_FUNCTION double __nv_cosh(double a)
{
    const double e = 0.5 * __nv_exp(__builtin_fabs(a));
    return e + 0.25 / e;
}
KS_FUNCTION double __nv_tanh(double a)
{
    const double e = __nv_expm1(2.0 * __nvvm_fmin_d(__builtin_fabs(a), 30.0));
    return a != a ? a : __nv_copysign(e / (e + 2.0), a);
}
KS_FUNCTION double __nv_asinh(double a)
{
    const double size = __builtin_fabs(a);
    const double root = __nvvm_sqrt_rn_d(__builtin_fma(size, size, 1.0));
    return __nv_copysign(
        size > 1e150 ? __nv_log(size) + 0.6931471805599453 : __nv_log1p(size + size * size / (1.0 + root)), a);
}
KS_FUNCTION double __nv_acosh(double a)
{
    const double t = a - 1.0;
    return a > 1e150 ? __nv_log(a) + 0.6931471805599453
                     : __nv_log1p(t + __nvvm_sqrt_rn_d(__builtin_fma(2.0, t, t * t)));
}
KS_FUNCTION double __nv_atanh(double a)
{
    const double size = __builtin_fabs(a);
    return __nv_copysign(0.5 * __nv_log1p(2.0 * size / (1.0 - size)), a);
}
// --- trigonometry
// ------------------------------------------------------------------------------------------------------------------
KS_FUNCTION double __ks_reduce_double(double a, int *quadrant)
{
    const double n = __builtin_rint(a * 0.63661977236758134308);
    *quadrant = static_cast<int>(static_cast<long long>(n));
    const double first = __builtin_fma(n, -1.5707963267948966, a);
    return __builtin_fma(n, 1.4973849048591833e-33, __builtin_fma(n, -6.123233995736766e-17, first));
}
// Coefficients of (sin a − a) / (a u) and (cos a − 1) / u, u = a².
static __device__ const double __ks_sine_table[2][8] = {
    {2.8114572543455206e-15, -7.6471637318198164e-13, 1.6059043836821613e-10, -2.505210838544172e-8, 2.7557319223985893e-6,
     -1.984126984126984e-4, 8.333333333333333e-3, -1.6666666666666666e-1},
    {4.7794773323873853e-14, -1.1470745597729725e-11, 2.08767569878681e-9, -2.755731922398589e-7, 2.48015873015873e-5,
     -1.388888888888889e-3, 4.1666666666666664e-2, -0.5}};
// One polynomial, whose coefficients the quadrant chooses from memory: no lane waits for another's branch.
KS_FUNCTION double __ks_sin_or_cos_double(double a, bool cosine)
{
    const double *table = __ks_sine_table[cosine ? 1 : 0];
    const double u = a * a, base = cosine ? 1.0 : a;
    double p = table[0];
#pragma unroll
    for (int i = 1; i < 8; ++i)
        p = __builtin_fma(p, u, table[i]);
    return __builtin_fma(p * u, base, base);
}
KS_FUNCTION double __nv_sin(double a)
{
    int quadrant;
    const double rest = __ks_reduce_double(a, &quadrant);
    const double value = __ks_sin_or_cos_double(rest, (quadrant & 1) != 0);
    return quadrant & 2 ? -value : value;
}
KS_FUNCTION double __nv_cos(double a)
{
    int quadrant;
    const double rest = __ks_reduce_double(a, &quadrant);
    const double value = __ks_sin_or_cos_double(rest, (quadrant & 1) == 0);
    return (quadrant + 1) & 2 ? -value : value;
}
KS_FUNCTION void __nv_sincos(double a, double *sine, double *cosine)
{
    *sine = __nv_sin(a);
    *cosine = __nv_cos(a);
}
KS_FUNCTION double __nv_tan(double a)
{
    double s, c;
    __nv_sincos(a, &s, &c);
    return s / c;
}
// a π as a number of quarter turns and what is left.
KS_FUNCTION double __ks_reduce_half_turns_double(double a, int *quadrant)
{
    const double n = __builtin_rint(a * 2.0);
    *quadrant = static_cast<int>(static_cast<long long>(__builtin_fabs(n) < 1e18 ? n : 0.0));
    const double rest = __builtin_fma(n, -0.5, a);
    return __builtin_fma(rest, 3.1415926535897931, rest * 1.2246467991473532e-16);
}
KS_FUNCTION double __nv_sinpi(double a)
{
    int quadrant;
    const double rest = __ks_reduce_half_turns_double(a, &quadrant);
    const double value = __ks_sin_or_cos_double(rest, (quadrant & 1) != 0);
    return quadrant & 2 ? -value : value;
}
KS_FUNCTION double __nv_cospi(double a)
{
    int quadrant;
    const double rest = __ks_reduce_half_turns_double(a, &quadrant);
    const double value = __ks_sin_or_cos_double(rest, (quadrant & 1) == 0);
    return (quadrant + 1) & 2 ? -value : value;
}
KS_FUNCTION void __nv_sincospi(double a, double *sine, double *cosine)
{
    *sine = __nv_sinpi(a);
    *cosine = __nv_cospi(a);
}
KS_FUNCTION double __ks_atan_double(double a) // |a| ≤ √2 − 1
{
    const double u = a * a;
    double p = 1.62835723564825896e-02;
    p = __builtin_fma(p, u, -3.45685906686069022e-02);
    p = __builtin_fma(p, u, 4.55151656359031043e-02);
    p = __builtin_fma(p, u, -5.23043746425168737e-02);
    p = __builtin_fma(p, u, 5.87892671575672571e-02);
    p = __builtin_fma(p, u, -6.66642468724649995e-02);
    p = __builtin_fma(p, u, 7.69229636397995159e-02);
    p = __builtin_fma(p, u, -9.09090875311859420e-02);
    p = __builtin_fma(p, u, 1.11111111051477640e-01);
    p = __builtin_fma(p, u, -1.42857142856597480e-01);
    p = __builtin_fma(p, u, 1.99999999999998040e-01);
    p = __builtin_fma(p, u, -3.33333333333333315e-01);
    return __builtin_fma(p * u, a, a);
}
KS_FUNCTION double __nv_atan(double a)
{
    const double size = __builtin_fabs(a);
    const double inner = size > 1.0 ? 1.0 / size : size;
    // Above √2 − 1: atan(x) = π/4 + atan((x − 1) / (x + 1)).
    const bool upper = inner > 0.41421356237309503;
    double angle =
        __ks_atan_double(upper ? (inner - 1.0) / (inner + 1.0) : inner) + (upper ? 0.78539816339744828 : 0.0);
    if (size > 1.0) angle = 1.5707963267948966 - angle;
    return a != a ? a : __nv_copysign(angle, a);
}
KS_FUNCTION double __nv_atan2(double y, double x)
{
    const double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    double angle = ax == 0.0 && ay == 0.0 ? 0.0 : ax == ay ? 0.78539816339744828 : __nv_atan(ay / ax);
    if (__nv_signbitd(x)) angle = 3.1415926535897931 - angle;
    return x != x || y != y ? x + y : __nv_copysign(angle, y);
}
KS_FUNCTION double __nv_asin(double a)
{
    return __nv_atan2(a, __nvvm_sqrt_rn_d((1.0 - a) * (1.0 + a)));
}
KS_FUNCTION double __nv_acos(double a)
{
    return __nv_atan2(__nvvm_sqrt_rn_d((1.0 - a) * (1.0 + a)), a);
}

// --- roots, lengths, remainders
// ------------------------------------------------------------------------------------------------------
// size^(−1/3) and the cube root of a positive, finite number by Newton's method from the float32 estimate.
KS_FUNCTION double __ks_cube_root(double size, double *inverse)
{
    int exponent;
    const double mantissa = __nv_frexp(size, &exponent);
    const int third = (exponent + 1074) / 3 - 358; // rounded down; 1074 = 3 · 358
    const double scaled = mantissa * __ks_power_of_two(exponent - 3 * third); // 1/2 … 4
    const float estimate = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(static_cast<float>(scaled)) * -0.3333333433f);
    double z = static_cast<double>(estimate);
    const double error = __builtin_fma(-scaled * z * z, z, 1.0);
    z = __builtin_fma(z * error, __builtin_fma(error, 0.22222222222222221, 0.33333333333333331), z);
    double root = scaled * z * z;
    root = __builtin_fma(__builtin_fma(-root * root, root, scaled), z * z * 0.33333333333333331, root);
    *inverse = z * __ks_power_of_two(-third);
    return root * __ks_power_of_two(third);
}
KS_FUNCTION double __nv_cbrt(double a)
{
    const double size = __builtin_fabs(a);
    if (size == 0.0 || !__nv_isfinited(a)) return a;
    double inverse;
    return __nv_copysign(__ks_cube_root(size, &inverse), a);
}
KS_FUNCTION double __nv_rcbrt(double a)
{
    const double size = __builtin_fabs(a);
    if (size == 0.0 || !__nv_isfinited(a)) return 1.0 / a;
    double inverse;
    __ks_cube_root(size, &inverse);
    return __nv_copysign(inverse, a);
}
KS_FUNCTION double __nv_hypot(double a, double b)
{
    const double large = __nvvm_fmax_d(__builtin_fabs(a), __builtin_fabs(b));
    const double small = __nvvm_fmin_d(__builtin_fabs(a), __builtin_fabs(b));
    if (large == 0.0 || large == __builtin_inf() || a != a || b != b) return large == __builtin_inf() ? large : a + b;
    const double ratio = small / large;
    return large * __nvvm_sqrt_rn_d(__builtin_fma(ratio, ratio, 1.0));
}
KS_FUNCTION double __nv_rhypot(double a, double b)
{
    return 1.0 / __nv_hypot(a, b);
}
KS_FUNCTION double __nv_norm3d(double a, double b, double c)
{
    return __nv_hypot(__nv_hypot(a, b), c);
}
KS_FUNCTION double __nv_norm4d(double a, double b, double c, double d)
{
    return __nv_hypot(__nv_hypot(a, b), __nv_hypot(c, d));
}
KS_FUNCTION double __nv_rnorm3d(double a, double b, double c)
{
    return 1.0 / __nv_norm3d(a, b, c);
}
KS_FUNCTION double __nv_rnorm4d(double a, double b, double c, double d)
{
    return 1.0 / __nv_norm4d(a, b, c, d);
}
KS_FUNCTION double __nv_fdim(double a, double b)
{
    return a > b ? a - b : a != a || b != b ? a + b : 0.0;
}
KS_FUNCTION double __nv_fmod(double a, double b)
{
    double rest = __builtin_fabs(a);
    const double size = __builtin_fabs(b);
    if (!(size > 0.0) || !__nv_isfinited(rest)) return __builtin_nan("");
    if (size == __builtin_inf()) return a;
    while (rest >= size) {
        const int shift = __nv_min(__nv_ilogb(rest) - __nv_ilogb(size), 1022);
        double step = shift > 0 ? size * __ks_power_of_two(shift) : size;
        if (step > rest) step *= 0.5;
        rest -= step;
    }
    return __nv_copysign(rest, a);
}
KS_FUNCTION double __nv_remainder(double a, double b)
{
    const double size = __builtin_fabs(b);
    double rest = __nv_fmod(a, b);
    const double magnitude = __builtin_fabs(rest);
    if (2.0 * magnitude > size)
        rest = a < 0.0 ? size - magnitude : magnitude - size;
    else if (2.0 * magnitude == size && (static_cast<long long>((a - rest) / b) & 1))
        rest = -rest;
    return rest;
}
KS_FUNCTION double __nv_modf(double a, double *whole)
{
    *whole = __builtin_trunc(a);
    return __nv_isinfd(a) ? __nv_copysign(0.0, a) : __nv_copysign(a - *whole, a);
}
KS_FUNCTION double __nv_nextafter(double a, double b)
{
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    if (a == 0.0) return __nv_copysign(__nv_longlong_as_double(1), b);
    return __nv_longlong_as_double(static_cast<long long>(__nv_double_as_longlong(a)) +
                                   ((b > a) == (a > 0.0) ? 1 : -1));
}
KS_FUNCTION double __nv_nan(const signed char *)
{
    return __builtin_nan("");
}
} // extern "C"
