#include "watches.h"
#include "handover.h"
#include "../instance.h"
#include "../job.h"
#include <stdio.h>
#include <string.h>

/* How long lines stay after their call, in nanoseconds. */
static const int64_t after_call = 1000000000;

void watches_add(spin_self *self, struct watch *watch) {
    watch->next = self->watches;
    self->watches = watch;
}

void watches_remove(spin_self *self, struct watch *removed) {
    struct watch **link = &self->watches;
    while (*link != removed)
        link = &(*link)->next;
    *link = removed->next;
    bool was_open = removed->source.descriptor >= 0;
    watch_free(self, removed);
    if (was_open)
        handover_renew(self);
}

struct watch *watches_make(spin_self *self) {
    size_t count = 0;
    struct watch *left = NULL; // The last one in the list has waited longest.
    for (struct watch *watch = self->watches; watch; watch = watch->next, count++)
        if (!watch->job && watch->state.has_edges)
            left = watch;
    if (count >= most_watches && !left)
        return NULL;
    if (count >= most_watches)
        watches_remove(self, left);
    return watch_make();
}

struct watch *watches_find(spin_self *self, uint32_t offset, uint32_t *index) {
    struct watch *watch = self->watches;
    while (watch && !watch_has(watch, offset, index))
        watch = watch->next;
    return watch;
}

// Lets go of a call that the host is about to cancel, or has cancelled.
static void leave(struct watch *watch) {
    engine_call_drop(&watch->job->base);
    watch->job = NULL;
    watch->due = spin_monotonic() + after_call;
}

bool watches_yield(spin_self *self, uint32_t offset, char reason[most_reason]) {
    uint32_t index;
    struct watch *watch = watches_find(self, offset, &index);
    if (!watch)
        return true;
    if (watch->job) {
        snprintf(reason, most_reason, "another call of `edges` has the line `%.*s`",
                 (int)watch->job->names[index].size, watch->job->names[index].data);
        return false;
    }
    watches_remove(self, watch);
    return true;
}

void watches_sweep(spin_self *self) {
    for (struct watch *watch = self->watches; watch; watch = watch->next)
        // The host says later that it has cancelled a call, and a call of the same run may come before.
        if (watch->job && (engine_call_is_over(&watch->job->base) || spin_cancelled(watch->job->base.call)))
            leave(watch);
}

int64_t watches_step(spin_self *self) {
    int64_t due = INT64_MAX, now = spin_monotonic();
    for (struct watch *next, *watch = self->watches; watch; watch = next) {
        next = watch->next;
        if (!watch->job && now >= watch->due) {
            watches_remove(self, watch);
            continue;
        }
        watch_emit(self, watch);
        source_watch(self, &watch->source, watch_wants(watch) ? EPOLLIN : 0);
        due = watch->due < due ? watch->due : due;
    }
    return due;
}

void watches_lose(spin_self *self) {
    for (struct watch *next, *watch = self->watches; watch; watch = next) {
        next = watch->next;
        watch_close(self, watch);
        memcpy(watch->reason, self->chip.reason, most_reason);
        watch->state.set.count = 0; // The chip may come back with other numbers.
        if (!watch->job)
            watches_remove(self, watch);
    }
}

void watches_end(spin_self *self) {
    for (struct watch *watch = self->watches; watch; watch = watch->next) {
        if (watch->job)
            leave(watch);
        watch->source.is_watched = false; // The epoll instance is about to be closed.
    }
}

void watches_free(spin_self *self) {
    for (struct watch *watch; (watch = self->watches);) {
        self->watches = watch->next;
        watch_free(self, watch);
    }
}
