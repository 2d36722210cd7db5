// SPDX-License-Identifier: Apache-2.0
#include "call_buffers.h"

#include "kit/compare.h"
#include "kit/dtypes.h"
#include "kit/input_values.h"
#include "kit/poison.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace kernelskill::simulator {

namespace {

kit::Seed poisonSeed(std::size_t parameter)
{
    return kit::Seed::of(0x706f69736f6e, "outputs", parameter);
}

// Elements of `bytes` bytes that are not the same in both.
template <std::size_t bytes> std::uint64_t differingOf(const std::byte *a, const std::byte *b, std::uint64_t count)
{
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < count; ++k)
        sum += std::memcmp(a + k * bytes, b + k * bytes, bytes) != 0;
    return sum;
}

std::uint64_t differing(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t bytes)
{
    const std::uint64_t count = a.size() / bytes;
    switch (bytes) {
    case 1:
        return differingOf<1>(a.data(), b.data(), count);
    case 2:
        return differingOf<2>(a.data(), b.data(), count);
    case 4:
        return differingOf<4>(a.data(), b.data(), count);
    case 8:
        return differingOf<8>(a.data(), b.data(), count);
    default:
        break;
    }
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < count; ++k)
        sum += std::memcmp(a.data() + k * bytes, b.data() + k * bytes, bytes) != 0;
    return sum;
}

// Written elements move to the front; what was expected of them is returned.
std::vector<double> gatherWritten(std::vector<std::byte> &actual, std::span<const std::byte> poison, std::size_t bytes,
                                  const double *expected, std::uint64_t written)
{
    std::vector<double> values;
    values.reserve(written);
    for (std::uint64_t k = 0; values.size() < written; ++k) {
        const std::size_t at = k * bytes;
        if (std::memcmp(actual.data() + at, poison.data() + at, bytes) == 0) continue;
        std::memmove(actual.data() + values.size() * bytes, actual.data() + at, bytes);
        values.push_back(expected[k]);
    }
    return values;
}

} // namespace

CallBuffers::~CallBuffers()
{
    for (const Buffer &buffer : m_buffers) {
        if (buffer.address != 0) m_server.release(buffer.address);
    }
}

std::expected<void, std::string> CallBuffers::prepare(const WorkRequest &request, const Binding &binding,
                                                      const std::vector<std::string> &inputFiles, bool poisoned)
{
    return prepareWith(request, binding, poisoned,
                       [&](std::size_t i, Buffer &buffer) -> std::expected<void, std::string> {
                           if (i >= inputFiles.size() || inputFiles[i].empty())
                               return std::unexpected("there are no inputs for " + request.parameters[i].name);
                           std::string error;
                           if (!buffer.file.open(inputFiles[i], buffer.bytes, error)) return std::unexpected(error);
                           return {};
                       });
}

std::expected<void, std::string> CallBuffers::prepare(const WorkRequest &request, const Binding &binding,
                                                      const std::vector<std::uint64_t> &seeds, bool poisoned)
{
    return prepareWith(request, binding, poisoned,
                       [&](std::size_t i, Buffer &buffer) -> std::expected<void, std::string> {
                           if (i >= seeds.size())
                               return std::unexpected("there is no seed for " + request.parameters[i].name);
                           buffer.made.resize(buffer.bytes);
                           std::string error;
                           if (!kit::fillInput(request.parameters[i], seeds[i], buffer.made, buffer.count, error))
                               return std::unexpected(error);
                           return {};
                       });
}

std::expected<void, std::string> CallBuffers::prepareWith(const WorkRequest &request, const Binding &binding,
                                                          bool poisoned, const Fill &fill)
{
    const std::size_t count = request.parameters.size();
    if (binding.shapes.size() != count || binding.scalars.size() != count)
        return std::unexpected("the request binds another number of parameters than there are");
    m_buffers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const ParameterSpec &parameter = request.parameters[i];
        const kit::Dtype *dtype = kit::findDtype(parameter.dtype);
        if (!dtype) return std::unexpected("unknown dtype " + parameter.dtype);
        Buffer &buffer = m_buffers.emplace_back();
        buffer.parameter = &parameter;
        if (!parameter.isTensor) {
            buffer.scalar.resize(std::max<std::size_t>(dtype->bytes, 8));
            dtype->fromDouble(&binding.scalars[i], buffer.scalar.data(), 1);
            continue;
        }
        buffer.count = kit::elementCount(binding.shapes[i]);
        buffer.bytes = buffer.count * dtype->bytes;
        if (parameter.read) {
            if (const auto filled = fill(i, buffer); !filled) return filled;
        } else if (poisoned) {
            buffer.made.resize(buffer.bytes);
            kit::poison(*dtype, poisonSeed(i), buffer.made.data(), buffer.count);
        }
        buffer.address = m_server.allocate(buffer.bytes, parameter.name);
        if (buffer.address == 0) return std::unexpected("no memory on the simulated device for " + parameter.name);
        if (const auto loaded = load(buffer); !loaded) return loaded;
    }
    return {};
}

std::expected<void, std::string> CallBuffers::load(const Buffer &buffer)
{
    if (!buffer.content().empty() && !m_device.write(buffer.address, buffer.content()))
        return std::unexpected("cannot fill " + buffer.parameter->name);
    if (!buffer.parameter->read) m_device.markUninitialised(buffer.address, buffer.bytes);
    return {};
}

std::expected<void, std::string> CallBuffers::refill(const std::vector<std::string> &inputFiles)
{
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        Buffer &buffer = m_buffers[i];
        if (!buffer.parameter->isTensor) continue;
        if (buffer.parameter->read) {
            std::string error;
            if (i >= inputFiles.size() || inputFiles[i].empty())
                return std::unexpected("there are no inputs for " + buffer.parameter->name);
            buffer.made.clear();
            if (!buffer.file.open(inputFiles[i], buffer.bytes, error)) return std::unexpected(error);
        }
        if (const auto loaded = load(buffer); !loaded) return loaded;
    }
    return {};
}

std::vector<std::vector<std::byte>> CallBuffers::arguments() const
{
    std::vector<std::vector<std::byte>> values;
    for (const Buffer &buffer : m_buffers) {
        std::vector<std::byte> value = buffer.scalar;
        if (buffer.parameter->isTensor) {
            value.resize(sizeof buffer.address);
            std::memcpy(value.data(), &buffer.address, sizeof buffer.address);
        }
        values.push_back(std::move(value));
    }
    return values;
}

std::optional<std::string> CallBuffers::changedInput() const
{
    for (const Buffer &buffer : m_buffers) {
        if (!buffer.parameter->isTensor || buffer.parameter->written || buffer.bytes == 0) continue;
        std::vector<std::byte> now(buffer.bytes);
        if (!m_device.read(buffer.address, now) || !std::ranges::equal(now, buffer.content())) {
            const auto at = static_cast<std::uint64_t>(std::ranges::mismatch(now, buffer.content()).in1 - now.begin());
            return buffer.parameter->name + " was changed, at element " +
                   std::to_string(at * buffer.count / buffer.bytes);
        }
    }
    return std::nullopt;
}

std::expected<CallBuffers::Outputs, std::string>
CallBuffers::compareOutputs(const WorkRequest &request, const std::vector<std::string> &expectedFiles) const
{
    Outputs result;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const Buffer &buffer = m_buffers[i];
        if (!buffer.parameter->isTensor || !buffer.parameter->written || buffer.count == 0) continue;
        if (i >= expectedFiles.size() || expectedFiles[i].empty())
            return std::unexpected("there is no reference for " + buffer.parameter->name);
        kit::MappedFile expected;
        std::string error;
        if (!expected.open(expectedFiles[i], buffer.count * sizeof(double), error)) return std::unexpected(error);
        std::vector<std::byte> actual(buffer.bytes);
        if (!m_device.read(buffer.address, actual))
            return std::unexpected("the output " + buffer.parameter->name + " cannot be read");
        const kit::Dtype &dtype = *kit::findDtype(buffer.parameter->dtype);
        const kit::Comparison comparison =
            kit::compareOutput(dtype, actual.data(), reinterpret_cast<const double *>(expected.bytes().data()),
                               buffer.count, {request.absoluteTolerance, request.relativeTolerance, true});
        result.norms.push_back({dtype.name, comparison.relativeErrorNorm});
        if (comparison.passed()) continue;
        std::string text = buffer.parameter->name + ": " + comparison.describe();
        if (!buffer.parameter->read) {
            const kit::Unwritten unwritten = kit::unwritten(dtype, poisonSeed(i), actual.data(), buffer.count);
            if (unwritten.count > 0 && dtype.bytes > 1)
                text += "; " + std::to_string(unwritten.count) + " were never written, first at " +
                        std::to_string(unwritten.first);
        }
        result.wrong = std::move(text);
        break;
    }
    return result;
}

std::expected<CallBuffers::Written, std::string>
CallBuffers::compareWritten(const WorkRequest &request, const std::vector<std::string> &expectedFiles) const
{
    constexpr std::uint64_t enoughToTell = 4096;
    Written result;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const Buffer &buffer = m_buffers[i];
        const ParameterSpec &parameter = *buffer.parameter;
        if (!parameter.isTensor || !parameter.written || parameter.read || buffer.count == 0) continue;
        const kit::Dtype &dtype = *kit::findDtype(parameter.dtype);
        const std::span<const std::byte> poison = buffer.content();
        std::vector<std::byte> actual(buffer.bytes);
        if (poison.size() != buffer.bytes || !m_device.read(buffer.address, actual))
            return std::unexpected("the output " + parameter.name + " cannot be read");
        const bool compares = i < expectedFiles.size() && !expectedFiles[i].empty();
        kit::MappedFile expected;
        if (std::string error; compares && !expected.open(expectedFiles[i], buffer.count * sizeof(double), error))
            return std::unexpected(error);
        const auto *wanted = reinterpret_cast<const double *>(expected.bytes().data());
        const std::uint64_t written = differing(actual, poison, dtype.bytes);
        std::vector<double> values;
        if (compares && written < buffer.count) {
            values = gatherWritten(actual, poison, dtype.bytes, wanted, written);
            wanted = values.data();
        }
        if (buffer.count >= enoughToTell)
            result.share = std::min(result.share, static_cast<double>(written) / static_cast<double>(buffer.count));
        if (!compares || result.wrong) continue;
        const kit::Comparison comparison = kit::compareOutput(
            dtype, actual.data(), wanted, written, {request.absoluteTolerance, request.relativeTolerance, true});
        result.norms.push_back({dtype.name, comparison.relativeErrorNorm});
        if (!comparison.passed()) result.wrong = parameter.name + ": " + comparison.describe();
    }
    return result;
}

std::expected<void, std::string> CallBuffers::save(const std::vector<std::string> &files) const
{
    for (std::size_t i = 0; i < m_buffers.size() && i < files.size(); ++i) {
        const Buffer &buffer = m_buffers[i];
        if (files[i].empty()) continue;
        std::vector<std::byte> bytes(buffer.bytes);
        if (buffer.bytes > 0 && !m_device.read(buffer.address, bytes))
            return std::unexpected("the output " + buffer.parameter->name + " cannot be read");
        std::ofstream file(files[i], std::ios::binary);
        file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        if (!file) return std::unexpected("cannot write " + files[i]);
    }
    return {};
}

std::uint64_t CallBuffers::outputBytes() const
{
    std::uint64_t sum = 0;
    for (const Buffer &buffer : m_buffers)
        sum += buffer.parameter->written ? buffer.bytes : 0;
    return sum;
}

std::uint64_t CallBuffers::inputBytes() const
{
    std::uint64_t sum = 0;
    for (const Buffer &buffer : m_buffers)
        sum += buffer.parameter->read ? buffer.bytes : 0;
    return sum;
}

} // namespace kernelskill::simulator
