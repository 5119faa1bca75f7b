// The effects, whose calls become jobs.
#include "instance.h"
#include "job.h"

static void edges(spin_call *call, spin_self *self, spin_list_string lines) {
    if (lines.count == 0 || lines.count > most_lines) {
        spin_fail(call, SPIN_BAD_VALUE, "a call of `edges` has 1 to 64 lines");
        return;
    }
    struct job *job = job_make(call, self, JOB_EDGES, lines);
    if (job)
        engine_call_begin(&job->base);
}
SPIN_EFFECT(void, edges, (spin_call *call, spin_self *self, spin_list_string lines),
            "Emits `edge` for each edge, `lost` after a gap, and `opened` and `closed`, until it is cancelled.");

static void set(spin_call *call, spin_self *self, spin_string line, bool level) {
    struct job *job = job_make(call, self, JOB_SET, (spin_list_string){&line, 1});
    if (!job)
        return;
    job->level = level;
    engine_call_begin(&job->base);
}
SPIN_EFFECT(void, set, (spin_call *call, spin_self *self, spin_string line, bool level),
            "Sets an output. It emits nothing.");

static void get(spin_call *call, spin_self *self, spin_string line) {
    struct job *job = job_make(call, self, JOB_GET, (spin_list_string){&line, 1});
    if (job)
        engine_call_begin(&job->base);
}
SPIN_EFFECT(void, get, (spin_call *call, spin_self *self, spin_string line),
            "Emits `level` with the present level of a line, and ends.");
