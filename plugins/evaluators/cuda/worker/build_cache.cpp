// SPDX-License-Identifier: Apache-2.0
#include "build_cache.h"

#include "kit/seeds.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace kernelskill::cuda {

namespace fs = std::filesystem;

namespace {

constexpr const char *keyFile = "key.txt";
constexpr const char *workPrefix = "work-";
constexpr int mostAttempts = 8; // entries whose keys share a name

} // namespace

std::string readFile(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool writeFile(const std::string &path, const std::string &text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    return bool(file.flush());
}

std::string BuildCache::standardFolder()
{
    const char *chosen = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const std::string root = chosen && *chosen == '/' ? chosen : std::string(home ? home : "/tmp") + "/.cache";
    return root + "/kernelskill/cuda";
}

std::string BuildCache::place(const std::string &key, int attempt) const
{
    char name[40];
    std::snprintf(name, sizeof name, "%016llx-%d", static_cast<unsigned long long>(kit::Seed(1).with(key).value()),
                  attempt);
    return m_folder + "/" + name;
}

std::string BuildCache::find(const std::string &key) const
{
    std::error_code code;
    for (int attempt = 0; attempt < mostAttempts; ++attempt) {
        const std::string folder = place(key, attempt);
        if (!fs::exists(folder, code)) return {};
        if (readFile(folder + "/" + keyFile) != key) continue;
        fs::last_write_time(folder, fs::file_time_type::clock::now(), code);
        return folder;
    }
    return {};
}

std::string BuildCache::makeWorkFolder(std::string &error) const
{
    std::error_code code;
    fs::create_directories(m_folder, code);
    std::string name = m_folder + "/" + workPrefix + "XXXXXX";
    if (!mkdtemp(name.data())) {
        error = "There is no place to build in: " + m_folder + " cannot be written.";
        return {};
    }
    return name;
}

std::string BuildCache::keep(const std::string &workFolder, const std::string &key, std::string &error) const
{
    if (!writeFile(workFolder + "/" + keyFile, key)) {
        error = "What was built cannot be kept in " + m_folder + ".";
        return {};
    }
    for (int attempt = 0; attempt < mostAttempts; ++attempt) {
        const std::string folder = place(key, attempt);
        // Fails when it is there: then somebody built the same meanwhile, or it belongs to another key.
        if (std::rename(workFolder.c_str(), folder.c_str()) == 0) return folder;
        if (readFile(folder + "/" + keyFile) != key) continue;
        std::error_code code;
        fs::remove_all(workFolder, code);
        return folder;
    }
    error = "What was built cannot be kept in " + m_folder + ".";
    return {};
}

void BuildCache::prune(std::size_t kept) const
{
    const auto now = fs::file_time_type::clock::now();
    std::error_code code;
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    for (const auto &entry : fs::directory_iterator(m_folder, code)) {
        const auto used = fs::last_write_time(entry.path(), code);
        if (!entry.path().filename().string().starts_with(workPrefix))
            entries.emplace_back(used, entry.path());
        else if (now - used > std::chrono::hours(24))
            fs::remove_all(entry.path(), code);
    }
    if (entries.size() <= kept) return;
    std::sort(entries.begin(), entries.end());
    for (std::size_t i = 0; i < entries.size() - kept; ++i)
        fs::remove_all(entries[i].second, code);
}

} // namespace kernelskill::cuda
