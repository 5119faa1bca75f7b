#define _GNU_SOURCE

#include "sandbox_calls.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CLOSE_RANGE = 436 };

static int close_between(unsigned first, unsigned last) {
    return first > last || syscall(CLOSE_RANGE, first, last, 0) == 0 ? 0 : errno;
}

int sandbox_close_others(const int *kept, size_t count) {
    unsigned first = 0;
    for (size_t index = 0; index < count; index++) {
        if (kept[index] > (int)first) {
            const int error = close_between(first, (unsigned)kept[index] - 1);
            if (error != 0) {
                return error;
            }
        }
        first = (unsigned)kept[index] + 1;
    }
    return close_between(first, ~0u);
}

int sandbox_die_with(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return errno;
    }
    // It may have ended before, and the kernel tells only of an end that comes later.
    return getppid() == parent ? 0 : ESRCH;
}

int sandbox_keep_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno; }

int sandbox_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2] = {0};
    if (syscall(SYS_capget, &header, sets) != 0) {
        return errno;
    }
    const uint32_t of_files = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH |
                              1u << CAP_FOWNER | 1u << CAP_FSETID;
    for (int index = 0; index < 2; index++) {
        sets[index].permitted &= index == 0 ? of_files : 0;
        sets[index].effective &= sets[index].permitted;
        sets[index].inheritable = 0;
    }
    return syscall(SYS_capset, &header, sets) == 0 ? 0 : errno;
}

int sandbox_lead_group(void) {
    if (getpgrp() == getpid()) {
        return 0;
    }
    return setpgid(0, 0) == 0 ? 0 : errno;
}

static size_t append(char *line, size_t length, const char *text) {
    const size_t size = strlen(text);
    memcpy(line + length, text, size);
    return length + size;
}

// The text of a number, at the end of `digits`.
static const char *decimal(unsigned number, char digits[12]) {
    char *first = digits + 11;
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return first;
}

static void name_and_die(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    char digits[12];
    const char *name = sandbox_call_name(info->si_arch, info->si_syscall);
    char line[128];
    size_t length = append(line, 0, "spinhost: the system call ");
    length = append(line, length, name != NULL ? name : decimal((unsigned)info->si_syscall, digits));
    length = append(line, length, " is not allowed\n");
    const ssize_t written = write(STDERR_FILENO, line, length);
    (void)written;
    // The handler is removed by now, so the signal that this call raises ends the process.
    syscall(SYS_ptrace, 0, 0, 0, 0);
    _exit(128 + SIGSYS);
}

int sandbox_name_refused_call(void) {
    struct sigaction action = {.sa_sigaction = name_and_die,
                               .sa_flags = SA_SIGINFO | (int)SA_RESETHAND | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL) != 0) {
        return errno;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGSYS);
    return sigprocmask(SIG_UNBLOCK, &signals, NULL) == 0 ? 0 : errno;
}
