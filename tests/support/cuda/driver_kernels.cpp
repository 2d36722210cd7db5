// SPDX-License-Identifier: Apache-2.0
#include "driver_kernels.h"

#include "kit/compare.h"
#include "kit/dtypes.h"
#include "kit/poison.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace kernelskill::standin {

namespace {

using u64 = std::uint64_t;

template <class Value> Value at(void **arguments, int place)
{
    Value value;
    std::memcpy(&value, arguments[place], sizeof value);
    return value;
}

// A dtype of the size and kind the kernels are told (device_tools.cpp).
const kit::Dtype &dtypeOf(unsigned bytes, unsigned kind)
{
    const char *name = kind == 0    ? (bytes == 8 ? "float64" : "float32")
                       : kind == 1  ? "float16"
                       : kind == 2  ? "bfloat16"
                       : kind == 4  ? "uint8"
                       : bytes == 8 ? "int64"
                       : bytes == 4 ? "int32"
                                    : "int8";
    return *kit::findDtype(name);
}

void poison(void **a)
{
    auto *target = at<unsigned char *>(a, 0);
    const u64 count = at<u64>(a, 1), nan = at<u64>(a, 3);
    const unsigned bytes = at<unsigned>(a, 2);
    const kit::Seed seed(at<u64>(a, 4));
    for (u64 i = 0; i < count; ++i) {
        const u64 bits = seed.bits(i) | nan;
        std::memcpy(target + i * bytes, &bits, bytes);
    }
}

void guard(void **a)
{
    kit::writeCanary(kit::Seed(at<u64>(a, 2)), at<void *>(a, 0), at<u64>(a, 1));
}

void checkGuard(void **a)
{
    if (const auto broken = kit::brokenCanary(kit::Seed(at<u64>(a, 2)), at<const void *>(a, 0), at<u64>(a, 1)))
        *at<u64 *>(a, 3) = *broken;
}

void blend(void **a)
{
    auto *target = at<unsigned char *>(a, 0);
    const auto *first = at<const unsigned char *>(a, 1), *second = at<const unsigned char *>(a, 2);
    const u64 count = at<u64>(a, 3), offset = at<u64>(a, 5);
    const unsigned bytes = at<unsigned>(a, 4);
    const kit::Seed seed(at<u64>(a, 6));
    for (u64 i = 0; i < count; ++i)
        std::memcpy(target + i * bytes, (seed.bits(i) & 1 ? first : second) + (i + offset) % count * bytes, bytes);
}

void compare(void **a)
{
    const auto *actual = at<const unsigned char *>(a, 0), *expected = at<const unsigned char *>(a, 1);
    const u64 count = at<u64>(a, 2);
    const kit::Dtype &dtype = dtypeOf(at<unsigned>(a, 3), at<unsigned>(a, 4));
    const kit::CompareTolerance tolerance{at<double>(a, 5), at<double>(a, 6)};
    auto *verdict = at<u64 *>(a, 7);
    for (u64 i = 0; i < count; ++i) {
        if (std::memcmp(actual + i * dtype.bytes, expected + i * dtype.bytes, dtype.bytes) == 0) continue;
        double wanted = 0;
        dtype.toDouble(expected + i * dtype.bytes, &wanted, 1);
        const kit::Comparison one = kit::compareOutput(dtype, actual + i * dtype.bytes, &wanted, 1, tolerance);
        if (one.passed()) continue;
        if (verdict[0]++ == 0) verdict[1] = i;
        verdict[2] = std::max<u64>(verdict[2], std::bit_cast<std::uint32_t>(float(one.worstExcess)));
    }
}

void same(void **a)
{
    const auto *first = at<const unsigned char *>(a, 0), *second = at<const unsigned char *>(a, 1);
    const u64 count = at<u64>(a, 2);
    const unsigned bytes = at<unsigned>(a, 3);
    for (u64 i = 0; i < count; ++i)
        *at<u64 *>(a, 4) += std::memcmp(first + i * bytes, second + i * bytes, bytes) == 0;
}

void squares(void **a)
{
    const u64 count = at<u64>(a, 1);
    const kit::Dtype &dtype = dtypeOf(at<unsigned>(a, 2), at<unsigned>(a, 3));
    std::vector<double> values(count);
    dtype.toDouble(at<const void *>(a, 0), values.data(), count);
    for (const double value : values)
        if (std::isfinite(value)) *at<double *>(a, 4) += value * value;
}

void read(void **) {} // there is no cache to flush

constexpr struct
{
    std::string_view name;
    Kernel kernel;
} kernels[] = {{"kernelskill_poison", poison},          {"kernelskill_guard", guard},
               {"kernelskill_check_guard", checkGuard}, {"kernelskill_blend", blend},
               {"kernelskill_compare", compare},        {"kernelskill_same", same},
               {"kernelskill_squares", squares},        {"kernelskill_read", read}};

} // namespace

Kernel kernelNamed(const char *name)
{
    for (const auto &one : kernels)
        if (one.name == name) return one.kernel;
    return nullptr;
}

} // namespace kernelskill::standin
