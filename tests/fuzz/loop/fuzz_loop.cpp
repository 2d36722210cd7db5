// SPDX-License-Identifier: Apache-2.0
#include "fuzz_loop.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <fstream>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace kernelskill::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned hangLimit_s = 60; // of one case, sanitizers included
constexpr double lineEvery_s = 30;
constexpr std::uint64_t none = ~0ull;

struct Options
{
    std::uint64_t seed = 1, cases = none, from = 0, only = none, memory_mib = 4096;
    double seconds = 1e9;
};

// What the handlers may look at.
volatile std::uint64_t currentSeed = 0, currentCase = none;

void write(const char *text, int length)
{
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

// A case that takes too long, or a signal it raised: name the case, then die.
void reportCase(int signal)
{
    char text[128];
    const int length = std::snprintf(text, sizeof text, "\nseed %llu case %llu: %s (signal %d)\n",
                                     static_cast<unsigned long long>(currentSeed),
                                     static_cast<unsigned long long>(currentCase),
                                     signal == SIGALRM ? "does not end" : "crashed", signal);
    write(text, length);
    void *frames[40]; // for addr2line -Cfpe PROGRAM
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 40), STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
}

// Somebody wants the run to end: no fault of a case.
void reportEnd(int signal)
{
    char text[128];
    const int length = std::snprintf(text, sizeof text, "\nseed %llu: ended by signal %d from outside at case %llu\n",
                                     static_cast<unsigned long long>(currentSeed), signal,
                                     static_cast<unsigned long long>(currentCase));
    write(text, length);
    ::_exit(128 + signal);
}

void installHandlers()
{
    for (const int signal : {SIGALRM, SIGABRT, SIGTRAP, SIGSYS, SIGXFSZ})
        std::signal(signal, reportCase);
#if defined(__SANITIZE_ADDRESS__)
    // It says more about these than we can; the case is named after its report.
    __sanitizer_set_death_callback([] { reportCase(0); });
#else
    for (const int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL})
        std::signal(signal, reportCase);
#endif
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU})
        std::signal(signal, reportEnd);
}

// Beyond it an allocation fails in the case that wants it, instead of the kernel killing whom it likes. Sanitizers
// reserve more than any limit and have one of their own (rss_limit_mb).
void limitMemory([[maybe_unused]] std::uint64_t mib)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const rlimit limit{mib << 20, mib << 20};
    if (mib > 0) ::setrlimit(RLIMIT_AS, &limit);
#endif
}

std::uint64_t resident_mib()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

bool readOptions(int argc, char **argv, Options &options)
{
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 >= argc) return std::fprintf(stderr, "%s needs a value\n", argv[i]), false;
        const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
        if (name == "--seed")
            options.seed = number;
        else if (name == "--cases")
            options.cases = number;
        else if (name == "--from")
            options.from = number;
        else if (name == "--only")
            options.only = number;
        else if (name == "--memory")
            options.memory_mib = number;
        else if (name == "--seconds")
            options.seconds = std::strtod(argv[i + 1], nullptr);
        else
            return std::fprintf(stderr, "unknown option %s\n", argv[i]), false;
    }
    return true;
}

} // namespace

int runCases(const char *program, int argc, char **argv, const std::function<void(const Case &)> &run,
             const std::function<std::string()> &summary)
{
    Options options;
    if (!readOptions(argc, argv, options)) return 2;
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // a killed run keeps its lines
    currentSeed = options.seed;
    void *frame[1];
    ::backtrace(frame, 1); // what it loads is there when a handler needs it
    installHandlers();
    limitMemory(options.memory_mib);
    const bool alone = options.only != none;
    const std::uint64_t first = alone ? options.only : options.from, most = alone ? 1 : options.cases;
    std::printf("%s: seed %llu, from case %llu, process %d\n", program, static_cast<unsigned long long>(options.seed),
                static_cast<unsigned long long>(first), static_cast<int>(::getpid()));

    const auto begin = Clock::now();
    const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
    double slowest = 0, line = lineEvery_s;
    std::uint64_t done = 0, slowestCase = first;
    for (; done < most && since(begin) < options.seconds; ++done) {
        const auto start = Clock::now();
        currentCase = first + done;
        ::alarm(hangLimit_s);
        run({options.seed, first + done, alone});
        if (const double took = since(start); took > slowest) {
            slowest = took;
            slowestCase = first + done;
        }
        if (since(begin) < line) continue;
        line = since(begin) + lineEvery_s;
        std::printf("  %.0f s, %llu cases, %llu MiB resident\n", since(begin), static_cast<unsigned long long>(done + 1),
                    static_cast<unsigned long long>(resident_mib()));
    }
    ::alarm(0);
    std::printf("%s: seed %llu, %llu cases in %.0f s, no crash; slowest %.2f s (case %llu)\n%s", program,
                static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(done), since(begin),
                slowest, static_cast<unsigned long long>(slowestCase), summary().c_str());
    return 0;
}

} // namespace kernelskill::fuzz
