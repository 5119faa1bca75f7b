// Starts a thread when it is loaded, as libraries with a pool do.
#include <pthread.h>
#include <spinhost/plugin.h>
#include <unistd.h>

SPIN_PLUGIN("starts_threads", "1.0.0");

static void *stay(void *context) {
    pause();
    return context;
}

static __attribute__((constructor)) void begin(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, stay, NULL);
}

static int64_t half(int64_t n) { return n / 2; }
SPIN_EFFECT(int64_t, half, (int64_t n), "");
