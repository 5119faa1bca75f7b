// Its constructor changes state of the whole process, and starts a thread.
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <spinhost/plugin.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

SPIN_PLUGIN("loud", "1.0.0");

static void *stay(void *context) {
    pause();
    return context;
}

static __attribute__((constructor)) void begin(void) {
    umask(0123);
    setenv("LOUD", "1", 1);
    signal(SIGUSR1, SIG_IGN);
    fesetround(FE_UPWARD);
    pthread_t thread;
    pthread_create(&thread, NULL, stay, NULL);
}

static int64_t half(int64_t n) { return n / 2; }
SPIN_EFFECT(int64_t, half, (int64_t n), "");
