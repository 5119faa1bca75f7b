// Effects of which one call in `every` ends the process, each time in another way.
#include <spinhost/plugin.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

SPIN_PLUGIN("mortal", "1.0.0");
SPIN_EMITTER(answered, (int64_t, n));

static void die(int64_t turn) {
    switch (turn % 4) {
    case 0:
        abort();
    case 1:
        _exit(3);
    case 2:
        raise(SIGKILL);
    }
    *(volatile int64_t *)NULL = turn;
}

static int64_t answer(int64_t n, int64_t every) {
    if (n % every == 0)
        die(n / every);
    return n;
}
SPIN_EFFECT(int64_t, answer, (int64_t n, int64_t every), "The same number.");

struct job {
    spin_call *call;
    int64_t n, every;
};

static void work(void *context) {
    struct job job = *(struct job *)context;
    free(context);
    int64_t turn = job.n % job.every == 0 ? job.n / job.every : 0;
    if (turn % 2 == 1)
        die(turn / 2);
    answered(job.call, job.n);
    if (turn > 0)
        die(turn / 2);
    spin_finish(job.call);
}

static void emit(spin_call *call, int64_t n, int64_t every) {
    struct job *job = malloc(sizeof *job);
    if (job)
        *job = (struct job){call, n, every};
    if (!job || spin_work(work, job) != SPIN_OK) {
        free(job);
        spin_fail(call, -1, "there is no room for a thread");
    }
}
SPIN_EFFECT(void, emit, (spin_call * call, int64_t n, int64_t every),
            "Emits `answered` with the number from a thread of the host. Half of the ends come after it.");
