// SPDX-License-Identifier: Apache-2.0
#include "kit/confine.h"
#include "kit/confine_internal.h"

#ifndef KERNELSKILL_WITHOUT_SECCOMP
#include <seccomp.h>
#endif

#include <cerrno>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelskill::kit {

#ifdef KERNELSKILL_WITHOUT_SECCOMP

// On servers without libseccomp's header the worker is built like this and says so. The sandbox is otherwise the same.
int makeSystemCallFilter(bool, std::string &error, bool)
{
    const sock_filter allowAll{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    const int descriptor = memfd_create("filter", MFD_CLOEXEC);
    if (descriptor >= 0 && write(descriptor, &allowAll, sizeof allowAll) == ssize_t(sizeof allowAll) &&
        lseek(descriptor, 0, SEEK_SET) == 0)
        return descriptor;
    error = std::string("the system-call filter could not be written: ") + std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    return -1;
}

namespace internal {

std::string systemCallName(int number) { return "call " + std::to_string(number); }

} // namespace internal

#else

namespace {

// Calls by which a program reaches into others, or into the kernel, further than any kernel's host code needs.
constexpr const char *refusedAlways[] = {
    "ptrace",          "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd",
    "kcmp",            "mount",            "umount2",           "pivot_root",      "move_mount",
    "open_tree",       "fsopen",           "fsmount",           "fsconfig",        "fspick",
    "mount_setattr",   "chroot",           "setns",             "unshare",         "kexec_load",
    "kexec_file_load", "init_module",      "finit_module",      "delete_module",   "reboot",
    "swapon",          "swapoff",          "add_key",           "request_key",     "keyctl",
    "bpf",             "perf_event_open",  "userfaultfd",       "quotactl",        "acct",
    "syslog",          "settimeofday",     "clock_settime",     "adjtimex",        "clock_adjtime",
    "sethostname",     "setdomainname",    "iopl",              "ioperm",          "name_to_handle_at",
    "open_by_handle_at", "lookup_dcookie", "fanotify_init",     "vhangup",         "nfsservctl"};

// Libraries know how to live without these. io_uring could open sockets behind the filter's back; clone3 keeps its
// flags in memory, where a filter cannot look.
constexpr const char *missing[] = {"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"};

// For masked comparison `first` is the mask and `second` the value; else `first` is the value.
scmp_arg_cmp argument(unsigned place, scmp_compare operation, std::uint64_t first, std::uint64_t second = 0)
{
    return {place, operation, first, second};
}

constexpr std::uint64_t socketTypeBits = 0xf; // the rest of the argument are flags

class FilterBuilder
{
public:
    FilterBuilder(bool allowProcesses, bool allowLoopback)
        : m_context(seccomp_init(SCMP_ACT_ALLOW)), m_processes(allowProcesses), m_loopback(allowLoopback)
    {
    }
    ~FilterBuilder()
    {
        if (m_context) seccomp_release(m_context);
    }
    FilterBuilder(const FilterBuilder &) = delete;
    FilterBuilder &operator=(const FilterBuilder &) = delete;

    bool build()
    {
        if (!m_context) return false;
        seccomp_attr_set(m_context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        const std::uint32_t refusal = m_processes ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_TRAP;
        for (const char *name : refusedAlways) refuse(name, refusal);
        for (const char *name : missing) refuse(name, SCMP_ACT_ERRNO(ENOSYS));
        if (m_processes) {
            refuseFamilies();
            refuse("clone", SCMP_ACT_ERRNO(EPERM), argument(0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
        } else {
            refuse("socket", SCMP_ACT_TRAP, argument(0, SCMP_CMP_NE, AF_UNIX));
            // NVIDIA's driver does not start without a local packet socket; with no network and no file of the host's it
            // reaches nobody.
            for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
                refuse("socket", SCMP_ACT_TRAP, argument(0, SCMP_CMP_EQ, AF_UNIX),
                       argument(1, SCMP_CMP_MASKED_EQ, socketTypeBits, std::uint64_t(type)));
            refuse("fork", SCMP_ACT_TRAP);
            refuse("vfork", SCMP_ACT_TRAP);
            refuse("clone", SCMP_ACT_TRAP, argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
        }
        return m_ok;
    }
    [[nodiscard]] bool writeTo(int descriptor) const { return seccomp_export_bpf(m_context, descriptor) == 0; }

private:
    // A rule may look at an argument only once, so what lies between the allowed families is refused one by one.
    void refuseFamilies()
    {
        if (!m_loopback) return refuse("socket", SCMP_ACT_ERRNO(EACCES), argument(0, SCMP_CMP_NE, AF_UNIX));
        for (std::uint64_t family = 0; family < AF_INET6; ++family)
            if (family != AF_UNIX && family != AF_INET)
                refuse("socket", SCMP_ACT_ERRNO(EACCES), argument(0, SCMP_CMP_EQ, family));
        refuse("socket", SCMP_ACT_ERRNO(EACCES), argument(0, SCMP_CMP_GT, AF_INET6));
    }

    // A name this architecture (or this libseccomp) lacks cannot be called here, so leaving it out is no hole.
    template <class... Conditions> void refuse(const char *name, std::uint32_t action, Conditions... conditions)
    {
        const int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR || number < 0) return;
        const int status = seccomp_rule_add(m_context, action, number, unsigned(sizeof...(conditions)), conditions...);
        m_ok = m_ok && status == 0;
    }

    scmp_filter_ctx m_context;
    bool m_processes, m_loopback;
    bool m_ok = true;
};

} // namespace

int makeSystemCallFilter(bool allowProcesses, std::string &error, bool allowLoopback)
{
    FilterBuilder builder(allowProcesses, allowLoopback);
    if (!builder.build()) {
        error = "the system-call filter could not be built";
        return -1;
    }
    const int descriptor = memfd_create("filter", MFD_CLOEXEC);
    if (descriptor < 0 || !builder.writeTo(descriptor) || lseek(descriptor, 0, SEEK_SET) != 0) {
        error = std::string("the system-call filter could not be written: ") + std::strerror(errno);
        if (descriptor >= 0) close(descriptor);
        return -1;
    }
    return descriptor;
}

namespace internal {

std::string systemCallName(int number)
{
    char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
    if (!name) return "call " + std::to_string(number);
    const std::string result = name;
    free(name);
    // Glibc's fork and system() use clone; people look for the word they wrote.
    return result == "clone" || result == "vfork" ? "fork" : result;
}

} // namespace internal

#endif

} // namespace kernelskill::kit
