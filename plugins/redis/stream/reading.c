#include "reading.h"
#include "acknowledging.h"
#include "answering.h"
#include "emitting.h"
#include "../instance.h"
#include "../link/trouble.h"
#include "../../common/patience.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* For how long the server waits for an entry, in milliseconds. */
enum { longest_block = 10000 };
#define MILLISECOND INT64_C(1000000)

static struct stream *stream_of(struct link *link) {
    return (struct stream *)((char *)link - offsetof(struct stream, link));
}

// A request of words, among which may be texts of the app.
static void ask(struct stream *stream, enum request_kind kind, const struct words *words, int64_t patience) {
    struct request *request = request_of_words(kind, words);
    if (!request) {
        link_lose(&stream->link, "no memory");
        return;
    }
    request->patience = patience;
    link_add(&stream->link, request);
}

#define TEXT(text) (text), sizeof(text) - 1

struct list {
    const char *data[16];
    size_t sizes[16], count;
};

static void add(struct list *list, const char *data, size_t size) {
    list->data[list->count] = data;
    list->sizes[list->count++] = size;
}

static void add_own(struct list *list, const struct stream *stream, int text) {
    add(list, stream->texts[text], stream->sizes[text]);
}

static void ask_list(struct stream *stream, enum request_kind kind, const struct list *list,
                     int64_t patience) {
    ask(stream, kind, &(struct words){list->count, list->data, list->sizes}, patience);
}

static void ask_for_group(struct stream *stream) {
    struct list list = {.count = 0};
    add(&list, TEXT("XGROUP"));
    add(&list, TEXT("CREATE"));
    add_own(&list, stream, STREAM_KEY);
    add_own(&list, stream, STREAM_GROUP);
    add(&list, TEXT("0"));
    add(&list, TEXT("MKSTREAM"));
    ask_list(stream, REQUEST_CREATE_GROUP, &list, 0);
}

static void ask_for_claim(struct stream *stream, const char *count) {
    struct list list = {.count = 0};
    char idle[24];
    snprintf(idle, sizeof idle, "%lld", (long long)(stream->link.self->config->claim_after / MILLISECOND));
    add(&list, TEXT("XAUTOCLAIM"));
    add_own(&list, stream, STREAM_KEY);
    add_own(&list, stream, STREAM_GROUP);
    add_own(&list, stream, STREAM_CONSUMER);
    add(&list, idle, strlen(idle));
    add(&list, stream->cursor, strlen(stream->cursor));
    add(&list, TEXT("COUNT"));
    add(&list, count, strlen(count));
    ask_list(stream, REQUEST_CLAIM, &list, 0);
}

// How long the server may wait for an entry: until the next claim.
static int64_t block_time(const struct stream *stream, int64_t now) {
    int64_t left = stream->claim_due == INT64_MAX ? INT64_MAX : (stream->claim_due - now) / MILLISECOND + 1;
    return left < longest_block ? left : longest_block;
}

static void ask_for_entries(struct stream *stream, const char *count, int64_t now) {
    struct list list = {.count = 0};
    char block[24], after[id_size];
    int64_t milliseconds = block_time(stream, now);
    int is_new = !stream->has_pending;
    stream->asked = now;
    stream->block = milliseconds * MILLISECOND;
    snprintf(block, sizeof block, "%lld", (long long)milliseconds);
    entry_id_write(&stream->last, after);
    add(&list, TEXT("XREADGROUP"));
    add(&list, TEXT("GROUP"));
    add_own(&list, stream, STREAM_GROUP);
    add_own(&list, stream, STREAM_CONSUMER);
    add(&list, TEXT("COUNT"));
    add(&list, count, strlen(count));
    if (is_new) {
        add(&list, TEXT("BLOCK"));
        add(&list, block, strlen(block));
    }
    add(&list, TEXT("STREAMS"));
    add_own(&list, stream, STREAM_KEY);
    add(&list, is_new ? ">" : after, is_new ? 1 : strlen(after));
    ask_list(stream, is_new ? REQUEST_NEW : REQUEST_PENDING, &list, is_new ? stream->block : 0);
}

static int is_full(const struct stream *stream) {
    return stream->entries.count >= (size_t)stream->link.self->config->most_in_work;
}

// A stream that reads nothing for long, as nobody acknowledges what it has read, says so once.
static void name_full(struct stream *stream) {
    if (!is_full(stream) || stream->is_named_full)
        return;
    stream->is_named_full = 1;
    spin_log_with(NULL, SPIN_LOG_WARNING,
                  "`read` waits until fewer entries are in work (setting `most_in_work`)",
                  spin_field_integer("entries", (int64_t)stream->entries.count));
}

void reading_ask(struct stream *stream) {
    const struct link *link = &stream->link;
    int64_t now = spin_monotonic();
    if (!stream->job || engine_call_is_over(&stream->job->base) || !emitting_run(stream))
        return;
    if (link->state != LINK_IS_UP || link->first || link->farewell)
        return;
    if (stream->retry_due > now) {
        instance_come(link->self, stream->retry_due);
        return;
    }
    stream->retry_due = 0;
    stream_forget(stream);
    if (is_full(stream))
        return;
    char count[24];
    size_t room = (size_t)link->self->config->most_in_work - stream->entries.count;
    stream->count = room < stream->most_asked ? room : stream->most_asked;
    snprintf(count, sizeof count, "%zu", stream->count);
    if (stream->needs_group)
        ask_for_group(stream);
    else if (!stream->has_pending && stream->claim_due <= now)
        ask_for_claim(stream, count);
    else
        ask_for_entries(stream, count, now);
}

void reading_resume(struct stream *stream) {
    if (!stream->is_blocked || !stream->job || !lasting_can_emit(&stream->job->base.lasting))
        return;
    stream->is_blocked = 0;
    reading_ask(stream);
}

static int can_read(struct link *link) {
    (void)link;
    return 1; // It asks for one answer at a time, and keeps it while the loop has no room.
}

static void is_up(struct link *link) {
    struct stream *stream = stream_of(link);
    stream->has_pending = 1;
    stream->last = (struct entry_id){0};
    snprintf(stream->cursor, sizeof stream->cursor, "0-0");
    stream->claim_due = link->self->config->claim_after > 0 ? spin_monotonic() : INT64_MAX;
    reading_ask(stream);
}

// The held entries stay; others come again. If they were too large for one answer, fewer come at once.
static void is_lost(struct link *link) {
    struct stream *stream = stream_of(link);
    if (link->reply.is_too_large && stream->count > 1)
        stream->most_asked = stream->count / 2;
    link->reply.is_too_large = 0;
}

static int answer(struct link *link) {
    struct stream *stream = stream_of(link);
    struct request *request = link_asked(link);
    if (!request) {
        link_lose(link, "the server has sent an answer that nobody has asked for");
        return 0;
    }
    enum request_kind kind = request->kind;
    request_free(link_remove(link));
    if (!answering_run(stream, kind)) {
        link_lose(link, "the server does not answer as Redis does");
        return 0;
    }
    reading_ask(stream);
    if (kind == REQUEST_PING) // The connection was silent for `keep_alive`.
        name_full(stream);
    return 1;
}

const struct link_kind reading_kind = {"entries", can_read, answer, is_up, is_lost};
