// SPDX-License-Identifier: Apache-2.0
#include "call_tensors.h"

#include "kit/compare.h"
#include "kit/poison.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace kernelskill::cuda {

namespace {

constexpr std::uint64_t alignment = 256;
constexpr std::uint64_t mostGuard = std::uint64_t(1) << 20; // before a tensor; behind it are no addresses

kit::Seed poisonSeed(std::size_t parameter, int attempt)
{
    return kit::Seed::of(0x706f69736f6e, "outputs", parameter, attempt);
}
kit::Seed guardSeed(std::size_t parameter, int attempt)
{
    return kit::Seed::of(0x6775617264, "guards", parameter, attempt);
}

std::string hexadecimal(const std::vector<std::byte> &bytes)
{
    std::string text;
    for (const std::byte one : bytes) {
        text += "0123456789abcdef"[unsigned(one) >> 4];
        text += "0123456789abcdef"[unsigned(one) & 15];
    }
    return text;
}

} // namespace

std::uint64_t roomOf(std::uint64_t bytes)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

bool bindArguments(const kit::WorkOrder &order, const kit::Binding &binding, std::vector<Argument> &arguments,
                   std::string &error)
{
    const std::size_t count = order.parameters.size();
    if (binding.shapes.size() != count || binding.scalars.size() != count) {
        error = "the request binds another number of parameters than there are";
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        Argument argument;
        argument.parameter = &order.parameters[i];
        argument.dtype = kit::findDtype(argument.parameter->dtype);
        if (!argument.dtype) {
            error = "unknown dtype " + argument.parameter->dtype;
            return false;
        }
        if (argument.parameter->isTensor) {
            argument.count = kit::elementCount(binding.shapes[i]);
            argument.bytes = argument.count * argument.dtype->bytes;
        } else {
            std::vector<std::byte> value(argument.dtype->bytes);
            argument.dtype->fromDouble(&binding.scalars[i], value.data(), 1);
            argument.scalar = hexadecimal(value);
        }
        arguments.push_back(std::move(argument));
    }
    return true;
}

CheckTensors::CheckTensors(Machine &machine, std::vector<Argument> arguments, const std::vector<int> &slabs)
    : m_machine(machine), m_arguments(std::move(arguments)), m_contents(m_arguments.size())
{
    for (std::size_t i = 0; i < m_arguments.size(); ++i)
        m_arguments[i].slab = slabs[i];
}

DevicePointer CheckTensors::addressOf(std::size_t i) const
{
    const Slab &slab = m_machine.slab(m_arguments[i].slab);
    return slab.address() + slab.bytes() - roomOf(m_arguments[i].bytes);
}

std::uint64_t CheckTensors::guardBefore(std::size_t i) const
{
    return std::min(mostGuard, m_machine.slab(m_arguments[i].slab).bytes() - roomOf(m_arguments[i].bytes));
}

bool CheckTensors::open(const kit::CheckCase &one, std::string &error)
{
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const Argument &argument = m_arguments[i];
        if (!argument.parameter->isTensor) continue;
        if (argument.parameter->read) {
            if (i >= one.inputFiles.size() || one.inputFiles[i].empty()) {
                error = "there are no inputs for " + argument.parameter->name;
                return false;
            }
            if (!m_contents[i].input.open(one.inputFiles[i], argument.bytes, error)) return false;
        }
        if (!argument.parameter->written || !one.outputFiles.empty() || argument.count == 0) continue;
        if (i >= one.expectedFiles.size() || one.expectedFiles[i].empty()) {
            error = "there is no reference for " + argument.parameter->name;
            return false;
        }
        if (!m_contents[i].expected.open(one.expectedFiles[i], argument.count * sizeof(double), error)) return false;
    }
    return true;
}

void CheckTensors::prepare(int attempt)
{
    DeviceTools &tools = m_machine.tools;
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const Argument &argument = m_arguments[i];
        if (!argument.parameter->isTensor) continue;
        const DevicePointer address = addressOf(i);
        const std::uint64_t before = guardBefore(i), behind = roomOf(argument.bytes) - argument.bytes;
        tools.guard(guardSeed(i, attempt), address - before, before);
        tools.guard(guardSeed(i, attempt), address + argument.bytes, behind);
        if (argument.parameter->read)
            tools.upload(address, m_contents[i].input.bytes().data(), argument.bytes);
        else
            tools.poison(*argument.dtype, poisonSeed(i, attempt), address, argument.count);
    }
    tools.settle();
}

nlohmann::json CheckTensors::slots() const
{
    nlohmann::json slots = nlohmann::json::array();
    for (const Argument &argument : m_arguments) {
        if (argument.parameter->isTensor)
            slots.push_back({argument.slab, m_machine.slab(argument.slab).bytes() - roomOf(argument.bytes)});
        else
            slots.push_back(argument.scalar);
    }
    return slots;
}

void CheckTensors::readOutputs(int attempt)
{
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        if (!m_arguments[i].parameter->isTensor || !m_arguments[i].parameter->written) continue;
        std::vector<std::byte> &output = m_contents[i].output[attempt];
        output.resize(m_arguments[i].bytes);
        m_machine.tools.download(output.data(), addressOf(i), output.size());
    }
}

bool CheckTensors::outputsStayed(int attempt)
{
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const std::vector<std::byte> &before = m_contents[i].output[attempt];
        std::vector<std::byte> now(before.size());
        if (before.empty()) continue;
        m_machine.tools.download(now.data(), addressOf(i), now.size());
        if (now != before) return false;
    }
    return true;
}

std::optional<std::string> CheckTensors::changedInput()
{
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const Argument &argument = m_arguments[i];
        if (!argument.parameter->isTensor || argument.parameter->written || argument.bytes == 0) continue;
        std::vector<std::byte> now(argument.bytes);
        m_machine.tools.download(now.data(), addressOf(i), now.size());
        const auto wanted = m_contents[i].input.bytes();
        const auto place = std::mismatch(now.begin(), now.end(), wanted.begin()).first;
        if (place != now.end())
            return argument.parameter->name + " was changed, at element " +
                   std::to_string(std::uint64_t(place - now.begin()) / argument.dtype->bytes);
    }
    return std::nullopt;
}

std::optional<std::string> CheckTensors::brokenGuard(int attempt)
{
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const Argument &argument = m_arguments[i];
        if (!argument.parameter->isTensor) continue;
        const DevicePointer address = addressOf(i);
        const std::uint64_t before = guardBefore(i), behind = roomOf(argument.bytes) - argument.bytes;
        if (const auto at = m_machine.tools.brokenGuard(guardSeed(i, attempt), address - before, before))
            return std::to_string(before - *at) + " bytes before the beginning of " + argument.parameter->name +
                   " something was written";
        if (const auto at = m_machine.tools.brokenGuard(guardSeed(i, attempt), address + argument.bytes, behind))
            return std::to_string(*at) + " bytes behind the end of " + argument.parameter->name +
                   " something was written";
    }
    return std::nullopt;
}

bool CheckTensors::wrongOutput(const kit::WorkOrder &order, std::optional<std::string> &wrong,
                               std::vector<kit::PooledError> *errors, std::string &error) const
{
    if (errors) errors->resize(m_arguments.size());
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const Argument &argument = m_arguments[i];
        if (!argument.parameter->isTensor || !argument.parameter->written || argument.count == 0) continue;
        const auto *expected = reinterpret_cast<const double *>(m_contents[i].expected.bytes().data());
        if (!expected) {
            error = "there is no reference for " + argument.parameter->name;
            return false;
        }
        for (int attempt = 0; attempt < 2; ++attempt) {
            const std::vector<std::byte> &actual = m_contents[i].output[attempt];
            if (actual.empty()) continue;
            const kit::Comparison comparison =
                kit::compareOutput(*argument.dtype, actual.data(), expected, argument.count,
                                   {order.absoluteTolerance, order.relativeTolerance, true});
            if (errors) (*errors)[i].add(comparison);
            if (comparison.passed() || wrong) continue;
            wrong = argument.parameter->name + ": " + comparison.describe();
            if (argument.parameter->read || argument.dtype->bytes == 1) continue;
            const kit::Unwritten unwritten =
                kit::unwritten(*argument.dtype, poisonSeed(i, attempt), actual.data(), argument.count);
            if (unwritten.count > 0)
                *wrong += "; " + std::to_string(unwritten.count) + " were never written, first at " +
                          std::to_string(unwritten.first);
        }
    }
    return true;
}

bool CheckTensors::save(const std::vector<std::string> &files, std::string &error) const
{
    for (std::size_t i = 0; i < m_arguments.size() && i < files.size(); ++i) {
        if (files[i].empty()) continue;
        const std::vector<std::byte> &bytes = m_contents[i].output[1];
        std::ofstream file(files[i], std::ios::binary);
        file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
        if (!file.flush()) {
            error = "cannot write " + files[i];
            return false;
        }
    }
    return true;
}

std::uint64_t CheckTensors::inputBytes() const
{
    std::uint64_t sum = 0;
    for (const Argument &argument : m_arguments)
        sum += argument.parameter->read ? argument.bytes : 0;
    return sum;
}

std::uint64_t CheckTensors::outputBytes() const
{
    std::uint64_t sum = 0;
    for (const Argument &argument : m_arguments)
        sum += argument.parameter->written ? argument.bytes : 0;
    return sum;
}

} // namespace kernelskill::cuda
