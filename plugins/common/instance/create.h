// What the functions that make instances have in common.
#ifndef COMMON_CREATE_H
#define COMMON_CREATE_H

#include <pthread.h>
#include <spinhost/plugin.h>
#include <stddef.h>

/* Zeroed memory for an instance. NULL after a failure, of which the host hears: a setting that is not valid has a
 * reason. Others have NULL there, and only memory may be missing. */
spin_self *create_begin(spin_call *call, const char *reason, size_t size);

/* Ends `create` after the locks of an instance were made. After an error it frees the memory and returns NULL, and the
 * host hears of it. */
spin_self *create_end(spin_call *call, spin_self *self, int error);

/* Makes a lock and a condition, which waits by CLOCK_MONOTONIC; an error number after a failure. */
int create_lock(pthread_mutex_t *turn, pthread_cond_t *changed);

#endif
