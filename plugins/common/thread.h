// What plugins with a thread of their own need.
#ifndef COMMON_THREAD_H
#define COMMON_THREAD_H

#include <pthread.h>
#include <stdint.h>

/* Begins a thread that takes no signals but those of a crash: the host handles the others. 0, or an error number. */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Nanoseconds of a clock that never goes back. */
int64_t monotonic_now(void);

#endif
