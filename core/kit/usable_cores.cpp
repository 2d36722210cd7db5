// SPDX-License-Identifier: Apache-2.0
#include "usable_cores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>
#include <thread>

namespace kernelskill::kit {

namespace {

std::string contents(const std::string &path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// "QUOTA PERIOD" in microseconds; 0 for "max", −1 and what is not there.
double coresOf(const std::string &quotaAndPeriod)
{
    std::istringstream words(quotaAndPeriod);
    double quota = 0, period = 0;
    return words >> quota >> period && quota > 0 && period > 0 ? quota / period : 0;
}

double quotaIn(const std::string &folder)
{
    if (const double cores = coresOf(contents(folder + "/cpu.max")); cores > 0) return cores;
    return coresOf(contents(folder + "/cpu.cfs_quota_us") + " " + contents(folder + "/cpu.cfs_period_us"));
}

// The tightest quota of a group and those above it.
double tightest(const std::string &mount, std::string group)
{
    double least = 0;
    for (;;) {
        const double here = quotaIn(mount + group);
        if (here > 0) least = least > 0 ? std::min(least, here) : here;
        if (group.empty()) return least;
        group.erase(group.rfind('/'));
    }
}

int affinity()
{
    cpu_set_t cores;
    if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
    return static_cast<int>(std::thread::hardware_concurrency()); // more cores than the set has room for
}

} // namespace

int coresOfControlGroups(const std::string &membership, const std::string &root)
{
    double least = 0;
    std::istringstream lines(membership);
    for (std::string line; std::getline(lines, line);) { // "0::/a/b", "4:cpu,cpuacct:/a/b"
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        std::string group = line.substr(second + 1);
        if (group.empty() || group.front() != '/') continue;
        if (group == "/") group.clear();
        const bool unified = controllers == ",,";
        if (!unified && controllers.find(",cpu,") == controllers.npos) continue;
        const double here = tightest(unified ? root : root + "/cpu", group);
        if (here > 0) least = least > 0 ? std::min(least, here) : here;
    }
    return least > 0 ? std::max(1, static_cast<int>(std::floor(least))) : 0;
}

int usableCores()
{
    const int allowed = coresOfControlGroups(contents("/proc/self/cgroup"), "/sys/fs/cgroup");
    const int cores = std::max(1, affinity());
    return allowed > 0 ? std::min(cores, allowed) : cores;
}

} // namespace kernelskill::kit
