// SPDX-License-Identifier: Apache-2.0
#include "device_tools.h"

#include "build_cache.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kernelskill::cuda {

namespace {

constexpr unsigned threads = 256;
constexpr std::uint64_t scratchBytes = 64;

// As supervisor_kernels.cu numbers them.
unsigned kindOf(const kit::Dtype &dtype)
{
    if (dtype.isFloating) return dtype.bytes != 2 ? 0 : dtype.highest > 1e6 ? 2 : 1;
    return dtype.lowest < 0 ? 3 : 4;
}

// The same bits as core/kit/poison.cpp sets, so that either finds what the other wrote.
std::uint64_t nanBits(const kit::Dtype &dtype)
{
    if (!dtype.isFloating) return 0;
    if (dtype.bytes == 8) return 0x7ff8000000000000ULL;
    if (dtype.bytes == 4) return 0x7fc00000ULL;
    return dtype.highest > 1e6 ? 0x7fc0ULL : 0x7e00ULL;
}

} // namespace

void DeviceTools::check(Status status, const char *what)
{
    std::string error;
    if (!m_driver.succeeded(status, what, error) && m_error.empty())
        m_error = "The supervisor's own work on the GPU failed: " + error + ".";
}

bool DeviceTools::load(const std::string &cubin)
{
    const std::string image = readFile(cubin);
    void *module = nullptr;
    check(m_driver.moduleLoadData(&module, image.c_str()), "its kernels cannot be loaded");
    if (!m_error.empty()) return false;
    const auto find = [&](void *&function, const char *name) {
        check(m_driver.moduleGetFunction(&function, module, name), name);
    };
    find(m_poison, "kernelskill_poison");
    find(m_guard, "kernelskill_guard");
    find(m_checkGuard, "kernelskill_check_guard");
    find(m_blend, "kernelskill_blend");
    find(m_compare, "kernelskill_compare");
    find(m_squares, "kernelskill_squares");
    find(m_same, "kernelskill_same");
    check(m_driver.memAlloc(&m_scratch, scratchBytes), "no memory");
    return m_error.empty();
}

void DeviceTools::launch(void *function, std::uint64_t count, void **arguments)
{
    if (count == 0 || !m_error.empty()) return;
    const std::uint64_t most = std::uint64_t(std::max(1, m_device.multiprocessors)) * 16;
    const auto blocks = unsigned(std::min<std::uint64_t>((count + threads - 1) / threads, most));
    check(m_driver.launchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
          "a kernel was not launched");
}

void DeviceTools::poison(const kit::Dtype &dtype, kit::Seed seed, DevicePointer target, std::uint64_t count)
{
    unsigned bytes = unsigned(dtype.bytes);
    std::uint64_t nan = nanBits(dtype), value = seed.value();
    void *arguments[] = {&target, &count, &bytes, &nan, &value};
    launch(m_poison, count, arguments);
}

void DeviceTools::guard(kit::Seed seed, DevicePointer target, std::uint64_t bytes)
{
    std::uint64_t value = seed.value();
    void *arguments[] = {&target, &bytes, &value};
    launch(m_guard, bytes, arguments);
}

std::optional<std::uint64_t> DeviceTools::brokenGuard(kit::Seed seed, DevicePointer target, std::uint64_t bytes)
{
    std::uint64_t value = seed.value(), broken = ~0ULL;
    upload(m_scratch, &broken, sizeof broken);
    void *arguments[] = {&target, &bytes, &value, &m_scratch};
    launch(m_checkGuard, bytes, arguments);
    download(&broken, m_scratch, sizeof broken);
    return broken == ~0ULL || !m_error.empty() ? std::nullopt : std::optional(broken);
}

void DeviceTools::blend(DevicePointer target, DevicePointer one, DevicePointer other, std::uint64_t count,
                        std::size_t elementBytes, std::uint64_t offset, kit::Seed seed)
{
    unsigned bytes = unsigned(elementBytes);
    std::uint64_t value = seed.value();
    void *arguments[] = {&target, &one, &other, &count, &bytes, &offset, &value};
    launch(m_blend, count, arguments);
}

DeviceComparison DeviceTools::compare(const kit::Dtype &dtype, DevicePointer actual, DevicePointer expected,
                                      std::uint64_t count, double absolute, double relative)
{
    std::uint64_t verdict[3] = {0, ~0ULL, 0};
    upload(m_scratch, verdict, sizeof verdict);
    unsigned bytes = unsigned(dtype.bytes), kind = kindOf(dtype);
    void *arguments[] = {&actual, &expected, &count, &bytes, &kind, &absolute, &relative, &m_scratch};
    launch(m_compare, count, arguments);
    download(verdict, m_scratch, sizeof verdict);
    return {verdict[0], verdict[1], double(std::bit_cast<float>(std::uint32_t(verdict[2])))};
}

std::uint64_t DeviceTools::sameElements(const kit::Dtype &dtype, DevicePointer first, DevicePointer second,
                                        std::uint64_t count)
{
    std::uint64_t same = 0;
    upload(m_scratch, &same, sizeof same);
    unsigned bytes = unsigned(dtype.bytes);
    void *arguments[] = {&first, &second, &count, &bytes, &m_scratch};
    launch(m_same, count, arguments);
    download(&same, m_scratch, sizeof same);
    return same;
}

double DeviceTools::rootMeanSquare(const kit::Dtype &dtype, DevicePointer source, std::uint64_t count)
{
    double sum = 0;
    upload(m_scratch, &sum, sizeof sum);
    unsigned bytes = unsigned(dtype.bytes), kind = kindOf(dtype);
    void *arguments[] = {&source, &count, &bytes, &kind, &m_scratch};
    launch(m_squares, count, arguments);
    download(&sum, m_scratch, sizeof sum);
    return count > 0 ? std::sqrt(sum / double(count)) : 0;
}

void DeviceTools::upload(DevicePointer target, const void *source, std::uint64_t bytes)
{
    if (bytes > 0 && m_error.empty()) check(m_driver.copyToDevice(target, source, bytes), "memory cannot be written");
}

void DeviceTools::download(void *target, DevicePointer source, std::uint64_t bytes)
{
    if (bytes > 0 && m_error.empty()) check(m_driver.copyToHost(target, source, bytes), "memory cannot be read");
}

void DeviceTools::copy(DevicePointer target, DevicePointer source, std::uint64_t bytes)
{
    if (bytes > 0 && m_error.empty()) check(m_driver.copyOnDevice(target, source, bytes), "memory cannot be copied");
}

void DeviceTools::clear(DevicePointer target, std::uint64_t bytes)
{
    if (bytes > 0 && m_error.empty()) check(m_driver.setBytes(target, 0, bytes), "memory cannot be cleared");
}

void DeviceTools::settle()
{
    if (m_error.empty()) check(m_driver.contextSynchronize(), "it did not finish");
}

} // namespace kernelskill::cuda
