#include "acknowledging.h"
#include "reading.h"
#include "../instance.h"
#include "../link/trouble.h"
#include "../../common/patience.h"
#include <stdlib.h>
#include <string.h>

/* The place of the id among the texts of a call of `acknowledge`, behind the stream and the group. */
enum { ID_TEXT = 2 };

// The entry of a call that is in work here; NULL without one.
static struct entry *find(spin_self *self, const struct job *job, const struct entry_id *id,
                          struct stream **stream) {
    for (*stream = self->streams; *stream; *stream = (*stream)->next) {
        int is_same = 1;
        for (int i = 0; i <= STREAM_GROUP; i++)
            is_same &= (*stream)->sizes[i] == job->sizes[i] &&
                       memcmp((*stream)->texts[i], job->texts[i], job->sizes[i]) == 0;
        struct entry *entry = is_same ? entries_find(&(*stream)->entries, id) : NULL;
        if (entry && entry->state != ENTRY_IS_OVER)
            return entry;
    }
    return NULL;
}

// An entry that this instance has not read, or not for this run.
static void begin_alone(spin_self *self, struct job *job) {
    const char *texts[] = {"XACK", job->texts[STREAM_KEY], job->texts[STREAM_GROUP], job->texts[ID_TEXT]};
    const size_t sizes[] = {4, job->sizes[STREAM_KEY], job->sizes[STREAM_GROUP], job->sizes[ID_TEXT]};
    if (request_write(&job->request, &(struct words){4, texts, sizes}))
        commands_begin(self, job);
    else
        job_fail(job, SPIN_NO_MEMORY, "no memory");
}

void acknowledging_begin(spin_self *self, struct job *job) {
    struct entry_id id;
    struct stream *stream;
    if (!entry_id_read((spin_string){job->texts[ID_TEXT], job->sizes[ID_TEXT]}, &id)) {
        job_fail(job, SPIN_BAD_VALUE, "an id is `TIME-NUMBER`, such as `1700000000000-0`");
        return;
    }
    struct entry *entry = find(self, job, &id, &stream);
    if (!entry) {
        begin_alone(self, job);
        return;
    }
    job->next = entry->first;
    entry->first = job;
    stream->waiting++;
    if (entry->state == ENTRY_IN_WORK)
        entry->state = ENTRY_IS_DONE;
    acknowledging_send(stream);
}

static size_t count_done(const struct stream *stream) {
    size_t count = 0;
    for (size_t i = 0; i < stream->entries.count; i++)
        count += stream->entries.all[i]->state == ENTRY_IS_DONE;
    return count;
}

// Makes the request for so many entries; NULL without memory.
static struct request *make_request(const struct stream *stream, size_t count) {
    size_t all = count + 3, next = 3;
    char(*ids)[id_size] = malloc(count * sizeof *ids);
    const char **texts = calloc(all, sizeof *texts);
    size_t *sizes = calloc(all, sizeof *sizes);
    struct request *request = NULL;
    if (ids && texts && sizes) {
        texts[0] = "XACK", sizes[0] = 4;
        for (int i = 0; i <= STREAM_GROUP; i++)
            texts[i + 1] = stream->texts[i], sizes[i + 1] = stream->sizes[i];
        for (size_t i = 0; i < stream->entries.count; i++) {
            if (stream->entries.all[i]->state != ENTRY_IS_DONE)
                continue;
            char *id = ids[next - 3];
            entry_id_write(&stream->entries.all[i]->id, id);
            texts[next] = id;
            sizes[next++] = strlen(id);
        }
        request = request_of_words(REQUEST_ACKNOWLEDGE, &(struct words){all, texts, sizes});
    }
    free(ids);
    free(texts);
    free(sizes);
    return request;
}

static void set_states(struct stream *stream, enum entry_state from, enum entry_state to) {
    for (size_t i = 0; i < stream->entries.count; i++)
        if (stream->entries.all[i]->state == from)
            stream->entries.all[i]->state = to;
}

static void wait_again(struct stream *stream) {
    spin_self *self = stream->link.self;
    stream->acknowledge_due =
        spin_monotonic() +
        patience(self->config->reconnect_least, self->config->reconnect_most, ++stream->acknowledge_failures);
    instance_come(self, stream->acknowledge_due);
}

void acknowledging_send(struct stream *stream) {
    spin_self *self = stream->link.self;
    struct link *link = &self->commands.link;
    size_t count = stream->is_acknowledging ? 0 : count_done(stream);
    if (count == 0)
        return;
    if (stream->acknowledge_due > spin_monotonic()) {
        instance_come(self, stream->acknowledge_due);
        return;
    }
    link_begin(link);
    if (link->state != LINK_IS_UP || link->farewell)
        return;
    struct request *request = make_request(stream, count);
    if (!request) {
        wait_again(stream);
        return;
    }
    request->stream = stream;
    stream->is_acknowledging = 1;
    set_states(stream, ENTRY_IS_DONE, ENTRY_IS_SENT);
    link_add(link, request);
}

void acknowledging_send_all(spin_self *self) {
    for (struct stream *stream = self->streams; stream; stream = stream->next)
        acknowledging_send(stream);
}

// Ends the calls of an entry.
static void end_calls(struct stream *stream, struct entry *entry, spin_status code, const char *reason) {
    for (struct job *job; (job = entry->first); stream->waiting--) {
        entry->first = job->next;
        job_end(job, code, reason);
        job_drop(job);
    }
}

static void end_sent(struct stream *stream, spin_status code, const char *reason) {
    for (size_t i = 0; i < stream->entries.count && stream->waiting > 0; i++)
        if (stream->entries.all[i]->state == ENTRY_IS_SENT)
            end_calls(stream, stream->entries.all[i], code, reason);
}

// An app that acknowledges hears of the failure. The plugin tries again if it acknowledges itself.
static void hear_error(struct stream *stream, spin_string error) {
    enum trouble trouble = trouble_of(error);
    if (trouble == TROUBLE_AWAY) {
        acknowledging_is_lost(stream);
        return;
    }
    end_sent(stream, REDIS_REFUSED, error.data);
    set_states(stream, ENTRY_IS_SENT,
               stream->acknowledges && trouble != TROUBLE_LASTS ? ENTRY_IS_DONE : ENTRY_IN_WORK);
    wait_again(stream);
    if (trouble == TROUBLE_LASTS && stream->acknowledges)
        stream_fail(stream, error.data);
    else
        stream_complain(stream, error.data);
}

void acknowledging_answer(struct stream *stream, const struct reply *reply) {
    static const spin_string strange = {"the server does not answer as Redis does", 40};
    stream->is_acknowledging = 0;
    if (reply->kinds[0] == REPLY_ERROR) {
        hear_error(stream, reply->values[0].text);
    } else if (reply->kinds[0] != REPLY_INTEGER) {
        hear_error(stream, strange);
    } else {
        stream->acknowledge_failures = 0;
        stream->acknowledge_due = 0;
        end_sent(stream, SPIN_OK, NULL);
        set_states(stream, ENTRY_IS_SENT, ENTRY_IS_OVER);
        stream_forget(stream);
        acknowledging_send(stream);
    }
    reading_ask(stream);
}

void acknowledging_is_lost(struct stream *stream) {
    stream->is_acknowledging = 0;
    set_states(stream, ENTRY_IS_SENT, ENTRY_IS_DONE);
}

void acknowledging_sweep(struct stream *stream) {
    for (size_t i = 0; i < stream->entries.count && stream->waiting > 0; i++)
        for (struct job **place = &stream->entries.all[i]->first, *job; (job = *place);) {
            if (!job_is_over(job)) {
                place = &job->next;
                continue;
            }
            *place = job->next;
            stream->waiting--;
            job_drop(job);
        }
}

void acknowledging_forget(struct stream *stream) {
    for (size_t i = 0; i < stream->entries.count; i++)
        end_calls(stream, stream->entries.all[i], REDIS_NO_CONNECTION, "the call of `read` is over");
    for (struct request *next = stream->link.self->commands.link.first; next; next = next->next)
        if (next->stream == stream)
            next->stream = NULL;
}
