/* Answers of the kernel that a test cannot get from it. */
#ifndef FILES_TEST_KERNEL_H
#define FILES_TEST_KERNEL_H

enum kernel_call {
    KERNEL_INOTIFY,
    KERNEL_WATCH,
    KERNEL_WRITE,
    KERNEL_OPENAT2,
    KERNEL_OPENAT,
    KERNEL_OWNER,
    KERNEL_CALLS
};

/* Has the next such call fail with an errno; a write with 0 takes one byte only. KERNEL_OWNER does not fail: the next
 * file that `fstatat` finds has another owner with S_ISUID, and another group with S_ISGID. */
void kernel_fail(enum kernel_call call, int error);

/* The same for the call after so many that are as usual. */
void kernel_fail_after(enum kernel_call call, int count, int error);

/* Calls a function before such a call, after so many that are as usual. */
void kernel_meanwhile(enum kernel_call call, int count, void (*function)(void));

#endif
