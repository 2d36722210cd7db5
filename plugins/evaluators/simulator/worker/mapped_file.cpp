// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kernelskill::simulator {

MappedFile::~MappedFile()
{
    if (m_data) ::munmap(m_data, m_bytes);
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_bytes(std::exchange(other.m_bytes, 0))
{
}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

std::expected<MappedFile, std::string> MappedFile::open(const std::string &path, std::size_t bytes)
{
    MappedFile file;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status
    {
    };
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
        if (descriptor >= 0) ::close(descriptor);
        return std::unexpected(path + " cannot be read");
    }
    if (static_cast<std::size_t>(status.st_size) != bytes) {
        ::close(descriptor);
        return std::unexpected(path + " has " + std::to_string(status.st_size) + " bytes, and the task says " +
                               std::to_string(bytes));
    }
    if (bytes > 0) {
        void *data = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data != MAP_FAILED) {
            file.m_data = data;
            file.m_bytes = bytes;
        }
    }
    ::close(descriptor);
    if (bytes > 0 && !file.m_data) return std::unexpected(path + " cannot be mapped");
    return file;
}

} // namespace kernelskill::simulator
