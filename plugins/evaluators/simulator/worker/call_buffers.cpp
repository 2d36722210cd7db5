// SPDX-License-Identifier: Apache-2.0
#include "call_buffers.h"

#include "kit/compare.h"
#include "kit/dtypes.h"
#include "kit/poison.h"
#include "worker/input_values.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace kernelskill::simulator {

namespace {

bool readInto(const std::string &path, std::vector<std::byte> &bytes)
{
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.gcount() == static_cast<std::streamsize>(bytes.size()) && file.peek() == std::ifstream::traits_type::eof();
}

std::uint64_t elements(const std::vector<std::int64_t> &shape)
{
    std::uint64_t count = 1;
    for (const std::int64_t n : shape)
        count *= static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
    return count;
}

kit::Seed poisonSeed(std::size_t parameter)
{
    return kit::Seed::of(0x706f69736f6e, "outputs", parameter);
}

} // namespace

CallBuffers::~CallBuffers()
{
    for (const Buffer &buffer : m_buffers) {
        if (buffer.address != 0)
            m_server.release(buffer.address);
    }
}

std::expected<void, std::string> CallBuffers::prepare(const WorkRequest &request, const Binding &binding,
                                                      const std::vector<std::string> &inputFiles)
{
    return prepareWith(request, binding, [&](std::size_t i, std::vector<std::byte> &content, std::uint64_t) -> std::expected<void, std::string> {
        if (i >= inputFiles.size() || inputFiles[i].empty())
            return std::unexpected("there are no inputs for " + request.parameters[i].name);
        if (!readInto(inputFiles[i], content))
            return std::unexpected("the inputs in " + inputFiles[i] + " cannot be read, or are of another size than the task says");
        return {};
    });
}

std::expected<void, std::string> CallBuffers::prepare(const WorkRequest &request, const Binding &binding,
                                                      const std::vector<std::uint64_t> &seeds)
{
    return prepareWith(request, binding, [&](std::size_t i, std::vector<std::byte> &content, std::uint64_t count) -> std::expected<void, std::string> {
        if (i >= seeds.size())
            return std::unexpected("there is no seed for " + request.parameters[i].name);
        return fillInput(request.parameters[i], seeds[i], content, count);
    });
}

std::expected<void, std::string> CallBuffers::prepareWith(const WorkRequest &request, const Binding &binding, const Fill &fill)
{
    const std::size_t count = request.parameters.size();
    if (binding.shapes.size() != count || binding.scalars.size() != count)
        return std::unexpected("the request binds another number of parameters than there are");
    for (std::size_t i = 0; i < count; ++i) {
        const ParameterSpec &parameter = request.parameters[i];
        const kit::Dtype *dtype = kit::findDtype(parameter.dtype);
        if (!dtype)
            return std::unexpected("unknown dtype " + parameter.dtype);
        Buffer &buffer = m_buffers.emplace_back();
        buffer.parameter = &parameter;
        if (!parameter.isTensor) {
            buffer.scalar.resize(std::max<std::size_t>(dtype->bytes, 8));
            dtype->fromDouble(&binding.scalars[i], buffer.scalar.data(), 1);
            continue;
        }
        buffer.shape = binding.shapes[i];
        buffer.count = elements(buffer.shape);
        buffer.bytes = buffer.count * dtype->bytes;
        std::vector<std::byte> content(buffer.bytes);
        if (!parameter.read)
            kit::poison(*dtype, poisonSeed(i), content.data(), buffer.count);
        else if (const auto filled = fill(i, content, buffer.count); !filled)
            return filled;
        buffer.address = m_server.allocate(buffer.bytes, parameter.name);
        if (buffer.address == 0)
            return std::unexpected("no memory on the simulated device for " + parameter.name);
        if (buffer.bytes > 0 && !m_device.write(buffer.address, content))
            return std::unexpected("cannot fill " + parameter.name);
        if (!parameter.read)
            m_device.markUninitialised(buffer.address, buffer.bytes);
        else
            buffer.input = std::move(content);
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
        if (!buffer.parameter->isTensor || buffer.parameter->written || buffer.bytes == 0)
            continue;
        std::vector<std::byte> now(buffer.bytes);
        if (!m_device.read(buffer.address, now) || now != buffer.input) {
            const auto at = static_cast<std::uint64_t>(std::ranges::mismatch(now, buffer.input).in1 - now.begin());
            return buffer.parameter->name + " was changed, at element " + std::to_string(at * buffer.count / buffer.bytes);
        }
    }
    return std::nullopt;
}

std::expected<std::optional<std::string>, std::string>
CallBuffers::wrongOutput(const WorkRequest &request, const std::vector<std::string> &expectedFiles) const
{
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const Buffer &buffer = m_buffers[i];
        if (!buffer.parameter->isTensor || !buffer.parameter->written || buffer.count == 0)
            continue;
        if (i >= expectedFiles.size() || expectedFiles[i].empty())
            return std::unexpected("there is no reference for " + buffer.parameter->name);
        std::vector<std::byte> expected(buffer.count * sizeof(double)), actual(buffer.bytes);
        if (!readInto(expectedFiles[i], expected))
            return std::unexpected("the reference in " + expectedFiles[i] + " cannot be read");
        if (!m_device.read(buffer.address, actual))
            return std::unexpected("the output " + buffer.parameter->name + " cannot be read");
        const kit::Dtype &dtype = *kit::findDtype(buffer.parameter->dtype);
        const kit::Comparison comparison =
            kit::compareOutput(dtype, actual.data(), reinterpret_cast<const double *>(expected.data()), buffer.count,
                               {request.absoluteTolerance, request.relativeTolerance, true});
        if (comparison.passed())
            continue;
        std::string text = buffer.parameter->name + ": " + comparison.describe();
        if (!buffer.parameter->read) {
            const kit::Unwritten unwritten = kit::unwritten(dtype, poisonSeed(i), actual.data(), buffer.count);
            if (unwritten.count > 0 && dtype.bytes > 1)
                text += "; " + std::to_string(unwritten.count) + " were never written, first at " + std::to_string(unwritten.first);
        }
        return text;
    }
    return std::nullopt;
}

std::expected<CallBuffers::Written, std::string> CallBuffers::wrongWritten(const WorkRequest &request,
                                                                           const std::vector<std::string> &expectedFiles) const
{
    constexpr std::uint64_t enoughToTell = 4096;
    Written result;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const Buffer &buffer = m_buffers[i];
        const ParameterSpec &parameter = *buffer.parameter;
        if (!parameter.isTensor || !parameter.written || parameter.read || buffer.count == 0)
            continue;
        const kit::Dtype &dtype = *kit::findDtype(parameter.dtype);
        std::vector<std::byte> poison(buffer.bytes), actual(buffer.bytes);
        kit::poison(dtype, poisonSeed(i), poison.data(), buffer.count);
        if (!m_device.read(buffer.address, actual))
            return std::unexpected("the output " + parameter.name + " cannot be read");
        const bool compares = i < expectedFiles.size() && !expectedFiles[i].empty();
        std::vector<std::byte> expected(compares ? buffer.count * sizeof(double) : 0);
        if (compares && !readInto(expectedFiles[i], expected))
            return std::unexpected("the reference in " + expectedFiles[i] + " cannot be read");
        // Written elements move to the front of both arrays.
        std::uint64_t written = 0;
        auto *values = reinterpret_cast<double *>(expected.data());
        for (std::uint64_t k = 0; k < buffer.count; ++k) {
            const std::size_t at = k * dtype.bytes;
            if (std::memcmp(actual.data() + at, poison.data() + at, dtype.bytes) == 0)
                continue;
            std::memmove(actual.data() + written * dtype.bytes, actual.data() + at, dtype.bytes);
            if (compares)
                values[written] = values[k];
            ++written;
        }
        if (buffer.count >= enoughToTell)
            result.share = std::min(result.share, static_cast<double>(written) / static_cast<double>(buffer.count));
        if (!compares || result.wrong)
            continue;
        const kit::Comparison comparison = kit::compareOutput(
            dtype, actual.data(), values, written, {request.absoluteTolerance, request.relativeTolerance, true});
        if (!comparison.passed())
            result.wrong = parameter.name + ": " + comparison.describe();
    }
    return result;
}

std::expected<void, std::string> CallBuffers::save(const std::vector<std::string> &files) const
{
    for (std::size_t i = 0; i < m_buffers.size() && i < files.size(); ++i) {
        const Buffer &buffer = m_buffers[i];
        if (files[i].empty())
            continue;
        std::vector<std::byte> bytes(buffer.bytes);
        if (buffer.bytes > 0 && !m_device.read(buffer.address, bytes))
            return std::unexpected("the output " + buffer.parameter->name + " cannot be read");
        std::ofstream file(files[i], std::ios::binary);
        file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        if (!file)
            return std::unexpected("cannot write " + files[i]);
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
