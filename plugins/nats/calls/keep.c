#include "keep.h"
#include "../instance.h"
#include <stdlib.h>
#include <string.h>

/* How long messages wait for the next call, in nanoseconds. */
static const int64_t patience = 5000000000;

static void drop_first(struct keep *keep) {
    struct kept *kept = keep->first;
    keep->first = kept->next;
    if (!keep->first)
        keep->last = NULL;
    keep->count--;
    hold_free(&kept->hold);
    free(kept);
}

struct kept *keep_make(struct keep *keep, spin_string subject, spin_string queue) {
    struct kept *kept = malloc(sizeof *kept + subject.size + queue.size + 1);
    if (!kept)
        return NULL;
    char *bytes = (char *)(kept + 1);
    *kept = (struct kept){.subject = {bytes, subject.size}, .queue = {bytes + subject.size, queue.size}};
    memcpy(bytes, subject.data, subject.size);
    if (queue.size > 0)
        memcpy(bytes + subject.size, queue.data, queue.size);
    *(keep->last ? &keep->last->next : &keep->first) = kept;
    keep->last = kept;
    keep->count++;
    return kept;
}

void keep_add(spin_self *self, struct call *call) {
    struct keep *keep = &self->keep;
    if (!call->hold.first)
        return;
    if (keep->count == most_kept)
        drop_first(keep);
    struct kept *kept = keep_make(keep, call->subject, call->name);
    if (!kept)
        return;
    kept->due = spin_monotonic() + patience;
    kept->hold = call->hold;
    call->hold = (struct hold){0};
}

static int is_same(spin_string one, spin_string other) {
    return one.size == other.size && (one.size == 0 || memcmp(one.data, other.data, one.size) == 0);
}

void keep_give(spin_self *self, struct call *call) {
    struct keep *keep = &self->keep;
    struct kept *before = NULL, *kept = keep->first;
    while (kept && !(is_same(kept->subject, call->subject) && is_same(kept->queue, call->name))) {
        before = kept;
        kept = kept->next;
    }
    if (!kept)
        return;
    *(before ? &before->next : &keep->first) = kept->next;
    if (keep->last == kept)
        keep->last = before;
    keep->count--;
    call->hold = kept->hold;
    free(kept);
    call_move(call, &self->blocked);
}

void keep_begin(spin_self *self) {
    for (struct kept *kept = self->keep.first; kept; kept = kept->next)
        kept->due = spin_monotonic() + patience;
}

int64_t keep_step(spin_self *self, int64_t now) {
    struct keep *keep = &self->keep;
    while (keep->first && keep->first->due <= now)
        drop_first(keep);
    return keep->first ? keep->first->due : INT64_MAX;
}

void keep_free(struct keep *keep) {
    while (keep->first)
        drop_first(keep);
}
