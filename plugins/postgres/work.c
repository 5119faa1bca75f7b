#include "work.h"
#include "instance.h"
#include <stdio.h>
#include <string.h>

void instance_come(spin_self *self, int64_t due) {
    if (due < self->due)
        self->due = due;
}

void instance_report(spin_self *self, const char *reason) {
    if (reason ? !self->is_connected && strcmp(self->reported, reason) == 0 : self->is_connected)
        return;
    self->is_connected = reason == NULL;
    snprintf(self->reported, sizeof self->reported, "%s", reason ? reason : "");
    char server[server_name_size];
    server_name(&self->server, server);
    if (reason)
        spin_log_with(self->engine.call, SPIN_LOG_WARNING, "not connected to the server",
                      spin_field_text("server", server), spin_field_text("reason", reason));
    else
        spin_log_with(self->engine.call, SPIN_LOG_INFO, "connected to the server",
                      spin_field_text("server", server));
}

static void take(spin_self *self, struct lasting *lasting) {
    struct job *job = (struct job *)lasting;
    if (job->kind == JOB_LISTEN)
        listener_take(self, job);
    else
        pool_take(self, job);
}

static int64_t step(spin_self *self, const struct epoll_event *events, int count, int has_ends) {
    self->due = INT64_MAX;
    if (has_ends) {
        pool_sweep(self);
        listener_sweep(self);
    }
    for (int i = 0; i < count; i++)
        connection_event(events[i].data.ptr);
    int64_t now = spin_monotonic();
    pool_check(self, now);
    pool_serve(self);
    listener_serve(self, now);
    return self->due;
}

const struct engine_kind work_kind = {take, step};

void work_end(spin_self *self) {
    engine_stop(&self->engine);
    pool_end(self);
    listener_end(self);
    engine_close(&self->engine);
}
