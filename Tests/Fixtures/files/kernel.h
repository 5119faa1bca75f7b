/* Answers of the kernel that a test cannot get from it. */
#ifndef FILES_TEST_KERNEL_H
#define FILES_TEST_KERNEL_H

enum kernel_call { KERNEL_INOTIFY, KERNEL_WATCH, KERNEL_WRITE, KERNEL_OPENAT2 };

/* Has the next such call fail with an errno; a write with 0 takes one byte only. */
void kernel_fail(enum kernel_call call, int error);

#endif
