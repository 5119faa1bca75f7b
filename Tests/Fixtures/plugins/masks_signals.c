// Leaves all signals blocked on the thread that calls it.
#include <pthread.h>
#include <signal.h>
#include <spinhost/plugin.h>
#include <stdlib.h>

SPIN_PLUGIN("masks", "1.0");

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static int64_t block(void) {
    block_all();
    return 0;
}
SPIN_EFFECT(int64_t, block, (void), "");

static int64_t block_and_give_up(void) {
    block_all();
    abort();
}
SPIN_EFFECT(int64_t, block_and_give_up, (void), "");
