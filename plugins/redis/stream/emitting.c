#include "emitting.h"
#include "acknowledging.h"
#include "../instance.h"
#include <stdlib.h>

SPIN_EMITTER(entry, (spin_string, id), (spin_list_redis_field, fields), (bool, again));

// Memory for so many fields; 0 without it.
static int reserve(struct stream *stream, size_t count) {
    if (stream->field_capacity >= count)
        return 1;
    redis_field *grown = realloc(stream->fields, count * sizeof *grown);
    if (!grown)
        return 0;
    stream->fields = grown;
    stream->field_capacity = count;
    return 1;
}

static spin_status emit(struct stream *stream, size_t place) {
    const redis_value *values = stream->held.values + place;
    size_t count = (size_t)values[2].integer / 2;
    for (size_t i = 0; i < count; i++) {
        const redis_value *name = &values[3 + 2 * i], *value = name + 1;
        stream->fields[i] = (redis_field){name->text, value->text, value->bytes};
    }
    return spin_wait_entry(stream->job->base.call, values[1].text,
                           (spin_list_redis_field){stream->fields, count}, stream->is_again, 0);
}

static int has_no_memory(struct stream *stream) {
    link_lose(&stream->link, "no memory for an entry");
    return 0;
}

// Emits one entry; 0 if it must wait.
static int emit_one(struct stream *stream, size_t place) {
    const struct reply *held = &stream->held;
    struct entry_id id;
    if (held->kinds[place] == REPLY_NULL || !entry_id_read(held->values[place + 1].text, &id))
        return 1;
    // A new one is not in work, also if one with the same id was, before the stream was deleted.
    struct entry *found = entries_find(&stream->entries, &id);
    if (found && stream->is_again)
        return 1;
    int is_deleted = held->kinds[place + 2] == REPLY_NULL;
    struct entry *entry = is_deleted || reserve(stream, (size_t)held->values[place + 2].integer / 2)
                              ? entries_add(&stream->entries, &id)
                              : NULL;
    if (!entry)
        return has_no_memory(stream);
    spin_status status = is_deleted ? SPIN_OK : emit(stream, place);
    if (!engine_call_continues(&stream->job->base, status)) {
        stream->is_blocked = 1;
        if (!found)
            entries_drop(&stream->entries, &id);
        return 0;
    }
    acknowledging_is_new(stream, entry);
    if (status == SPIN_BAD_VALUE) { // The loop does not have it, so nobody works on it.
        entries_drop(&stream->entries, &id);
        return 1;
    }
    // Nobody can work on an entry that was deleted.
    entry->state = is_deleted || stream->acknowledges ? ENTRY_IS_DONE : ENTRY_IN_WORK;
    return 1;
}

int emitting_run(struct stream *stream) {
    if (stream->is_blocked)
        return 0;
    while (stream->held_next < stream->held_end) {
        size_t place = stream->held_next;
        if (!emit_one(stream, place))
            break;
        stream->held_next = reply_behind(&stream->held, place);
    }
    acknowledging_send(stream);
    if (stream->held_next < stream->held_end)
        return 0;
    reply_clear(&stream->held);
    stream->held_next = stream->held_end = 0;
    return 1;
}
