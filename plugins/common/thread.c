#include "thread.h"
#include <signal.h>
#include <time.h>

int thread_start(pthread_t *thread, void *(*run)(void *context), void *context) {
    // Those of a crash must reach the thread that crashes.
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigdelset(&blocked, crashes[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    int error = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
