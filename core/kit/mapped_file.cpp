// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kernelskill::kit {

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

bool MappedFile::open(const std::string &path, std::size_t bytes, std::string &error)
{
    *this = MappedFile();
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status
    {
    };
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
        if (descriptor >= 0) ::close(descriptor);
        error = path + " cannot be read";
        return false;
    }
    if (static_cast<std::size_t>(status.st_size) != bytes) {
        ::close(descriptor);
        error = path + " has " + std::to_string(status.st_size) + " bytes, and the task says " + std::to_string(bytes);
        return false;
    }
    void *data = bytes > 0 ? ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0) : nullptr;
    ::close(descriptor);
    if (data == MAP_FAILED) {
        error = path + " cannot be mapped";
        return false;
    }
    m_data = data;
    m_bytes = bytes;
    return true;
}

} // namespace kernelskill::kit
