#include "work.h"
#include "instance.h"
#include "job.h"

// Gives a call to the part that serves it.
static void take(spin_self *self, struct lasting *lasting) {
    struct job *job = (struct job *)lasting;
    if (job->kind == JOB_READ)
        reader_take(self, job);
    else if (job->kind == JOB_OPEN || job->kind == JOB_SIGNALS)
        watch_take(self, job);
    else
        writer_take(self, job);
}

static int64_t earlier(int64_t first, int64_t second) { return first < second ? first : second; }

static int64_t step(spin_self *self, const struct epoll_event *events, int count, int has_ends) {
    uint32_t found = 0;
    for (int i = 0; i < count; i++)
        found |= events[i].events;
    if (has_ends) {
        reader_sweep(self);
        writer_sweep(self);
        watch_sweep(self);
    }
    port_reopen(self);
    reader_step(self, found);
    writer_step(self);
    watch_step(self);
    port_watch(self, reader_wants(self), writer_wants(self));
    return earlier(earlier(port_due(self), reader_due(self)), earlier(writer_due(self), watch_due(self)));
}

const struct engine_kind work_kind = {take, step};

void work_end(spin_self *self) {
    engine_stop(&self->engine);
    reader_end(self);
    writer_end(self);
    watch_end(self);
    engine_close(&self->engine);
}
