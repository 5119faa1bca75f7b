#include "watch.h"
#include "instance.h"
#include "job.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

SPIN_EMITTER(opened, (spin_string, device));
SPIN_EMITTER(closed, (spin_string, reason));
SPIN_EMITTER(signals, (bool, cts), (bool, dsr), (bool, dcd), (bool, ri));

/* The lines that the other side sets. */
enum { all_lines = TIOCM_CTS | TIOCM_DSR | TIOCM_CD | TIOCM_RI };

void watch_take(spin_self *self, struct job *job) {
    struct watch *watch = &self->watch;
    // The last change says what the port is now, so it comes first.
    job->emitted = self->port.changes - 1;
    if (job->kind == JOB_SIGNALS) {
        job->lines = -1;
        watch->due = 0;
    }
    job->next = watch->first;
    watch->first = job;
}

void watch_sweep(spin_self *self) {
    for (struct job **link = &self->watch.first, *job; (job = *link);) {
        if (engine_call_is_over(&job->base)) {
            *link = job->next;
            engine_call_drop(&job->base);
        } else {
            link = &job->next;
        }
    }
}

static void emit_changes(spin_self *self, struct job *job) {
    const struct port *port = &self->port;
    while (lasting_can_emit(&job->base.lasting) && job->emitted != port->changes) {
        spin_status status =
            (job->emitted + 1) % 2 == 1
                ? spin_wait_opened(job->base.call, self->config->device, 0)
                : spin_wait_closed(job->base.call, (spin_string){port->reason, strlen(port->reason)}, 0);
        if (engine_call_continues(&job->base, status))
            job->emitted++;
    }
}

static void emit_lines(struct job *job, int lines) {
    if (!lasting_can_emit(&job->base.lasting) || job->lines == lines)
        return;
    spin_status status = spin_wait_signals(job->base.call, (lines & TIOCM_CTS) != 0, (lines & TIOCM_DSR) != 0,
                                           (lines & TIOCM_CD) != 0, (lines & TIOCM_RI) != 0, 0);
    if (engine_call_continues(&job->base, status))
        job->lines = lines;
}

static int hears_of_lines(const struct watch *watch) {
    for (struct job *job = watch->first; job; job = job->next)
        if (job->kind == JOB_SIGNALS)
            return 1;
    return 0;
}

// The device has no lines: the calls that wait for them fail.
static void fail_lines(struct watch *watch) {
    for (struct job **link = &watch->first, *job; (job = *link);) {
        if (job->kind == JOB_SIGNALS) {
            *link = job->next;
            engine_call_fail(&job->base, SPIN_FAILED, "the device has no modem lines");
        } else {
            link = &job->next;
        }
    }
}

// Looks at the lines if that is due; whether they are known.
static int look(spin_self *self) {
    struct watch *watch = &self->watch;
    if (self->port.device < 0 || !hears_of_lines(watch))
        return 0;
    int64_t now = spin_monotonic();
    if (now < watch->due)
        return 1;
    watch->due = now + self->config->signals_interval;
    if (ioctl(self->port.device, TIOCMGET, &watch->lines) == 0) {
        watch->lines &= all_lines;
        return 1;
    }
    if (errno != EIO) // The engine hears of a device that has gone.
        fail_lines(watch);
    return 0;
}

void watch_step(spin_self *self) {
    struct watch *watch = &self->watch;
    int is_known = look(self);
    for (struct job *job = watch->first; job; job = job->next) {
        if (job->kind == JOB_OPEN)
            emit_changes(self, job);
        else if (is_known)
            emit_lines(job, watch->lines);
    }
}

int64_t watch_due(const spin_self *self) {
    return self->port.device >= 0 && hears_of_lines(&self->watch) ? self->watch.due : INT64_MAX;
}

void watch_end(spin_self *self) {
    for (struct job *job; (job = self->watch.first);) {
        self->watch.first = job->next;
        engine_call_drop(&job->base);
    }
}
