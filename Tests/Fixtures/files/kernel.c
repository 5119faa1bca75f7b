#include "kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>

enum { answers = -1 };
static atomic_int errors[KERNEL_CALLS] = {answers, answers, answers, answers, answers, answers};

static atomic_int usual[KERNEL_CALLS]; /* calls before that */

void kernel_fail_after(enum kernel_call call, int count, int error) {
    atomic_store(&usual[call], count);
    atomic_store(&errors[call], error);
}

void kernel_fail(enum kernel_call call, int error) { kernel_fail_after(call, 0, error); }

static _Atomic(void (*)(void)) meanwhile[KERNEL_CALLS];
static atomic_int calls_before[KERNEL_CALLS];

void kernel_meanwhile(enum kernel_call call, int count, void (*function)(void)) {
    atomic_store(&calls_before[call], count);
    atomic_store(&meanwhile[call], function);
}

int __real_inotify_init1(int flags);
int __real_inotify_add_watch(int descriptor, const char *path, uint32_t mask);
ssize_t __real_write(int file, const void *data, size_t size);
long __real_syscall(long number, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __real_fstatat(int folder, const char *path, struct stat *status, int flags);

static int take(enum kernel_call call) {
    if (atomic_load(&meanwhile[call]) && atomic_fetch_sub(&calls_before[call], 1) == 0)
        atomic_exchange(&meanwhile[call], NULL)();
    if (atomic_load(&errors[call]) == answers || atomic_fetch_sub(&usual[call], 1) > 0)
        return answers;
    return atomic_exchange(&errors[call], answers);
}

static int fail(int error) {
    errno = error;
    return -1;
}

int __wrap_inotify_init1(int flags) {
    int error = take(KERNEL_INOTIFY);
    return error == answers ? __real_inotify_init1(flags) : fail(error);
}

int __wrap_inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
    int error = take(KERNEL_WATCH);
    return error == answers ? __real_inotify_add_watch(descriptor, path, mask) : fail(error);
}

ssize_t __wrap_write(int file, const void *data, size_t size) {
    int error = take(KERNEL_WRITE);
    return error == answers ? __real_write(file, data, size)
           : error == 0     ? __real_write(file, data, 1)
                            : fail(error);
}

/* The plugin calls openat2 with it, and nothing else. */
long __wrap_syscall(long number, ...) {
    int error = take(KERNEL_OPENAT2);
    if (error != answers)
        return fail(error);
    va_list arguments;
    va_start(arguments, number);
    int folder = va_arg(arguments, int);
    const char *path = va_arg(arguments, const char *);
    const void *how = va_arg(arguments, const void *);
    size_t size = va_arg(arguments, size_t);
    va_end(arguments);
    return __real_syscall(number, folder, path, how, size);
}

int __wrap_openat(int folder, const char *path, int flags, ...) {
    int error = take(KERNEL_OPENAT);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return error == answers ? __real_openat(folder, path, flags, mode) : fail(error);
}

int __wrap_fstatat(int folder, const char *path, struct stat *status, int flags) {
    int found = __real_fstatat(folder, path, status, flags), others = take(KERNEL_OWNER);
    if (found == 0 && others != answers) {
        status->st_uid += (others & S_ISUID) != 0;
        status->st_gid += (others & S_ISGID) != 0;
    }
    return found;
}
