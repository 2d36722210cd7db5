// SPDX-License-Identifier: Apache-2.0
#include "kit/confine.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace kernelskill::kit {

namespace {

std::string readSmallFile(const std::string &path)
{
    std::string content;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return content;
    char buffer[4096];
    ssize_t count;
    while ((count = read(descriptor, buffer, sizeof buffer)) > 0) content.append(buffer, std::size_t(count));
    close(descriptor);
    return content;
}

std::vector<int> numberedEntries(const std::string &folder)
{
    std::vector<int> result;
    DIR *handle = opendir(folder.c_str());
    if (!handle) return result;
    while (const dirent *entry = readdir(handle))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') result.push_back(std::atoi(entry->d_name));
    closedir(handle);
    return result;
}

bool kernelListsChildren()
{
    static const bool listed = access("/proc/thread-self/children", R_OK) == 0;
    return listed;
}

// At most `most` in all: whoever multiplies faster than we can read is not followed for ever.
void addChildren(pid_t parent, std::vector<pid_t> &found, std::size_t most)
{
    const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
    for (int task : numberedEntries(tasks)) {
        const std::string line = readSmallFile(tasks + "/" + std::to_string(task) + "/children");
        const char *at = line.c_str();
        char *next = nullptr;
        for (long child = std::strtol(at, &next, 10); next != at; child = std::strtol(at, &next, 10)) {
            if (found.size() >= most) return;
            found.push_back(pid_t(child));
            at = next;
        }
    }
}

// Kernels without the children files: parents of everything, from /proc/<pid>/stat.
std::multimap<pid_t, pid_t> allChildren()
{
    std::multimap<pid_t, pid_t> result;
    for (int pid : numberedEntries("/proc")) {
        const std::string stat = readSmallFile("/proc/" + std::to_string(pid) + "/stat");
        // The name, in parentheses, may hold anything; the fields go on after the last one.
        const std::size_t end = stat.rfind(')');
        int parent = 0;
        char state = 0;
        if (end != std::string::npos && std::sscanf(stat.c_str() + end + 1, " %c %d", &state, &parent) == 2)
            result.emplace(parent, pid);
    }
    return result;
}

constexpr std::size_t everyProcess = std::size_t(-1);

// The root first, then its descendants, at most `most`. `onFound` gets each descendant before its own children are read.
template<typename Found> std::vector<pid_t> treeOf(pid_t root, std::size_t most, Found onFound)
{
    std::vector<pid_t> tree{root};
    const bool direct = kernelListsChildren();
    const std::multimap<pid_t, pid_t> children = direct ? std::multimap<pid_t, pid_t>() : allChildren();
    for (std::size_t i = 0; i < tree.size() && tree.size() < most; ++i) {
        if (i > 0) onFound(tree[i]);
        if (direct) {
            addChildren(tree[i], tree, most);
            continue;
        }
        const auto [begin, end] = children.equal_range(tree[i]);
        for (auto it = begin; it != end; ++it) tree.push_back(it->second);
    }
    return tree;
}

} // namespace

TreeUse treeUse(pid_t root, int mostProcesses)
{
    static const long pageSize = sysconf(_SC_PAGESIZE);
    TreeUse use;
    for (pid_t pid : treeOf(root, std::size_t(mostProcesses), [](pid_t) {})) {
        const std::string line = readSmallFile("/proc/" + std::to_string(pid) + "/statm");
        long size = 0, resident = 0;
        if (std::sscanf(line.c_str(), "%ld %ld", &size, &resident) != 2) continue;
        use.residentBytes += std::int64_t(resident) * pageSize;
        ++use.processes;
    }
    return use;
}

void killDescendants(pid_t root)
{
    // Stopped as soon as it is found, none has children after its own were read; those of whom nobody has heard yet may
    // have some, so look again until nothing is new.
    for (int round = 0; round < 8; ++round) {
        const std::vector<pid_t> tree = treeOf(root, everyProcess, [](pid_t pid) { kill(pid, SIGSTOP); });
        for (std::size_t i = 1; i < tree.size(); ++i) kill(tree[i], SIGKILL);
        if (tree.size() == 1) break;
    }
}

void killTree(pid_t root)
{
    if (root <= 1) return; // to kill(), 0 is the caller's own group, -1 everything there is
    // A group stops as one: nobody in it forks past the signal.
    kill(getpgid(root) == root ? -root : root, SIGSTOP);
    killDescendants(root);
    kill(root, SIGKILL);
}

void killGroup(pid_t leader)
{
    if (leader > 1) kill(-leader, SIGKILL);
}

} // namespace kernelskill::kit
