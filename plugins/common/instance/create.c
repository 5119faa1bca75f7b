#include "create.h"
#include <stdlib.h>
#include <time.h>

spin_self *create_begin(spin_call *call, const char *reason, size_t size) {
    if (reason) {
        spin_fail(call, SPIN_BAD_VALUE, reason);
        return NULL;
    }
    spin_self *self = calloc(1, size);
    if (!self)
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
    return self;
}

spin_self *create_end(spin_call *call, spin_self *self, int error) {
    if (!error)
        return self;
    free(self);
    spin_fail(call, -error, "no lock can be made");
    return NULL;
}

int create_lock(pthread_mutex_t *turn, pthread_cond_t *changed) {
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error)
        return error;
    error = pthread_mutex_init(turn, NULL);
    if (error)
        pthread_cond_destroy(changed);
    return error;
}
