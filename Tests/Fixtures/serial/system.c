#include "system.h"
#include <errno.h>
#include <pthread.h>
#include <sys/types.h>
#include <time.h>

ssize_t __real_read(int descriptor, void *target, size_t size);
ssize_t __wrap_read(int descriptor, void *target, size_t size);
ssize_t __real_write(int descriptor, const void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t was_read;
static int fails_read, skips_sleeps;
static long long slept;
static void (*after_write)(void);

ssize_t __wrap_read(int descriptor, void *target, size_t size) {
    pthread_mutex_lock(&turn);
    int fails = fails_read;
    fails_read = 0;
    pthread_mutex_unlock(&turn);
    ssize_t count = fails ? -1 : __real_read(descriptor, target, size);
    int error = fails ? EIO : errno;
    pthread_mutex_lock(&turn);
    was_read += count > 0 ? (size_t)count : 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
    errno = error;
    return count;
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t size) {
    ssize_t count = __real_write(descriptor, bytes, size);
    int error = errno;
    pthread_mutex_lock(&turn);
    void (*function)(void) = after_write;
    after_write = NULL;
    pthread_mutex_unlock(&turn);
    if (function)
        function();
    errno = error;
    return count;
}

void system_after_write(void (*function)(void)) {
    pthread_mutex_lock(&turn);
    after_write = function;
    pthread_mutex_unlock(&turn);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
    pthread_mutex_lock(&turn);
    int skips = skips_sleeps;
    slept += time->tv_sec * 1000000000LL + time->tv_nsec;
    pthread_mutex_unlock(&turn);
    return skips ? 0 : __real_nanosleep(time, left);
}

void system_skip_sleeps(int is_now) {
    pthread_mutex_lock(&turn);
    skips_sleeps = is_now;
    slept = 0;
    pthread_mutex_unlock(&turn);
}

long long system_slept(void) {
    pthread_mutex_lock(&turn);
    long long time = slept;
    pthread_mutex_unlock(&turn);
    return time;
}

void system_fail_read(void) {
    pthread_mutex_lock(&turn);
    fails_read = 1;
    pthread_mutex_unlock(&turn);
}

void system_await_read(size_t size) {
    pthread_mutex_lock(&turn);
    while (was_read < size)
        pthread_cond_wait(&changed, &turn);
    was_read -= size;
    pthread_mutex_unlock(&turn);
}
