// What the functions that make instances have in common.
#ifndef COMMON_CREATE_H
#define COMMON_CREATE_H

#include <pthread.h>
#include <spinhost/plugin.h>
#include <stddef.h>

/* Zeroed memory for an instance. `reason` says which setting is not valid; NULL: all are. With a reason, or without
 * memory, it fails the call and returns NULL. */
spin_self *create_begin(spin_call *call, const char *reason, size_t size);

/* Ends `create` after the locks of an instance were made, and returns the instance. After an error number it frees the
 * memory, fails the call and returns NULL. */
spin_self *create_end(spin_call *call, spin_self *self, int error);

/* Makes a lock and a condition, which waits by CLOCK_MONOTONIC; an error number after a failure. */
int create_lock(pthread_mutex_t *turn, pthread_cond_t *changed);

#endif
