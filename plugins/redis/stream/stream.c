#include "stream.h"
#include "acknowledging.h"
#include "reading.h"
#include "../instance.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long the host may take to make the same call again, in a swap and after the start. */
static const int64_t longest_left = 1000000000, longest_start = 5000000000;

/* How many entries a stream asks for at once, until an answer is too large. */
enum { most_entries = 100 };

struct stream *stream_make(spin_self *self, const char *const texts[stream_texts],
                           const size_t sizes[stream_texts]) {
    size_t size = 0;
    for (int i = 0; i < stream_texts; i++)
        size += sizes[i];
    struct stream *stream = calloc(1, sizeof *stream + size), **place = &self->streams;
    if (!stream)
        return NULL;
    char *next = (char *)(stream + 1);
    for (int i = 0; i < stream_texts; i++) {
        memcpy(next, texts[i], sizes[i]);
        stream->texts[i] = next;
        stream->sizes[i] = sizes[i];
        next += sizes[i];
    }
    stream->claim_due = INT64_MAX;
    link_init(&stream->link, self, &reading_kind);
    while (*place)
        place = &(*place)->next;
    *place = stream;
    return stream;
}

static int is_named(const struct stream *stream, const struct job *job) {
    for (int i = 0; i < stream_texts; i++)
        if (stream->sizes[i] != job->sizes[i] || memcmp(stream->texts[i], job->texts[i], job->sizes[i]) != 0)
            return 0;
    return 1;
}

void stream_forget(struct stream *stream) {
    if (!stream->link.first && stream->held_next == stream->held_end)
        entries_remove(&stream->entries, ENTRY_IS_OVER);
}

static void close_reading(struct stream *stream) {
    link_close(&stream->link);
    reply_clear(&stream->held);
    stream->held_next = stream->held_end = 0;
    stream->is_blocked = 0;
    stream_forget(stream);
}

// The entries stay: the same run may come again.
static void leave(struct stream *stream) {
    engine_call_drop(&stream->job->base);
    stream->job = NULL;
    close_reading(stream);
    stream->left_due = spin_monotonic() + longest_left;
    instance_come(stream->link.self, stream->left_due);
}

void stream_begin(spin_self *self, struct job *job) {
    struct stream *stream = self->streams;
    while (stream && !is_named(stream, job))
        stream = stream->next;
    if (stream && stream->job && spin_cancelled(stream->job->base.call)) // The host is about to say so.
        leave(stream);
    if (stream && stream->job) {
        engine_call_fail(&job->base, SPIN_FAILED, "another call reads as this consumer already");
        return;
    }
    if (!stream && !(stream = stream_make(self, job->texts, job->sizes))) {
        engine_call_fail(&job->base, SPIN_NO_MEMORY, "no memory");
        return;
    }
    // Another run gets what the app has not acknowledged once more.
    if (!job->base.key[0] || strcmp(stream->key, job->base.key) != 0)
        entries_remove(&stream->entries, ENTRY_IN_WORK);
    memcpy(stream->key, job->base.key, sizeof stream->key);
    stream->job = job;
    stream->acknowledges = job->acknowledges;
    stream->most_asked = most_entries;
    stream->failures = 0;
    stream->retry_due = 0;
    stream->trouble[0] = 0;
    stream->is_named_full = 0;
    link_begin(&stream->link);
}

void stream_fail(struct stream *stream, const char *reason) {
    if (stream->job)
        job_end(stream->job, REDIS_REFUSED, reason);
    engine_note_end(&stream->link.self->engine);
}

void stream_complain(struct stream *stream, const char *reason) {
    if (strncmp(stream->trouble, reason, sizeof stream->trouble - 1) == 0)
        return;
    snprintf(stream->trouble, sizeof stream->trouble, "%s", reason);
    spin_log_with(NULL, SPIN_LOG_WARNING, "the server refuses a part of `read` for now",
                  spin_field_text("reason", reason));
}

static void free_stream(struct stream *stream) {
    struct stream **place = &stream->link.self->streams;
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    acknowledging_forget(stream);
    link_free(&stream->link);
    if (stream->job)
        engine_call_drop(&stream->job->base);
    reply_free(&stream->held);
    entries_free(&stream->entries);
    free(stream->fields);
    free(stream);
}

void stream_check(struct stream *stream, int64_t now) {
    // It asks again, or has the engine come again for that.
    if (stream->retry_due > 0)
        reading_ask(stream);
    acknowledging_send(stream);
    if (stream->job)
        return;
    if (stream->left_due <= now)
        entries_remove(&stream->entries, ENTRY_IN_WORK);
    if (stream->left_due <= now && stream->entries.count == 0)
        free_stream(stream);
    else
        instance_come(stream->link.self, stream->left_due > now ? stream->left_due : now + longest_left);
}

void streams_sweep(spin_self *self) {
    for (struct stream *stream = self->streams; stream; stream = stream->next) {
        acknowledging_sweep(stream);
        if (stream->job && engine_call_is_over(&stream->job->base))
            leave(stream);
    }
}

void streams_start(spin_self *self) {
    for (struct stream *stream = self->streams; stream; stream = stream->next)
        stream->left_due = spin_monotonic() + longest_start;
}

void streams_stop(spin_self *self) {
    for (struct stream *stream = self->streams; stream; stream = stream->next) {
        acknowledging_sweep(stream);
        acknowledging_is_lost(stream);
        if (stream->job)
            engine_call_drop(&stream->job->base);
        stream->job = NULL;
        close_reading(stream);
    }
}

void streams_free(spin_self *self) {
    while (self->streams)
        free_stream(self->streams);
}
