#include "watch.h"
#include "instance.h"
#include "job.h"

SPIN_EMITTER(changed);

void watch_add(spin_self *self, struct job *job) {
    atomic_fetch_add(&job->holders, 1);
    job->next = self->watch.first;
    self->watch.first = job;
}

int64_t watch_due(spin_self *self) { return self->watch.first ? self->watch.due : INT64_MAX; }

/* How soon it looks again when a call could not hear of a change, in nanoseconds. */
enum { soon = 50000000 };

// Whether the call lasts.
static int tell(struct job *job, uint32_t version) {
    if (job->has_seen && job->seen == version)
        return 1;
    spin_status status = spin_wait_changed(job->call, 0);
    if (status == SPIN_FULL)
        return 1; // The next look tries again; several changes become one emission.
    if (status == SPIN_OK || status == SPIN_BAD_VALUE) {
        job->has_seen = 1;
        job->seen = version;
        return 1;
    }
    job_finish(job, status, 0);
    return 0;
}

void watch_look(spin_self *self) {
    struct watch *watch = &self->watch;
    if (!watch->first)
        return;
    uint32_t version = 0;
    struct problem problem = {0};
    int is_known =
        connection_is_whole(&self->connection, &problem) && connection_version(self, &version, &problem);
    // A lock that is held now may be free at the next look.
    int is_broken = !is_known && problem.code != SQLITE_BUSY;
    int is_late = !is_known;
    for (struct job **link = &watch->first, *job; (job = *link);) {
        if (is_broken)
            job_fail(job, &problem);
        if (is_broken || atomic_load(&job->is_cancelled) || (is_known && !tell(job, version))) {
            *link = job->next;
            job_drop(job);
        } else {
            is_late |= !job->has_seen || job->seen != version;
            link = &job->next;
        }
    }
    int64_t interval = self->config->poll_interval;
    watch->due = monotonic_now() + (is_late && interval > soon ? soon : interval);
}

void watch_end(spin_self *self) {
    for (struct job *job; (job = self->watch.first);) {
        self->watch.first = job->next;
        job_drop(job);
    }
}
