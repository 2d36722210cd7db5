// SPDX-License-Identifier: Apache-2.0
// Folders with what was built, found by everything that went into it. An entry holds the text of its key, which is
// compared whole: no program can be made that is taken for another.
#pragma once

#include <string>

namespace kernelskill::cuda {

class BuildCache
{
public:
    // $XDG_CACHE_HOME/kernelskill/cuda, or below ~/.cache.
    [[nodiscard]] static std::string standardFolder();
    explicit BuildCache(std::string folder) : m_folder(std::move(folder)) {}

    // The entry's folder, empty when there is none. Marks it as used.
    [[nodiscard]] std::string find(const std::string &key) const;
    // A new folder to build in, empty with `error`. Nobody else knows it.
    [[nodiscard]] std::string makeWorkFolder(std::string &error) const;
    // Turns a work folder into the entry of this key in one step; who comes second keeps the first one's. The entry's
    // folder, empty with `error`.
    [[nodiscard]] std::string keep(const std::string &workFolder, const std::string &key, std::string &error) const;
    // Removes the entries that were not used for longest, but for `kept`; and work folders somebody left a day ago.
    void prune(std::size_t kept = 300) const;

private:
    [[nodiscard]] std::string place(const std::string &key, int attempt) const;
    std::string m_folder;
};

[[nodiscard]] std::string readFile(const std::string &path);
[[nodiscard]] bool writeFile(const std::string &path, const std::string &text);

} // namespace kernelskill::cuda
