#include <pthread.h>
#include <spinhost/plugin.h>

SPIN_PLUGIN("hand_over", "1.0.0");
SPIN_EMITTER(moved, (int64_t, to));

/* The one thread serves one call at a time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static spin_call *waiting;
static int64_t number;

static void *work(void *context) {
    (void)context;
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (!waiting)
            pthread_cond_wait(&given, &mutex);
        spin_call *call = waiting;
        int64_t from = number;
        waiting = NULL;
        pthread_mutex_unlock(&mutex);
        moved(call, from + 1);
        spin_finish(call);
    }
    return NULL;
}

static void start(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_detach(thread);
}

static void step(spin_call *call, int64_t from) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    pthread_mutex_lock(&mutex);
    waiting = call;
    number = from;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&given);
}
SPIN_EFFECT(void, step, (spin_call * call, int64_t from), "Emits `moved` with the next number, from a thread.");
