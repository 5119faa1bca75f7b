#include "keep.h"
#include "../instance.h"
#include "../wire/subject.h"
#include <stdlib.h>
#include <string.h>

/* How long messages wait for the next call, in nanoseconds, and those of how many calls. */
static const int64_t patience = 5000000000;
enum { most_kept = 64 };

static void drop_first(struct keep *keep) {
    struct kept *kept = keep->first;
    keep->first = kept->next;
    if (!keep->first)
        keep->last = NULL;
    keep->count--;
    hold_free(&kept->hold);
    free(kept);
}

static struct kept *make(struct keep *keep, spin_string subject, spin_string queue) {
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
    struct kept *kept = make(keep, call->subject, call->name);
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

/* What precedes the texts of a call, and those of a message. The data of a message come last. */
struct call_head {
    int64_t missed;
    uint32_t subject, queue, count, unused;
};
struct message_head {
    int64_t missed;
    uint32_t subject, reply, header, data;
};

static spin_status save_message(const struct held *held, spin_saving *saving) {
    const struct message *message = &held->message;
    struct message_head head = {held->missed, (uint32_t)message->subject.size, (uint32_t)message->reply.size,
                                (uint32_t)message->header.size, (uint32_t)message->data.size};
    spin_status status = spin_write(saving, &head, sizeof head);
    // The texts and the data follow one another in the memory of the message.
    size_t size = (size_t)head.subject + head.reply + head.header + head.data;
    return status == SPIN_OK ? spin_write(saving, message->subject.data, size) : status;
}

static spin_status save_call(const struct kept *kept, spin_saving *saving) {
    struct call_head head = {kept->hold.missed, (uint32_t)kept->subject.size, (uint32_t)kept->queue.size,
                             (uint32_t)kept->hold.count, 0};
    spin_status status = spin_write(saving, &head, sizeof head);
    if (status == SPIN_OK)
        status = spin_write(saving, kept->subject.data, kept->subject.size + kept->queue.size);
    for (const struct held *held = kept->hold.first; held && status == SPIN_OK; held = held->next)
        status = save_message(held, saving);
    return status;
}

spin_status keep_save(const struct keep *keep, spin_saving *saving) {
    spin_status status = SPIN_OK;
    for (const struct kept *kept = keep->first; kept && status == SPIN_OK; kept = kept->next)
        status = save_call(kept, saving);
    return status;
}

struct saved_bytes {
    const uint8_t *data;
    size_t size;
};

// The next bytes; NULL if there are fewer.
static const void *take(struct saved_bytes *bytes, uint64_t size) {
    const uint8_t *data = bytes->data;
    if (size > bytes->size)
        return NULL;
    bytes->data += size;
    bytes->size -= (size_t)size;
    return data;
}

static int restore_message(struct hold *hold, struct saved_bytes *bytes) {
    struct message_head head;
    const void *source = take(bytes, sizeof head);
    if (!source)
        return 0;
    memcpy(&head, source, sizeof head);
    const char *texts = take(bytes, (uint64_t)head.subject + head.reply + head.header + head.data);
    if (!texts || head.missed < 0 || head.subject == 0)
        return 0;
    const char *reply = texts + head.subject, *header = reply + head.reply, *data = header + head.header;
    const struct message message = {{texts, head.subject},
                                    {reply, head.reply},
                                    {header, head.header},
                                    {(const uint8_t *)data, head.data}};
    hold->missed = head.missed;
    return hold_add(hold, &message);
}

static int restore_call(struct keep *keep, struct saved_bytes *bytes) {
    struct call_head head;
    const void *source = take(bytes, sizeof head);
    if (!source)
        return 0;
    memcpy(&head, source, sizeof head);
    const char *texts = take(bytes, (uint64_t)head.subject + head.queue);
    if (!texts || head.missed < 0 || head.count == 0)
        return 0;
    spin_string subject = {texts, head.subject}, queue = {texts + head.subject, head.queue};
    struct kept *kept = pattern_fault(subject) || (queue.size > 0 && subject_fault(queue))
                            ? NULL
                            : make(keep, subject, queue);
    int is_valid = kept != NULL;
    for (uint32_t i = 0; is_valid && i < head.count; i++)
        is_valid = restore_message(&kept->hold, bytes);
    if (is_valid)
        kept->hold.missed = head.missed;
    return is_valid;
}

int keep_restore(struct keep *keep, const uint8_t *data, size_t size) {
    struct saved_bytes bytes = {data, size};
    while (bytes.size > 0)
        if (keep->count == most_kept || !restore_call(keep, &bytes)) {
            keep_free(keep);
            return 0;
        }
    return 1;
}
