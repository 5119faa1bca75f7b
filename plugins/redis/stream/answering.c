#include "answering.h"
#include "../instance.h"
#include "../link/trouble.h"
#include "../../common/patience.h"
#include <stdio.h>
#include <string.h>

// Waits before it asks again, longer after each failure.
static void wait_again(struct stream *stream) {
    const spin_config *config = stream->link.self->config;
    stream->retry_due =
        spin_monotonic() + patience(config->reconnect_least, config->reconnect_most, ++stream->failures);
}

static void hear_error(struct stream *stream, enum request_kind kind, spin_string error) {
    switch (trouble_of(error)) {
    case TROUBLE_AWAY:
        link_part(&stream->link, trouble_away(error));
        return;
    case TROUBLE_NO_GROUP:
        stream->needs_group = 1;
        // A group that is gone again at once is not made without end.
        if (stream->failures > 0)
            wait_again(stream);
        else
            stream->failures = 1;
        return;
    case TROUBLE_PASSES:
        stream_complain(stream, error.data);
        wait_again(stream);
        return;
    default:
        if (kind == REQUEST_CREATE_GROUP && trouble_begins(error, "BUSYGROUP"))
            stream->needs_group = 0;
        else
            stream_fail(stream, error.data);
    }
}

static int is_list_of_texts(const struct reply *reply, size_t place) {
    const redis_value *list = &reply->values[place];
    if (reply->kinds[place] != REPLY_LIST || reply_behind(reply, place) - place - 1 != (size_t)list->integer)
        return 0;
    for (size_t i = place + 1; i <= place + (size_t)list->integer; i++)
        if (reply->kinds[i] != REPLY_TEXT)
            return 0;
    return 1;
}

// Whether a value is an entry: an id, and the names and values of its fields, or nothing if it was deleted.
static int is_entry(const struct reply *reply, size_t place) {
    struct entry_id id;
    if (reply->kinds[place] == REPLY_NULL) // Redis 6.2 claims entries that were deleted.
        return 1;
    return reply->kinds[place] == REPLY_LIST && reply->values[place].integer == 2 &&
           reply->kinds[place + 1] == REPLY_TEXT && entry_id_read(reply->values[place + 1].text, &id) &&
           (reply->kinds[place + 2] == REPLY_NULL ||
            (is_list_of_texts(reply, place + 2) && reply->values[place + 2].integer % 2 == 0));
}

// Holds the entries of the list at this place; 0 if it is not one.
static int hold(struct stream *stream, size_t place, int is_again) {
    struct reply *reply = &stream->link.reply;
    if (place >= reply->count || reply->kinds[place] != REPLY_LIST)
        return 0;
    size_t end = reply_behind(reply, place);
    for (size_t next = place + 1; next < end; next = reply_behind(reply, next))
        if (!is_entry(reply, next))
            return 0;
    reply_move(reply, &stream->held);
    stream->held_next = place + 1;
    stream->held_end = end;
    stream->is_again = is_again;
    return 1;
}

// Finds the last one of the entries that are held: 1, or 0 without one, or -1 if it does not follow those before.
static int find_last(struct stream *stream) {
    const struct reply *held = &stream->held;
    struct entry_id id = stream->last;
    for (size_t next = stream->held_next; next < stream->held_end; next = reply_behind(held, next))
        if (held->kinds[next] == REPLY_LIST)
            entry_id_read(held->values[next + 1].text, &id);
    if (stream->held_next == stream->held_end)
        return 0;
    int follows = entry_id_precedes(&stream->last, &id);
    stream->last = id;
    return follows ? 1 : -1;
}

// `[[stream, [entry …]]]`, or nothing.
static int hear_entries(struct stream *stream, int is_pending) {
    const struct reply *reply = &stream->link.reply;
    int has_none = reply->kinds[0] == REPLY_NULL;
    int is_one = reply->kinds[0] == REPLY_LIST && reply->values[0].integer == 1 &&
                 reply->kinds[1] == REPLY_LIST && reply->values[1].integer == 2 &&
                 reply->kinds[2] == REPLY_TEXT;
    if (!has_none && !(is_one && hold(stream, 3, is_pending)))
        return 0;
    int found = is_pending && !has_none ? find_last(stream) : 0;
    if (is_pending)
        stream->has_pending = found > 0;
    // A server that does not wait is not asked without end.
    stream->is_hasty = !is_pending && stream->held_next == stream->held_end &&
                       spin_monotonic() - stream->asked < stream->block / 2;
    return found >= 0;
}

// `[cursor, [entry …]]`, and from Redis 7 on the ids of those that were deleted.
static int hear_claim(struct stream *stream) {
    const struct reply *reply = &stream->link.reply;
    const redis_value *values = reply->values;
    struct entry_id cursor;
    if (reply->kinds[0] != REPLY_LIST || values[0].integer < 2 || reply->kinds[1] != REPLY_TEXT ||
        !entry_id_read(values[1].text, &cursor))
        return 0;
    struct entry_id before;
    if (!entry_id_read((spin_string){stream->cursor, strlen(stream->cursor)}, &before) ||
        (!entry_id_is_first(&cursor) && !entry_id_precedes(&before, &cursor)))
        return 0;
    entry_id_write(&cursor, stream->cursor);
    if (entry_id_is_first(&cursor))
        stream->claim_due = spin_monotonic() + stream->link.self->config->claim_after;
    return hold(stream, 2, 1);
}

int answering_run(struct stream *stream, enum request_kind kind) {
    const struct reply *reply = &stream->link.reply;
    stream->is_hasty = 0;
    if (kind == REQUEST_PING && (reply->kinds[0] != REPLY_ERROR || !trouble_away(reply->values[0].text)))
        return 1;
    if (reply->kinds[0] == REPLY_ERROR) {
        hear_error(stream, kind, reply->values[0].text);
        return 1;
    }
    if (kind == REQUEST_CREATE_GROUP) {
        stream->needs_group = 0;
        return reply_is(reply, 0, "OK");
    }
    if (kind == REQUEST_CLAIM ? !hear_claim(stream) : !hear_entries(stream, kind == REQUEST_PENDING))
        return 0;
    if (stream->is_hasty) {
        wait_again(stream);
    } else {
        stream->failures = 0;
        stream->trouble[0] = 0;
    }
    return 1;
}
