// SPDX-License-Identifier: Apache-2.0
// A file as bytes, read where it is touched.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kernelskill::kit {

class MappedFile
{
public:
    MappedFile() = default;
    ~MappedFile();
    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;

    // False with `error` set when it cannot be read or has another size.
    [[nodiscard]] bool open(const std::string &path, std::size_t bytes, std::string &error);
    [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte *>(m_data), m_bytes}; }

private:
    void *m_data = nullptr;
    std::size_t m_bytes = 0;
};

} // namespace kernelskill::kit
