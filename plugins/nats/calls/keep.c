#include "keep.h"
#include "../instance.h"
#include "../wire/subject.h"
#include <stdlib.h>
#include <string.h>

/* How long messages wait for the next call, in nanoseconds. */
static const int64_t patience = 5000000000;

static void drop_first(struct keep *keep) {
    struct kept *kept = keep->first;
    keep->first = kept->next;
    if (!keep->first)
        keep->last = NULL;
    hold_free(&kept->hold);
    free(kept);
}

// Copies a text to where the next one follows it.
static char *copy_text(char *target, spin_string source, spin_string *copy) {
    if (source.size > 0)
        memcpy(target, source.data, source.size);
    *copy = (spin_string){target, source.size};
    return target + source.size;
}

struct kept *keep_make(struct keep *keep, spin_string subject, spin_string queue, spin_string key) {
    struct kept *kept = calloc(1, sizeof *kept + subject.size + queue.size + key.size);
    if (!kept)
        return NULL;
    char *next = copy_text((char *)(kept + 1), subject, &kept->subject);
    next = copy_text(next, queue, &kept->queue);
    copy_text(next, key, &kept->key);
    *(keep->last ? &keep->last->next : &keep->first) = kept;
    keep->last = kept;
    return kept;
}

static spin_string key_of(const struct call *call) {
    return (spin_string){call->base.key, strlen(call->base.key)};
}

void keep_add(spin_self *self, struct call *call) {
    struct keep *keep = &self->keep;
    if (!call->hold.first && call->hold.missed == 0)
        return;
    struct kept *kept = keep_make(keep, call->subject, call->name, key_of(call));
    if (!kept)
        return;
    kept->due = spin_monotonic() + patience;
    kept->hold = call->hold;
    call->hold = (struct hold){0};
}

// In a swap the host makes each call again, so that another call of the subject may come first.
static int is_for(const struct kept *kept, const struct call *call) {
    return is_same(kept->subject, call->subject) && is_same(kept->queue, call->name) &&
           (!call->is_repeated || is_same(kept->key, key_of(call)));
}

void keep_give(spin_self *self, struct call *call) {
    struct keep *keep = &self->keep;
    struct kept *before = NULL, *kept = keep->first;
    while (kept && !is_for(kept, call)) {
        before = kept;
        kept = kept->next;
    }
    if (!kept)
        return;
    *(before ? &before->next : &keep->first) = kept->next;
    if (keep->last == kept)
        keep->last = before;
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
