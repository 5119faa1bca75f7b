#include "handover.h"
#include "instance.h"
#include "stream/stream.h"
#include "../common/instance/rest.h"
#include <string.h>

struct saved_head {
    char mark[8];
    uint64_t streams, keys;
};

/* The texts follow, then the entries. */
struct saved_stream {
    char key[SPIN_RUN_KEY_SIZE];
    uint64_t sizes[stream_texts];
    int32_t acknowledges, reserved;
    uint64_t entries;
};

struct saved_entry {
    uint64_t time, number, is_done;
};

static const char mark[8] = "redis 1";

static spin_status save_stream(const struct stream *stream, spin_saving *saving) {
    struct saved_stream saved = {.acknowledges = stream->acknowledges, .entries = stream->entries.count};
    memcpy(saved.key, stream->key, sizeof saved.key);
    for (int i = 0; i < stream_texts; i++)
        saved.sizes[i] = stream->sizes[i];
    spin_status status = spin_write(saving, &saved, sizeof saved);
    for (int i = 0; i < stream_texts && status == SPIN_OK; i++)
        status = spin_write(saving, stream->texts[i], stream->sizes[i]);
    for (size_t i = 0; i < stream->entries.count && status == SPIN_OK; i++) {
        const struct entry *entry = stream->entries.all[i];
        struct saved_entry one = {entry->id.time, entry->id.number, entry->state != ENTRY_IN_WORK};
        status = spin_write(saving, &one, sizeof one);
    }
    return status;
}

spin_status handover_save(const spin_self *self, spin_saving *saving) {
    struct saved_head head = {.keys = self->earlier.count};
    memcpy(head.mark, mark, sizeof mark);
    for (const struct stream *next = self->streams; next; next = next->next)
        head.streams++;
    spin_status status = spin_write(saving, &head, sizeof head);
    for (const struct stream *next = self->streams; next && status == SPIN_OK; next = next->next)
        status = save_stream(next, saving);
    for (const struct unsure_key *key = self->earlier.first; key && status == SPIN_OK; key = key->next)
        status = spin_write(saving, key->text, sizeof key->text);
    return status;
}

static const char strange[] = "this is not a state of streams", no_memory[] = "no memory";

static const char *restore_entries(struct stream *stream, uint64_t count, struct rest *rest) {
    struct saved_entry saved;
    for (uint64_t i = 0; i < count; i++) {
        if (!rest_copy(rest, &saved, sizeof saved) || saved.is_done > 1)
            return strange;
        struct entry *entry = entries_add(&stream->entries, &(struct entry_id){saved.time, saved.number});
        if (!entry)
            return no_memory;
        entry->state = saved.is_done ? ENTRY_IS_DONE : ENTRY_IN_WORK;
    }
    return NULL;
}

static const char *restore_stream(spin_self *self, struct rest *rest) {
    struct saved_stream saved;
    const char *texts[stream_texts];
    size_t sizes[stream_texts];
    if (!rest_copy(rest, &saved, sizeof saved) || !memchr(saved.key, 0, sizeof saved.key) ||
        saved.reserved != 0 || (saved.acknowledges != 0 && saved.acknowledges != 1))
        return strange;
    for (int i = 0; i < stream_texts; i++) {
        texts[i] = rest_take(rest, saved.sizes[i]);
        sizes[i] = (size_t)saved.sizes[i];
        if (!texts[i] || sizes[i] == 0)
            return strange;
    }
    struct stream *stream = stream_make(self, texts, sizes);
    if (!stream)
        return no_memory;
    memcpy(stream->key, saved.key, sizeof stream->key);
    stream->acknowledges = saved.acknowledges;
    return restore_entries(stream, saved.entries, rest);
}

const char *handover_restore(spin_self *self, const spin_saved *saved) {
    struct saved_head head;
    struct rest rest = {saved->data, saved->data_size};
    if (saved->schema != HANDOVER_SCHEMA || !rest_copy(&rest, &head, sizeof head) ||
        memcmp(head.mark, mark, sizeof mark) != 0)
        return strange;
    const char *reason = NULL;
    for (uint64_t i = 0; i < head.streams && !reason; i++)
        reason = restore_stream(self, &rest);
    for (uint64_t i = 0; i < head.keys && !reason; i++) {
        char key[SPIN_RUN_KEY_SIZE];
        if (!rest_copy(&rest, key, sizeof key) || !memchr(key, 0, sizeof key))
            reason = strange;
        else if (!unsure_add(&self->earlier, key, SIZE_MAX))
            reason = no_memory;
    }
    return reason ? reason : rest.size > 0 ? strange : NULL;
}
