// SPDX-License-Identifier: Apache-2.0
// The buffers of one call on the simulated device: fresh, exactly as large as the task says, with unmapped memory
// around each, outputs poisoned, and compared afterwards.
#pragma once

#include "kit/mapped_file.h"
#include "worker/device_server.h"
#include "worker/request.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kernelskill::simulator {

class CallBuffers
{
public:
    CallBuffers(Device &device, DeviceServer &server) : m_device(device), m_server(server) {}
    ~CallBuffers();
    CallBuffers(const CallBuffers &) = delete;
    CallBuffers &operator=(const CallBuffers &) = delete;

    // Allocates and fills device memory, with the inputs in the files or with values of these seeds (one a parameter).
    // An error is trouble of ours: no memory, a file that cannot be read.
    // Without poison outputs hold anything: enough where nobody looks at them.
    [[nodiscard]] std::expected<void, std::string> prepare(const WorkRequest &request, const Binding &binding,
                                                           const std::vector<std::string> &inputFiles,
                                                           bool poisoned = true);
    [[nodiscard]] std::expected<void, std::string> prepare(const WorkRequest &request, const Binding &binding,
                                                           const std::vector<std::uint64_t> &seeds,
                                                           bool poisoned = true);
    // Other inputs, and poison again, in the buffers that are there: the candidate meets the same addresses.
    [[nodiscard]] std::expected<void, std::string> refill(const std::vector<std::string> &inputFiles);
    // Values in the order of the parameters, as the host program expects them.
    [[nodiscard]] std::vector<std::vector<std::byte>> arguments() const;

    // Empty when every input still holds what was put there; else a sentence.
    [[nodiscard]] std::optional<std::string> changedInput() const;
    struct ErrorNorm
    {
        std::string dtype;
        double value = 0; // kit::Comparison::relativeErrorNorm
    };
    struct Outputs
    {
        std::optional<std::string> wrong; // a sentence about the worst element
        std::vector<ErrorNorm> norms;     // one an output that was compared
    };
    // Every output against the doubles in the files.
    [[nodiscard]] std::expected<Outputs, std::string>
    compareOutputs(const WorkRequest &request, const std::vector<std::string> &expectedFiles) const;
    // The same for a call of which only some blocks ran: compares what was written.
    struct Written : Outputs
    {
        double share = 1; // of the elements of pure outputs that were written; 1 where there are too few to tell
    };
    [[nodiscard]] std::expected<Written, std::string>
    compareWritten(const WorkRequest &request, const std::vector<std::string> &expectedFiles) const;
    // Writes raw outputs to files, one a parameter.
    [[nodiscard]] std::expected<void, std::string> save(const std::vector<std::string> &files) const;
    [[nodiscard]] std::uint64_t outputBytes() const;
    [[nodiscard]] std::uint64_t inputBytes() const;

private:
    struct Buffer
    {
        const ParameterSpec *parameter = nullptr;
        std::vector<std::byte> made; // what was uploaded, unless a file has it
        kit::MappedFile file;
        std::vector<std::byte> scalar;
        [[nodiscard]] std::span<const std::byte> content() const
        {
            return made.empty() ? file.bytes() : std::span(made);
        }
        std::uint64_t address = 0, bytes = 0, count = 0;
    };
    using Fill = std::function<std::expected<void, std::string>(std::size_t parameter, Buffer &buffer)>;
    std::expected<void, std::string> prepareWith(const WorkRequest &request, const Binding &binding, bool poisoned,
                                                 const Fill &fill);
    std::expected<void, std::string> load(const Buffer &buffer); // its content to the device
    Device &m_device;
    DeviceServer &m_server;
    std::vector<Buffer> m_buffers;
};

} // namespace kernelskill::simulator
