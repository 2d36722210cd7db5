// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/builtins.h"

#include "engine/execution/formatted_print.h"
#include "engine/execution/launcher.h"

#include <cmath>
#include <cstring>
#include <format>
#include <limits>
#include <string>
#include <utility>

namespace kernelskill::simulator {
namespace {

std::byte *parametersOf(const WarpContext &context, unsigned lane) {
    return context.warp->callParameters + static_cast<std::size_t>(lane) * context.launch->callParameterBytes;
}

template <class T> T argument(const WarpContext &context, const CallSite &site, std::size_t index, unsigned lane) {
    T value{};
    if (index < site.arguments.size()) std::memcpy(&value, parametersOf(context, lane) + site.arguments[index].offset, std::min<std::size_t>(sizeof value, site.arguments[index].bytes));
    return value;
}
template <class T> void setResult(const WarpContext &context, const CallSite &site, unsigned lane, T value) {
    if (!site.results.empty()) std::memcpy(parametersOf(context, lane) + site.results[0].offset, &value, std::min<std::size_t>(sizeof value, site.results[0].bytes));
}
const CallSite &siteOf(const WarpContext &context, const MicroOp &op) { return Launcher::of(context).program().calls[op.extra]; }

// Bytes at a generic address as one lane sees them; null outside of memory.
const std::byte *at(WarpContext &context, unsigned lane, std::uint64_t address, std::size_t bytes) {
    if (address - localWindow < localWindowBytes) {
        const std::uint64_t offset = address - localWindow;
        if (offset + bytes > context.launch->localBytes) return nullptr;
        return context.warp->local + static_cast<std::size_t>(lane) * context.launch->localBytes + offset;
    }
    if (address - sharedWindow < sharedWindowBytes) {
        const std::uint64_t offset = address - sharedWindow;
        return offset + bytes <= context.launch->sharedBytes ? context.block->shared + offset : nullptr;
    }
    const Allocation *a = findAllocation(context, address);
    return a != nullptr && a->bytes - (address - a->base) >= bytes ? a->data + (address - a->base) : nullptr;
}

std::string textAt(WarpContext &context, unsigned lane, std::uint64_t address) {
    std::string text;
    for (const std::byte *c = at(context, lane, address, 1); c != nullptr && *c != std::byte{0} && text.size() < 4096; c = at(context, lane, ++address, 1))
        text += static_cast<char>(*c);
    return text;
}

void printFormatted(WarpContext &context, const MicroOp &op) {
    const CallSite &site = siteOf(context, op);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const auto format = textAt(context, lane, argument<std::uint64_t>(context, site, 0, lane));
        const auto values = argument<std::uint64_t>(context, site, 1, lane);
        Launcher::of(context).print(formattedPrint(
            format, [&](std::size_t offset, std::size_t bytes) {
                std::uint64_t value = 0;
                if (const std::byte *from = at(context, lane, values + offset, bytes)) std::memcpy(&value, from, bytes);
                return value;
            },
            [&](std::uint64_t address) { return textAt(context, lane, address); }));
        setResult<std::int32_t>(context, site, lane, 1);
    }
}

void failAssertion(WarpContext &context, const MicroOp &op) {
    const CallSite &site = siteOf(context, op);
    const auto lane = static_cast<unsigned>(__builtin_ctz(context.exec));
    Launcher::of(context).find(context, "assert", true, lane, 0, [&] {
        return std::format("assertion `{}` failed in {} ({}:{})", textAt(context, lane, argument<std::uint64_t>(context, site, 0, lane)),
                           textAt(context, lane, argument<std::uint64_t>(context, site, 3, lane)), textAt(context, lane, argument<std::uint64_t>(context, site, 1, lane)),
                           argument<std::uint32_t>(context, site, 2, lane));
    });
}

// malloc and free of device code.
void allocateOnHeap(WarpContext &context, const MicroOp &op) {
    const CallSite &site = siteOf(context, op);
    for (unsigned lane = 0; lane < 32; ++lane)
        if (context.exec >> lane & 1) setResult<std::uint64_t>(context, site, lane, Launcher::of(context).heapAllocate(argument<std::uint64_t>(context, site, 0, lane)));
}
void freeOnHeap(WarpContext &context, const MicroOp &op) {
    const CallSite &site = siteOf(context, op);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const auto address = argument<std::uint64_t>(context, site, 0, lane);
        if (address == 0 || Launcher::of(context).heapFree(address)) continue;
        Launcher::of(context).find(context, "invalid_free", true, lane, address, [&] { return std::format("free of {:#x}, which malloc has not given or free has taken back", address); });
        return;
    }
}

// I_n(x) for n of 0 and 1; the library knows x ≥ 0 only.
double modifiedBessel(unsigned n, double x) {
    if (std::isnan(x)) return x;
    const double value = std::abs(x) > 713 ? std::numeric_limits<double>::infinity() : std::cyl_bessel_i(static_cast<double>(n), std::abs(x));
    return n == 1 && x < 0 ? -value : value;
}

template <class T, class... Arguments, std::size_t... I>
void applyLanes(WarpContext &context, const MicroOp &op, T (*f)(Arguments...), std::index_sequence<I...>) {
    const CallSite &site = siteOf(context, op);
    for (unsigned lane = 0; lane < 32; ++lane)
        if (context.exec >> lane & 1) setResult<T>(context, site, lane, f(argument<Arguments>(context, site, I, lane)...));
}
template <auto F> struct Lift;
template <class T, class... Arguments, T (*F)(Arguments...)> struct Lift<F> {
    static void handler(WarpContext &context, const MicroOp &op) { applyLanes<T, Arguments...>(context, op, F, std::index_sequence_for<Arguments...>{}); }
};
#define KERNELSKILL_MATHS(name, type, parameters, expression) {name, Lift<+[] parameters -> type { return expression; }>::handler}

template <class T> std::pair<std::string_view, Handler> one(std::string_view name, Handler handler) { return {name, handler}; }

#define UNARY_PAIR(name) \
    KERNELSKILL_MATHS("__nv_" #name "f", float, (float x), std::name(x)), KERNELSKILL_MATHS("__nv_" #name, double, (double x), std::name(x))
#define BINARY_PAIR(name) \
    KERNELSKILL_MATHS("__nv_" #name "f", float, (float x, float y), std::name(x, y)), KERNELSKILL_MATHS("__nv_" #name, double, (double x, double y), std::name(x, y))

const std::pair<std::string_view, Handler> functions[] = {
    {"vprintf", printFormatted}, {"__assertfail", failAssertion}, {"__assert_fail", failAssertion}, {"malloc", allocateOnHeap}, {"free", freeOnHeap},
    UNARY_PAIR(exp), UNARY_PAIR(exp2), UNARY_PAIR(expm1), UNARY_PAIR(log), UNARY_PAIR(log2), UNARY_PAIR(log10), UNARY_PAIR(log1p),
    UNARY_PAIR(sin), UNARY_PAIR(cos), UNARY_PAIR(tan), UNARY_PAIR(asin), UNARY_PAIR(acos), UNARY_PAIR(atan), UNARY_PAIR(sinh),
    UNARY_PAIR(cosh), UNARY_PAIR(tanh), UNARY_PAIR(asinh), UNARY_PAIR(acosh), UNARY_PAIR(atanh), UNARY_PAIR(erf), UNARY_PAIR(erfc),
    UNARY_PAIR(sqrt), UNARY_PAIR(cbrt), UNARY_PAIR(floor), UNARY_PAIR(ceil), UNARY_PAIR(trunc), UNARY_PAIR(round), UNARY_PAIR(rint),
    UNARY_PAIR(nearbyint), UNARY_PAIR(fabs), UNARY_PAIR(lgamma), UNARY_PAIR(tgamma), UNARY_PAIR(logb),
    BINARY_PAIR(pow), BINARY_PAIR(atan2), BINARY_PAIR(fmod), BINARY_PAIR(remainder), BINARY_PAIR(hypot), BINARY_PAIR(fmax), BINARY_PAIR(fmin),
    BINARY_PAIR(fdim), BINARY_PAIR(copysign), BINARY_PAIR(nextafter),
    KERNELSKILL_MATHS("__nv_fmaf", float, (float x, float y, float z), std::fma(x, y, z)),
    KERNELSKILL_MATHS("__nv_fma", double, (double x, double y, double z), std::fma(x, y, z)),
    KERNELSKILL_MATHS("__nv_rsqrtf", float, (float x), 1.0f / std::sqrt(x)), KERNELSKILL_MATHS("__nv_rsqrt", double, (double x), 1.0 / std::sqrt(x)),
    KERNELSKILL_MATHS("__nv_rcbrtf", float, (float x), 1.0f / std::cbrt(x)), KERNELSKILL_MATHS("__nv_rcbrt", double, (double x), 1.0 / std::cbrt(x)),
    KERNELSKILL_MATHS("__nv_exp10f", float, (float x), std::pow(10.0f, x)), KERNELSKILL_MATHS("__nv_exp10", double, (double x), std::pow(10.0, x)),
    KERNELSKILL_MATHS("__nv_fast_expf", float, (float x), std::exp(x)), KERNELSKILL_MATHS("__nv_fast_logf", float, (float x), std::log(x)),
    KERNELSKILL_MATHS("__nv_fast_log2f", float, (float x), std::log2(x)), KERNELSKILL_MATHS("__nv_fast_log10f", float, (float x), std::log10(x)),
    KERNELSKILL_MATHS("__nv_fast_sinf", float, (float x), std::sin(x)), KERNELSKILL_MATHS("__nv_fast_cosf", float, (float x), std::cos(x)),
    KERNELSKILL_MATHS("__nv_fast_powf", float, (float x, float y), std::pow(x, y)), KERNELSKILL_MATHS("__nv_fast_fdividef", float, (float x, float y), x / y),
    KERNELSKILL_MATHS("__nv_powif", float, (float x, std::int32_t y), static_cast<float>(std::pow(static_cast<double>(x), y))),
    KERNELSKILL_MATHS("__nv_powi", double, (double x, std::int32_t y), std::pow(x, y)),
    KERNELSKILL_MATHS("__nv_ldexpf", float, (float x, std::int32_t y), std::ldexp(x, y)), KERNELSKILL_MATHS("__nv_ldexp", double, (double x, std::int32_t y), std::ldexp(x, y)),
    KERNELSKILL_MATHS("__nv_j0f", float, (float x), static_cast<float>(::j0(x))), KERNELSKILL_MATHS("__nv_j0", double, (double x), ::j0(x)),
    KERNELSKILL_MATHS("__nv_j1f", float, (float x), static_cast<float>(::j1(x))), KERNELSKILL_MATHS("__nv_j1", double, (double x), ::j1(x)),
    KERNELSKILL_MATHS("__nv_y0f", float, (float x), static_cast<float>(::y0(x))), KERNELSKILL_MATHS("__nv_y0", double, (double x), ::y0(x)),
    KERNELSKILL_MATHS("__nv_y1f", float, (float x), static_cast<float>(::y1(x))), KERNELSKILL_MATHS("__nv_y1", double, (double x), ::y1(x)),
    KERNELSKILL_MATHS("__nv_jnf", float, (std::int32_t n, float x), static_cast<float>(::jn(n, x))), KERNELSKILL_MATHS("__nv_jn", double, (std::int32_t n, double x), ::jn(n, x)),
    KERNELSKILL_MATHS("__nv_ynf", float, (std::int32_t n, float x), static_cast<float>(::yn(n, x))), KERNELSKILL_MATHS("__nv_yn", double, (std::int32_t n, double x), ::yn(n, x)),
    KERNELSKILL_MATHS("__nv_cyl_bessel_i0f", float, (float x), static_cast<float>(modifiedBessel(0, x))), KERNELSKILL_MATHS("__nv_cyl_bessel_i0", double, (double x), modifiedBessel(0, x)),
    KERNELSKILL_MATHS("__nv_cyl_bessel_i1f", float, (float x), static_cast<float>(modifiedBessel(1, x))), KERNELSKILL_MATHS("__nv_cyl_bessel_i1", double, (double x), modifiedBessel(1, x)),
    KERNELSKILL_MATHS("__nv_normcdff", float, (float x), static_cast<float>(0.5 * std::erfc(-static_cast<double>(x) * M_SQRT1_2))),
    KERNELSKILL_MATHS("__nv_normcdf", double, (double x), 0.5 * std::erfc(-x * M_SQRT1_2)),
    KERNELSKILL_MATHS("__nv_sinpif", float, (float x), static_cast<float>(std::sin(M_PI * static_cast<double>(x)))),
    KERNELSKILL_MATHS("__nv_cospif", float, (float x), static_cast<float>(std::cos(M_PI * static_cast<double>(x)))),
    KERNELSKILL_MATHS("__nv_isnanf", std::int32_t, (float x), std::isnan(x)), KERNELSKILL_MATHS("__nv_isinff", std::int32_t, (float x), std::isinf(x)),
    KERNELSKILL_MATHS("__nv_isnand", std::int32_t, (double x), std::isnan(x)), KERNELSKILL_MATHS("__nv_isinfd", std::int32_t, (double x), std::isinf(x)),
};

} // namespace

Handler builtinHandler(std::string_view name) {
    for (const auto &[known, handler] : functions)
        if (known == name) return handler;
    return nullptr;
}

} // namespace kernelskill::simulator
