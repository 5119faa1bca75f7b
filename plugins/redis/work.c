#include "work.h"
#include "instance.h"
#include "stream/acknowledging.h"
#include "stream/reading.h"
#include "subscription.h"

void instance_come(spin_self *self, int64_t due) {
    if (due < self->due)
        self->due = due;
}

static void take(spin_self *self, struct lasting *lasting) {
    struct job *job = (struct job *)lasting;
    switch (job->kind) {
    case JOB_COMMAND:
        commands_begin(self, job);
        break;
    case JOB_SUBSCRIBE:
        subscription_begin(self, job);
        break;
    case JOB_READ:
        stream_begin(self, job);
        break;
    default:
        acknowledging_begin(self, job);
    }
}

static void check(spin_self *self) {
    int64_t now = spin_monotonic();
    if (now < self->due)
        return;
    self->due = INT64_MAX;
    for (struct link *link = self->links; link; link = link->next)
        link_check(link, now);
    for (struct stream *next, *stream = self->streams; stream; stream = next) {
        next = stream->next;
        stream_check(stream, now);
    }
}

static int64_t step(spin_self *self, const struct epoll_event *events, int count, int has_ends) {
    for (int i = 0; i < count; i++) {
        struct link *link = events[i].data.ptr;
        if (link->socket >= 0) // An earlier event may have closed it.
            link_event(link, events[i].events);
    }
    commands_resume(self);
    for (struct subscription *next = self->subscriptions; next; next = next->next)
        subscription_resume(next);
    for (struct stream *next = self->streams; next; next = next->next)
        reading_resume(next);
    check(self);
    if (has_ends) {
        subscriptions_sweep(self);
        streams_sweep(self);
    }
    for (struct link *link = self->links; link; link = link->next)
        link_flush(link);
    return self->due;
}

const struct engine_kind work_kind = {take, step};

void work_begin(spin_self *self) {
    self->due = spin_monotonic();
    streams_start(self);
}

void work_end(spin_self *self) {
    engine_stop(&self->engine);
    commands_end(self);
    streams_stop(self);
    subscriptions_free(self);
    link_close(&self->commands.link);
    engine_close(&self->engine);
}
