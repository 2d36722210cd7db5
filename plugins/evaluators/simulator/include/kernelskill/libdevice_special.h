// SPDX-License-Identifier: Apache-2.0
// Device library, part 4: error functions, their inverses, gamma functions. The polynomials were fitted with Chebyshev points
// to 60 digits of the functions; the longest path takes about as many instructions as the assembler's (counted on an H200,
// tests/bench/simulator_maths).
#pragma once

extern "C" {

// --- error functions
// log2(erfc(x)) for 1 ≤ x ≤ 4, where erfc falls below half a unit in the last place of 1.
KS_FUNCTION float __ks_log2_erfc(float x)
{
    float p = 2.361910219e-06f;
    p = __builtin_fmaf(p, x, -6.644771202e-05f);
    p = __builtin_fmaf(p, x, 8.610085351e-04f);
    p = __builtin_fmaf(p, x, -6.866645999e-03f);
    p = __builtin_fmaf(p, x, 3.811764345e-02f);
    p = __builtin_fmaf(p, x, -1.588119864e-01f);
    p = __builtin_fmaf(p, x, -9.115322828e-01f);
    p = __builtin_fmaf(p, x, -1.630582213f);
    return __builtin_fmaf(p, x, 4.618615785e-04f);
}
KS_FUNCTION float __nv_erff(float a)
{
    const float size = __builtin_fabsf(a);
    if (size >= 1.0f) {
        const float tail = __nvvm_ex2_approx_f(__ks_log2_erfc(__nvvm_fmin_f(size, 4.0f)));
        return a != a ? a : __nv_copysignf(1.0f - tail, a);
    }
    const float u = a * a;
    float p = 7.875874871e-05f;
    p = __builtin_fmaf(p, u, -8.016864303e-04f);
    p = __builtin_fmaf(p, u, 5.189087242e-03f);
    p = __builtin_fmaf(p, u, -2.685421146e-02f);
    p = __builtin_fmaf(p, u, 1.128359437e-01f);
    p = __builtin_fmaf(p, u, -3.761262596e-01f);
    p = __builtin_fmaf(p, u, 1.283791661e-01f);
    return __builtin_fmaf(p, a, a);
}
// e^(x²)·erfc(x) for x ≥ 0, by (1 + 2x) times it as a polynomial of t = (x − 4) / (x + 4), up to x = 10.2.
KS_FUNCTION float __ks_scaled_erfcf(float x)
{
    const float sum = x + 4.0f, inverse = __nvvm_rcp_approx_ftz_f(sum);
    float t = (x - 4.0f) * inverse;
    t = __builtin_fmaf(__builtin_fmaf(-t, sum, x - 4.0f), inverse, t);
    float p = 0.0008428820181f;
    p = __builtin_fmaf(p, t, 0.006906454607f);
    p = __builtin_fmaf(p, t, -0.0159890129f);
    p = __builtin_fmaf(p, t, 0.03642556307f);
    p = __builtin_fmaf(p, t, -0.06660242135f);
    p = __builtin_fmaf(p, t, 0.09382596123f);
    p = __builtin_fmaf(p, t, -0.1009945266f);
    p = __builtin_fmaf(p, t, 0.06809265328f);
    p = __builtin_fmaf(p, t, 0.01537751376f);
    p = __builtin_fmaf(p, t, -0.1396210454f);
    p = __builtin_fmaf(p, t, 1.232995134f);
    const float lower = __builtin_fmaf(x, 2.0f, 1.0f), part = __nvvm_rcp_approx_ftz_f(lower);
    const float quotient = p * part;
    return __builtin_fmaf(__builtin_fmaf(-quotient, lower, p), part, quotient);
}
// erfc(x + low) where |low| is below a unit in the last place of x ≥ 0.
KS_FUNCTION float __ks_erfc_of_sumf(float x, float low)
{
    const float bounded = __nvvm_fmin_f(x, 10.2f);
    const float square = bounded * bounded;
    const float rest = __builtin_fmaf(bounded, bounded, -square) + 2.0f * bounded * low;
    const float e = __nv_expf(-square);
    return __builtin_fmaf(-e, rest, e) * __ks_scaled_erfcf(bounded);
}
KS_FUNCTION float __nv_erfcf(float a)
{
    const float value = __ks_erfc_of_sumf(__builtin_fabsf(a), 0.0f);
    return a != a ? a : a < 0.0f ? 2.0f - value : value;
}
KS_FUNCTION float __nv_erfcxf(float a)
{
    const float size = __builtin_fabsf(a);
    const float inverse = 1.0f / size, u = inverse * inverse; // far out: 1/(x √π)·(1 − 1/(2x²) + 3/(4x⁴) − 15/(8x⁶))
    float far = __builtin_fmaf(u, -1.875f, 0.75f);
    far = __builtin_fmaf(far, u, -0.5f);
    far = __builtin_fmaf(far, u, 1.0f) * 0.5641895835f * inverse;
    const float value = size < 10.0f ? __ks_scaled_erfcf(size) : far;
    if (!(a < 0.0f)) return a != a ? a : value;
    const float square = a * a, e = __nv_expf(square);
    return __builtin_fmaf(2.0f, __builtin_fmaf(e, __builtin_fmaf(a, a, -square), e), -value);
}
KS_FUNCTION float __nv_normcdff(float a)
{
    const float x = a * -0.7071067691f;
    const float low = __builtin_fmaf(a, -0.7071067691f, -x) + a * -1.210161749e-08f;
    const float size = __builtin_fabsf(x);
    const float value = 0.5f * __ks_erfc_of_sumf(size, x < 0.0f ? -low : low);
    return a != a ? a : x < 0.0f ? 1.0f - value : value;
}

KS_FUNCTION double __ks_scaled_erfc(double x) // as above, for 0.5 ≤ x ≤ 28
{
    const double sum = x + 4.0, inverse = 1.0 / sum;
    double t = (x - 4.0) * inverse;
    t = __builtin_fma(__builtin_fma(-t, sum, x - 4.0), inverse, t);
    double p = -1.047671867466837e-8;
    p = __builtin_fma(p, t, -1.2224048303152388e-8);
    p = __builtin_fma(p, t, 1.0568025135820958e-7);
    p = __builtin_fma(p, t, 6.7024528337289707e-8);
    p = __builtin_fma(p, t, -8.2255956320607202e-7);
    p = __builtin_fma(p, t, 2.9955790685567077e-7);
    p = __builtin_fma(p, t, 5.7086428044048147e-6);
    p = __builtin_fma(p, t, -1.1224732247350101e-5);
    p = __builtin_fma(p, t, -2.4398983809134552e-5);
    p = __builtin_fma(p, t, 0.00015062249512264785);
    p = __builtin_fma(p, t, -0.00019925671345040716);
    p = __builtin_fma(p, t, -0.00075777344867628079);
    p = __builtin_fma(p, t, 0.0050319699756138132);
    p = __builtin_fma(p, t, -0.01619773403826592);
    p = __builtin_fma(p, t, 0.03716751553818893);
    p = __builtin_fma(p, t, -0.066330365813607131);
    p = __builtin_fma(p, t, 0.093732834998287502);
    p = __builtin_fma(p, t, -0.10103906603625375);
    p = __builtin_fma(p, t, 0.068097054254694797);
    p = __builtin_fma(p, t, 0.015379652102619026);
    p = __builtin_fma(p, t, -0.13962111684056253);
    p = __builtin_fma(p, t, 1.2329951186255525);
    return p / __builtin_fma(x, 2.0, 1.0);
}
KS_FUNCTION double __ks_erfc_of_sum(double x, double low) // x ≥ 0.5
{
    const double bounded = __nvvm_fmin_d(x, 28.0);
    const double square = bounded * bounded;
    const double rest = __builtin_fma(bounded, bounded, -square) + 2.0 * bounded * low;
    const double e = __nv_exp(-square);
    return __builtin_fma(-e, rest, e) * __ks_scaled_erfc(bounded);
}
KS_FUNCTION double __ks_erf_near(double a) // |a| ≤ 1
{
    const double u = a * a;
    double p = -7.7958988270021422e-10;
    p = __builtin_fma(p, u, 1.3720064546777686e-8);
    p = __builtin_fma(p, u, -1.6208483801871706e-7);
    p = __builtin_fma(p, u, 1.6447424703317362e-6);
    p = __builtin_fma(p, u, -1.492473690741966e-5);
    p = __builtin_fma(p, u, 0.00012055294904839708);
    p = __builtin_fma(p, u, -0.00085483259753896921);
    p = __builtin_fma(p, u, 0.0052239776071164227);
    p = __builtin_fma(p, u, -0.02686617064323777);
    p = __builtin_fma(p, u, 0.11283791670945006);
    p = __builtin_fma(p, u, -0.3761263890318354);
    p = __builtin_fma(p, u, 1.1283791670955126);
    return p * a;
}
// Both forms and a choice, so that no lane waits for another's branch.
KS_FUNCTION double __nv_erf(double a)
{
    const double size = __builtin_fabs(a);
    const double far = __nv_copysign(1.0 - __ks_erfc_of_sum(__nvvm_fmin_d(size, 6.0), 0.0), a);
    return !(size >= 1.0) ? __ks_erf_near(a) : far;
}
KS_FUNCTION double __nv_erfc(double a)
{
    const double size = __builtin_fabs(a);
    const double value = __ks_erfc_of_sum(size, 0.0);
    return !(size >= 0.5) ? 1.0 - __ks_erf_near(a) : a < 0.0 ? 2.0 - value : value;
}
KS_FUNCTION double __nv_erfcx(double a)
{
    const double size = __builtin_fabs(a);
    const double square = a * a;
    if (size < 0.5) return __nv_exp(square) * (1.0 - __ks_erf_near(a));
    const double u = 1.0 / square; // far out: 1/(x √π)·(1 − 1/(2x²) + 3/(4x⁴) − 15/(8x⁶) + …)
    double far = __builtin_fma(u, 162.421875, -29.53125);
    far = __builtin_fma(far, u, 6.5625);
    far = __builtin_fma(far, u, -1.875);
    far = __builtin_fma(far, u, 0.75);
    far = __builtin_fma(far, u, -0.5);
    far = __builtin_fma(far, u, 1.0) * 0.56418958354775629 / size;
    const double value = size < 28.0 ? __ks_scaled_erfc(size) : far;
    if (!(a < 0.0)) return a != a ? a : value;
    const double e = __nv_exp(square);
    return __builtin_fma(2.0, __builtin_fma(e, __builtin_fma(a, a, -square), e), -value);
}
KS_FUNCTION double __nv_normcdf(double a)
{
    const double x = a * -0.70710678118654757;
    const double low = __builtin_fma(a, -0.70710678118654757, -x) + a * 4.8336466567264567e-17;
    const double size = __builtin_fabs(x);
    if (size < 0.5) return 0.5 - 0.5 * __ks_erf_near(x);
    const double value = 0.5 * __ks_erfc_of_sum(size, x < 0.0 ? -low : low);
    return a != a ? a : x < 0.0 ? 1.0 - value : value;
}

// --- their inverses
// erf⁻¹(x)/x as a function of w = −log(1 − x²), of √w where that is large; float32's last place.
KS_FUNCTION float __ks_erfinv_ratio(float w)
{
    if (w < 5.0f) {
        const float v = w - 2.5f;
        float p = 2.260597774e-8f;
        p = __builtin_fmaf(p, v, 3.42224709e-7f);
        p = __builtin_fmaf(p, v, -3.454779514e-6f);
        p = __builtin_fmaf(p, v, -4.380346714e-6f);
        p = __builtin_fmaf(p, v, 0.0002183129798f);
        p = __builtin_fmaf(p, v, -0.001253758885f);
        p = __builtin_fmaf(p, v, -0.004177346517f);
        p = __builtin_fmaf(p, v, 0.2466407663f);
        p = __builtin_fmaf(p, v, 1.501409351f);
        return p;
    }
    const float v = __nvvm_sqrt_rn_f(w) - 3.0f;
    float p = -9.046616355e-5f;
    p = __builtin_fmaf(p, v, -4.468848489e-7f);
    p = __builtin_fmaf(p, v, 0.001216593558f);
    p = __builtin_fmaf(p, v, -0.003564525762f);
    p = __builtin_fmaf(p, v, 0.005793059851f);
    p = __builtin_fmaf(p, v, -0.007655540084f);
    p = __builtin_fmaf(p, v, 0.009431273894f);
    p = __builtin_fmaf(p, v, 1.001676539f);
    p = __builtin_fmaf(p, v, 2.832977106f);
    return p;
}
KS_FUNCTION float __nv_erfinvf(float a)
{
    const float size = __builtin_fabsf(a);
    if (size >= 1.0f) return size == 1.0f ? __nv_copysignf(__builtin_inff(), a) : __builtin_nanf("");
    return a * __ks_erfinv_ratio(__nvvm_lg2_approx_f(__builtin_fmaf(-a, a, 1.0f)) * -0.6931471806f);
}
// y with erfc(y) = q for 0 < q ≤ 1: a start and two steps of Halley's method.
KS_FUNCTION double __ks_erfcinv_below(double q)
{
    const double w = -__nv_log(q * (2.0 - q));
    double y;
    if (w < 5.0) {
        y = (1.0 - q) * static_cast<double>(__ks_erfinv_ratio(static_cast<float>(w)));
    } else {
        const double s = __nvvm_sqrt_rn_d(w);
        double p = 8.570211807935751e-9;
        p = __builtin_fma(p, s, -8.4697464928595282e-7);
        p = __builtin_fma(p, s, 3.3033661549814152e-5);
        p = __builtin_fma(p, s, -0.00063610637897472581);
        p = __builtin_fma(p, s, 0.0059802369929542594);
        p = __builtin_fma(p, s, 0.98264167668593852);
        p = __builtin_fma(p, s, -0.15157793912740549);
        y = p;
    }
    for (int i = 0; i < 2; ++i) {
        const double e = __nv_exp(-y * y);
        const double d = (__nv_erfc(y) - q) / (1.1283791670955126 * e);
        y += d / (1.0 - y * d);
    }
    return y;
}
KS_FUNCTION double __nv_erfcinv(double a)
{
    if (!(a > 0.0 && a < 2.0)) return a == 0.0 ? __builtin_inf() : a == 2.0 ? -__builtin_inf() : __builtin_nan("");
    return a <= 1.0 ? __ks_erfcinv_below(a) : -__ks_erfcinv_below(2.0 - a);
}
KS_FUNCTION double __nv_erfinv(double a)
{
    const double size = __builtin_fabs(a);
    if (!(size < 1.0)) return size == 1.0 ? __nv_copysign(__builtin_inf(), a) : __builtin_nan("");
    if (size > 0.5) return __nv_copysign(__ks_erfcinv_below(1.0 - size), a);
    double y = a * static_cast<double>(__ks_erfinv_ratio(static_cast<float>(-__nv_log1p(-a * a))));
    const double d = (__ks_erf_near(y) - a) / (1.1283791670955126 * __nv_exp(-y * y));
    y -= d / __builtin_fma(y, d, 1.0);
    return a == 0.0 ? a : y;
}
KS_FUNCTION double __nv_normcdfinv(double a)
{
    return -1.4142135623730951 * __nv_erfcinv(2.0 * a);
}
KS_FUNCTION float __nv_erfcinvf(float a)
{
    return static_cast<float>(__nv_erfcinv(static_cast<double>(a)));
}
KS_FUNCTION float __nv_normcdfinvf(float a)
{
    return static_cast<float>(__nv_normcdfinv(static_cast<double>(a)));
}

// --- gamma functions
// Γ(x) = product / (divisor · Γ'), where Γ' = 1/Γ(1 + f) is a polynomial and 1 + f is x brought to 1 … 2 by whole steps.
KS_FUNCTION float __nv_tgammaf(float a)
{
    if (a != a || a == __builtin_inff()) return a;
    if (a < 0.0f && __builtin_truncf(a) == a) return __builtin_nanf("");
    if (a < -45.0f) return 0.0f;
    float x = __nvvm_fmin_f(a, 37.0f), product = 1.0f, divisor = 1.0f;
    while (x >= 2.0f) {
        x -= 1.0f;
        product *= x;
    }
    while (x < 1.0f) {
        divisor *= x;
        x += 1.0f;
    }
    const float f = x - 1.0f;
    float p = 0.0001436882837f;
    p = __builtin_fmaf(p, f, -0.001740940695f);
    p = __builtin_fmaf(p, f, 0.007793194911f);
    p = __builtin_fmaf(p, f, -0.009989048478f);
    p = __builtin_fmaf(p, f, -0.04204742676f);
    p = __builtin_fmaf(p, f, 0.166500299f);
    p = __builtin_fmaf(p, f, -0.04199693712f);
    p = __builtin_fmaf(p, f, -0.6558785071f);
    p = __builtin_fmaf(p, f, 0.5772156779f);
    p = __builtin_fmaf(p, f, 0.9999999999f);
    return product / (divisor * p);
}
KS_FUNCTION double __nv_tgamma(double a)
{
    if (a != a || a == __builtin_inf()) return a;
    if (a < 0.0 && __builtin_trunc(a) == a) return __builtin_nan("");
    if (a < -185.0) return 0.0;
    double x = __nvvm_fmin_d(a, 173.0), product = 1.0, divisor = 1.0;
    while (x >= 2.0) {
        x -= 1.0;
        product *= x;
    }
    while (x < 1.0) {
        divisor *= x;
        x += 1.0;
    }
    const double f = x - 1.0;
    double p = -8.5218204466812073e-10;
    p = __builtin_fma(p, f, 2.3630858794920431e-8);
    p = __builtin_fma(p, f, -2.4083612503619525e-7);
    p = __builtin_fma(p, f, 1.1832658730843587e-6);
    p = __builtin_fma(p, f, -1.3030643874115745e-6);
    p = __builtin_fma(p, f, -2.009377474090673e-5);
    p = __builtin_fma(p, f, 0.00012802610331145716);
    p = __builtin_fma(p, f, -0.00021523094537767174);
    p = __builtin_fma(p, f, -0.0011651711582134274);
    p = __builtin_fma(p, f, 0.0072189441225496722);
    p = __builtin_fma(p, f, -0.0096219716832091873);
    p = __builtin_fma(p, f, -0.042197734536338841);
    p = __builtin_fma(p, f, 0.16653861138072179);
    p = __builtin_fma(p, f, -0.04200263503401723);
    p = __builtin_fma(p, f, -0.65587807152025593);
    p = __builtin_fma(p, f, 0.57721566490153288);
    p = __builtin_fma(p, f, 1.0);
    return product / (divisor * p);
}
// log Γ(1 + f) = f (f − 1) r(f) for 0 ≤ f ≤ 1, which keeps its last place at the two zeros; from 12 on Stirling's series.
KS_FUNCTION float __ks_lgammaf_of_positive(float a)
{
    if (a >= 12.0f) {
        const float inverse = 1.0f / a;
        const float series = inverse * __builtin_fmaf(inverse * inverse, -2.777777778e-03f, 8.333333333e-02f);
        return a == __builtin_inff() ? a : __builtin_fmaf(a - 0.5f, __nv_logf(a), series + (0.9189385332f - a));
    }
    float x = a, product = 1.0f;
    while (x >= 2.0f) {
        x -= 1.0f;
        product *= x;
    }
    if (x < 1.0f) {
        product = x;
        x += 1.0f;
    }
    const float f = a < 1.0f ? a : x - 1.0f;
    float p = -0.001487484341f;
    p = __builtin_fmaf(p, f, 0.009140424189f);
    p = __builtin_fmaf(p, f, -0.0263120741f);
    p = __builtin_fmaf(p, f, 0.0490538676f);
    p = __builtin_fmaf(p, f, -0.07072465539f);
    p = __builtin_fmaf(p, f, 0.09065067068f);
    p = __builtin_fmaf(p, f, -0.1149184021f);
    p = __builtin_fmaf(p, f, 0.1554171873f);
    p = __builtin_fmaf(p, f, -0.2452508625f);
    p = __builtin_fmaf(p, f, 0.5772156624f);
    const float near = f * (f - 1.0f) * p;
    const float far = product == 1.0f ? 0.0f : __nv_logf(product);
    return a < 1.0f ? near - far : near + far;
}
KS_FUNCTION double __ks_lgamma_of_positive(double a)
{
    if (a >= 12.0) {
        const double inverse = 1.0 / a, u = inverse * inverse;
        double series = __builtin_fma(u, 6.4102564102564103e-03, -1.9175269175269176e-03);
        series = __builtin_fma(series, u, 8.4175084175084171e-04);
        series = __builtin_fma(series, u, -5.9523809523809529e-04);
        series = __builtin_fma(series, u, 7.9365079365079365e-04);
        series = __builtin_fma(series, u, -2.7777777777777778e-03);
        series = __builtin_fma(series, u, 8.3333333333333333e-02) * inverse;
        return a == __builtin_inf() ? a : __builtin_fma(a - 0.5, __nv_log(a), series + (0.91893853320467274 - a));
    }
    double x = a, product = 1.0;
    while (x >= 2.0) {
        x -= 1.0;
        product *= x;
    }
    if (x < 1.0) {
        product = x;
        x += 1.0;
    }
    const double f = a < 1.0 ? a : x - 1.0;
    double p = -7.7606601525134468e-6;
    p = __builtin_fma(p, f, 9.3626939685364598e-5);
    p = __builtin_fma(p, f, -0.0005371898147164853);
    p = __builtin_fma(p, f, 0.0019594193741811493);
    p = __builtin_fma(p, f, -0.0051359784283909958);
    p = __builtin_fma(p, f, 0.010401814189561223);
    p = __builtin_fma(p, f, -0.017166114413574864);
    p = __builtin_fma(p, f, 0.02416460692385533);
    p = __builtin_fma(p, f, -0.030294495317019716);
    p = __builtin_fma(p, f, 0.035225211431990578);
    p = __builtin_fma(p, f, -0.039330307956418493);
    p = __builtin_fma(p, f, 0.043239296217468638);
    p = __builtin_fma(p, f, -0.047504916278491117);
    p = __builtin_fma(p, f, 0.052549673193427141);
    p = __builtin_fma(p, f, -0.058777056747920726);
    p = __builtin_fma(p, f, 0.066731640984948832);
    p = __builtin_fma(p, f, -0.077318162402662373);
    p = __builtin_fma(p, f, 0.092239008175334299);
    p = __builtin_fma(p, f, -0.11514654255541209);
    p = __builtin_fma(p, f, 0.15543426586382065);
    p = __builtin_fma(p, f, -0.24525136852257955);
    p = __builtin_fma(p, f, 0.57721566490153286);
    const double near = f * (f - 1.0) * p;
    const double far = product == 1.0 ? 0.0 : __nv_log(product);
    return a < 1.0 ? near - far : near + far;
}
KS_FUNCTION float __nv_lgammaf(float a)
{
    if (a != a) return a;
    if (a > 0.0f) return __ks_lgammaf_of_positive(a);
    // Γ(a)·Γ(1 − a) = π / sin πa
    if (__builtin_truncf(a) == a) return __builtin_inff();
    const float sine = __builtin_fabsf(__nv_sinpif(a));
    return 1.144729886f - __nv_logf(sine) - __ks_lgammaf_of_positive(1.0f - a);
}
KS_FUNCTION double __nv_lgamma(double a)
{
    if (a != a) return a;
    if (a > 0.0) return __ks_lgamma_of_positive(a);
    if (__builtin_trunc(a) == a) return __builtin_inf();
    const double sine = __builtin_fabs(__nv_sinpi(a));
    return 1.1447298858494002 - __nv_log(sine) - __ks_lgamma_of_positive(1.0 - a);
}

// --- lengths of vectors in memory, remainders with their quotient
KS_FUNCTION double __nv_norm(int count, const double *from)
{
    double largest = 0.0, sum = 0.0;
    bool odd = false; // something that is no number
    for (int i = 0; i < count; ++i) {
        largest = __nvvm_fmax_d(largest, __builtin_fabs(from[i]));
        odd |= from[i] != from[i];
    }
    if (largest == 0.0 || largest == __builtin_inf()) return odd && largest == 0.0 ? __builtin_nan("") : largest;
    for (int i = 0; i < count; ++i) {
        const double part = from[i] / largest;
        sum = __builtin_fma(part, part, sum);
    }
    return largest * __nvvm_sqrt_rn_d(sum);
}
KS_FUNCTION double __nv_rnorm(int count, const double *from)
{
    return 1.0 / __nv_norm(count, from);
}
KS_FUNCTION float __nv_normf(int count, const float *from)
{
    double sum = 0.0; // cannot overflow
    for (int i = 0; i < count; ++i)
        sum = __builtin_fma(static_cast<double>(from[i]), static_cast<double>(from[i]), sum);
    return static_cast<float>(__nvvm_sqrt_rn_d(sum));
}
KS_FUNCTION float __nv_rnormf(int count, const float *from)
{
    return 1.0f / __nv_normf(count, from);
}
KS_FUNCTION double __nv_remquo(double a, double b, int *quotient)
{
    const double rest = __nv_remainder(a, b);
    // The quotient's low bits: what is left of a after whole multiples of 8 b.
    const double parts = __builtin_rint((__nv_remainder(a, 8.0 * b) - rest) / b);
    const int size = static_cast<int>(__builtin_fabs(parts)) & 7;
    const bool negative = (a < 0.0) != (b < 0.0);
    *quotient = negative ? -(parts > 0.0 ? (8 - size) & 7 : size) : (parts < 0.0 ? (8 - size) & 7 : size);
    return rest;
}
KS_FUNCTION float __nv_remquof(float a, float b, int *quotient)
{
    return static_cast<float>(__nv_remquo(static_cast<double>(a), static_cast<double>(b), quotient));
}
} // extern "C"
