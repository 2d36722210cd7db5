// SPDX-License-Identifier: Apache-2.0
// Misbehaves on request: tst_sandbox runs it confined and looks at what comes of it.
#include "kit/refusal_reporter.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <netinet/in.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace {

// Grows as fast as any, up to what a machine bears: if nobody stops it, the other tests go on.
int forkBomb()
{
    constexpr int most = 2000;
    void *shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 7;
    auto *born = new (shared) std::atomic<int>(0);
    while (born->fetch_add(1) < most)
        if (fork() < 0) usleep(1000);
    for (;;) pause();
}

int hog()
{
    std::vector<void *> blocks;
    for (;;) {
        void *block = std::malloc(16 << 20);
        if (!block) return 3;
        std::memset(block, 1, 16 << 20);
        blocks.push_back(block);
    }
}

int flood()
{
    const std::string line(65536, 'x');
    for (int i = 0; i < 1600; ++i) std::fwrite(line.data(), 1, line.size(), stdout);
    return 0;
}

int readFile(const char *path)
{
    const int file = open(path, O_RDONLY);
    if (file < 0) return 4;
    char buffer[4096];
    const ssize_t count = read(file, buffer, sizeof buffer);
    std::fwrite(buffer, 1, std::size_t(count > 0 ? count : 0), stdout);
    return 0;
}

int deleteBelow(const char *path)
{
    std::error_code code;
    for (const auto &entry : std::filesystem::directory_iterator(path, code)) std::filesystem::remove_all(entry, code);
    std::filesystem::remove_all(path, code);
    return 0;
}

int listDescriptors()
{
    DIR *folder = opendir("/proc/self/fd");
    while (const dirent *entry = readdir(folder))
        if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(folder)) std::printf("%s ", entry->d_name);
    return 0;
}

int threads()
{
    int sum = 0;
    std::thread one([&] { sum += 40; });
    one.join();
    std::thread two([&] { sum += 2; });
    two.join();
    return sum;
}

int forkSleepers()
{
    for (int i = 0; i < 3; ++i)
        if (fork() == 0) {
            setsid();
            for (;;) pause();
        }
    std::puts("forked");
    std::fflush(stdout);
    for (;;) pause();
}

int writeLarge(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 256; ++i)
        if (write(file, block.data(), block.size()) < 0) return 5;
    return 0;
}

int copyInput()
{
    std::cout << std::cin.rdbuf();
    return 0;
}

// Over the internet's family: 8 when what one socket sends the other receives.
int talkToOneself()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *place = reinterpret_cast<sockaddr *>(&address);
    const int listening = socket(AF_INET, SOCK_STREAM, 0), sending = socket(AF_INET, SOCK_STREAM, 0);
    if (listening < 0 || sending < 0) return 7;
    if (bind(listening, place, size) != 0 || listen(listening, 1) != 0 || getsockname(listening, place, &size) != 0)
        return 9;
    if (connect(sending, place, size) != 0 || send(sending, "x", 1, 0) != 1) return 10;
    char got = 0;
    return recv(accept(listening, nullptr, nullptr), &got, 1, 0) == 1 && got == 'x' ? 8 : 11;
}

} // namespace

int main(int count, char **words)
{
    const std::string what = count > 1 ? words[1] : "";
    const char *argument = count > 2 ? words[2] : "";
    if (std::getenv("REPORT_REFUSALS")) kernelskill::kit::installRefusalReporter();
    if (what == "exit") return std::atoi(argument);
    if (what == "environment") {
        for (char **entry = environ; *entry; ++entry) std::puts(*entry);
        return 0;
    }
    if (what == "fork-bomb") return forkBomb();
    if (what == "loop")
        for (;;) asm volatile("");
    if (what == "sleep")
        for (;;) pause();
    if (what == "hog") return hog();
    if (what == "flood") return flood();
    if (what == "read") return readFile(argument);
    if (what == "delete") return deleteBelow(std::string(argument).empty() ? std::getenv("HOME") : argument);
    if (what == "descriptors") return listDescriptors();
    if (what == "threads") return threads();
    if (what == "fork") return fork() == 0 ? 0 : 6;
    if (what == "sleepers") return forkSleepers();
    if (what == "netlink") return socket(AF_NETLINK, SOCK_RAW, 0) < 0 ? 7 : 8;
    if (what == "loopback") return talkToOneself();
    if (what == "socket") return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 7 : 8;
    if (what == "ptrace") return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) < 0 ? 9 : 10;
    if (what == "crash") std::abort();
    if (what == "write") return writeLarge(argument);
    if (what == "cat") return copyInput();
    if (what == "list") {
        for (const auto &entry : std::filesystem::directory_iterator(argument)) std::puts(entry.path().c_str());
        return 0;
    }
    if (what == "say") return int(write(std::atoi(argument), "hello", 5)) == 5 ? 0 : 11;
    if (what == "parent") {
        std::printf("%d", int(getpid()));
        return 0;
    }
    return 99;
}
