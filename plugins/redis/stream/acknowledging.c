#include "acknowledging.h"
#include "reading.h"
#include "../instance.h"
#include "../link/trouble.h"
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
        engine_call_fail(&job->base, SPIN_NO_MEMORY, "no memory");
}

void acknowledging_begin(spin_self *self, struct job *job) {
    struct entry_id id;
    struct stream *stream;
    if (!entry_id_read((spin_string){job->texts[ID_TEXT], job->sizes[ID_TEXT]}, &id)) {
        engine_call_fail(&job->base, SPIN_BAD_VALUE, "an id is `TIME-NUMBER`, such as `1700000000000-0`");
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

// Ends the calls of an entry.
static void end_calls(struct stream *stream, struct entry *entry, spin_status code, const char *reason) {
    for (struct job *job; (job = entry->first); stream->waiting--) {
        entry->first = job->next;
        job_end(job, code, reason);
        engine_call_drop(&job->base);
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
    entries_change(&stream->entries, ENTRY_IS_SENT,
                   stream->acknowledges && trouble != TROUBLE_LASTS ? ENTRY_IS_DONE : ENTRY_IN_WORK);
    acknowledging_wait(stream);
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
        entries_change(&stream->entries, ENTRY_IS_SENT, ENTRY_IS_OVER);
        stream_forget(stream);
        acknowledging_send(stream);
    }
    reading_ask(stream);
}

void acknowledging_is_lost(struct stream *stream) {
    stream->is_acknowledging = 0;
    entries_change(&stream->entries, ENTRY_IS_SENT, ENTRY_IS_DONE);
}

void acknowledging_is_new(struct stream *stream, struct entry *entry) {
    end_calls(stream, entry, SPIN_OK, NULL);
}

void acknowledging_sweep(struct stream *stream) {
    for (size_t i = 0; i < stream->entries.count && stream->waiting > 0; i++)
        for (struct job **place = &stream->entries.all[i]->first, *job; (job = *place);) {
            if (!engine_call_is_over(&job->base)) {
                place = &job->next;
                continue;
            }
            *place = job->next;
            stream->waiting--;
            engine_call_drop(&job->base);
        }
}

void acknowledging_forget(struct stream *stream) {
    for (size_t i = 0; i < stream->entries.count; i++)
        end_calls(stream, stream->entries.all[i], REDIS_NO_CONNECTION, "the call of `read` is over");
    for (struct request *next = stream->link.self->commands.link.first; next; next = next->next)
        if (next->stream == stream)
            next->stream = NULL;
}
