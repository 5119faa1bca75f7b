#include "work.h"
#include "calls.h"
#include "instance.h"
#include "job.h"
#include <errno.h>

static void take(spin_self *self, struct lasting *lasting) {
    struct job *job = (struct job *)lasting;
    pthread_mutex_lock(&self->turn);
    if (job->kind == JOB_EDGES)
        watches_begin(self, job);
    else if (job->kind == JOB_SET)
        call_set(self, job);
    else
        call_get(self, job);
    pthread_mutex_unlock(&self->turn);
}

// Looks at what has happened to a descriptor; an error number if the chip has gone.
static int look(spin_self *self, struct source *source, uint32_t events) {
    struct watch *watch = source->is_watch ? (struct watch *)source : NULL;
    if (watch && watch_wants(watch) && events & EPOLLIN) {
        int error = -watch_read(watch);
        watch_emit(self, watch);
        if (error)
            return error;
    }
    return events & (EPOLLHUP | EPOLLERR) ? ENODEV : 0;
}

static int64_t step(spin_self *self, const struct epoll_event *events, int count, int has_ends) {
    pthread_mutex_lock(&self->turn);
    if (has_ends) {
        watches_sweep(self);
        calls_sweep(self);
    }
    for (int i = 0; i < count; i++) {
        struct source *source = events[i].data.ptr;
        // A call, a change or an earlier event may have closed it.
        int error = source->descriptor >= 0 ? look(self, source, events[i].events) : 0;
        if (error)
            chip_lose(self, error);
    }
    chip_step(self);
    calls_step(self);
    int64_t due = watches_step(self);
    sources_bury(self);
    due = self->chip.due < due ? self->chip.due : due;
    pthread_mutex_unlock(&self->turn);
    return due;
}

const struct engine_kind work_kind = {take, step};

void work_end(spin_self *self) {
    engine_stop(&self->engine);
    watches_end(self);
    calls_end(self);
    // The epoll instance has no descriptors any more.
    for (struct output *output = self->outputs; output; output = output->next)
        output->source.is_watched = false;
    self->chip.source.is_watched = false;
    engine_close(&self->engine);
    sources_bury(self);
}
