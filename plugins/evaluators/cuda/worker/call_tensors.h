// SPDX-License-Identifier: Apache-2.0
// The arguments of calls of solve: tensors at the end of shared memory, so that nothing lies behind them, and scalars.
#pragma once

#include "machine.h"

#include "kit/compare.h"
#include "kit/mapped_file.h"
#include "kit/work_order.h"

#include <optional>
#include <string>
#include <vector>

namespace kernelskill::cuda {

struct Argument
{
    const kit::ParameterSpec *parameter = nullptr;
    const kit::Dtype *dtype = nullptr;
    std::uint64_t count = 0, bytes = 0; // of a tensor
    std::string scalar;                 // hexadecimal
    int slab = -1;
};

// The arguments at one choice of sizes, without memory yet. False with `error` when the order does not fit together.
[[nodiscard]] bool bindArguments(const kit::WorkOrder &order, const kit::Binding &binding,
                                 std::vector<Argument> &arguments, std::string &error);
// A tensor's room: its bytes, rounded up to what device pointers are aligned to.
[[nodiscard]] std::uint64_t roomOf(std::uint64_t bytes);

// One set of tensors for checks: inputs from files, poisoned outputs, guards around, all looked at afterwards.
class CheckTensors
{
public:
    // `slabs`: one a parameter, −1 for scalars, each with room for its tensor.
    CheckTensors(Machine &machine, std::vector<Argument> arguments, const std::vector<int> &slabs);

    // Opens the case's files. False with `error`.
    [[nodiscard]] bool open(const kit::CheckCase &one, std::string &error);
    // Writes inputs, poison and guards. `attempt` chooses the poison.
    void prepare(int attempt);
    [[nodiscard]] nlohmann::json slots() const;

    // After a call. Sentences, empty when all is well.
    void readOutputs(int attempt);
    [[nodiscard]] bool outputsStayed(int attempt); // since readOutputs
    [[nodiscard]] std::optional<std::string> changedInput();
    [[nodiscard]] std::optional<std::string> brokenGuard(int attempt);
    // Of both attempts against the doubles in the case's files. Their errors are added to those of `errors`, one a
    // parameter, where it is given.
    [[nodiscard]] bool wrongOutput(const kit::WorkOrder &order, std::optional<std::string> &wrong,
                                   std::vector<kit::PooledError> *errors, std::string &error) const;
    [[nodiscard]] bool save(const std::vector<std::string> &files, std::string &error) const;
    [[nodiscard]] std::uint64_t inputBytes() const;
    [[nodiscard]] std::uint64_t outputBytes() const;

private:
    struct Content
    {
        kit::MappedFile input, expected;
        std::vector<std::byte> output[2]; // after each attempt
    };
    [[nodiscard]] DevicePointer addressOf(std::size_t i) const;
    [[nodiscard]] std::uint64_t guardBefore(std::size_t i) const; // bytes
    Machine &m_machine;
    std::vector<Argument> m_arguments;
    std::vector<Content> m_contents;
};

} // namespace kernelskill::cuda
