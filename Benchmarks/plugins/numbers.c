#include <spinhost/plugin.h>
#include <stdlib.h>

SPIN_PLUGIN("numbers", VERSION);
SPIN_EMITTER(ticked, (int64_t, n));
SPIN_EMITTER(counted, (int64_t, n));

enum { at_a_time = 20 };

struct job {
    spin_call *call;
    int64_t from;
};

static void work(void *context) {
    struct job job = *(struct job *)context;
    free(context);
    int64_t end = job.from + at_a_time;
    for (int64_t n = job.from + 1; n <= end; n++)
        ticked(job.call, n);
    counted(job.call, end);
    spin_finish(job.call);
}

static void count(spin_call *call, int64_t from) {
    struct job *job = malloc(sizeof *job);
    if (job)
        *job = (struct job){call, from};
    if (!job || spin_work(work, job) != SPIN_OK) {
        free(job);
        spin_fail(call, -1, "there is no room for a thread");
    }
}
SPIN_EFFECT(void, count, (spin_call * call, int64_t from),
            "Emits `ticked` with each of the next numbers, then `counted`, from a thread of the host.");

static int64_t same(int64_t n) { return n; }
SPIN_EFFECT(int64_t, same, (int64_t n), "");
