// The effects, whose calls become jobs.
#include "instance.h"
#include "refusal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parts {
    const char **data;
    size_t *sizes, count, size;
};

// Memory for so many texts; 0 without it: the call has failed.
static int reserve(spin_call *call, struct parts *parts, size_t count) {
    *parts =
        (struct parts){.data = calloc(count + 1, sizeof(char *)), .sizes = calloc(count + 1, sizeof(size_t))};
    if (parts->data && parts->sizes)
        return 1;
    free(parts->data);
    free(parts->sizes);
    spin_fail(call, SPIN_NO_MEMORY, "no memory");
    return 0;
}

static void add(struct parts *parts, const void *data, size_t size) {
    parts->data[parts->count] = data;
    parts->sizes[parts->count++] = size;
    parts->size += size;
}

static struct words words_of(const struct parts *parts) {
    return (struct words){parts->count, parts->data, parts->sizes};
}

static void release(struct parts *parts) {
    free(parts->data);
    free(parts->sizes);
}

static void begin_command(spin_call *call, spin_self *self, struct parts *parts) {
    struct words words = words_of(parts);
    char reason[160];
    const char *why = refusal_of_command(&words);
    if (why) {
        snprintf(reason, sizeof reason, "the command is refused: %s", why);
    } else if (parts->size + 16 * parts->count > (size_t)self->config->largest_command) {
        snprintf(reason, sizeof reason, "the command is larger than %lld bytes (setting `largest_command`)",
                 (long long)self->config->largest_command);
        why = reason;
    }
    struct job *job = why ? NULL : job_make(call, self, JOB_COMMAND, &words);
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, reason);
    else if (job)
        engine_call_begin(&job->base);
    release(parts);
}

static void command(spin_call *call, spin_self *self, spin_list_string words) {
    struct parts parts;
    if (!reserve(call, &parts, words.count))
        return;
    for (size_t i = 0; i < words.count; i++)
        add(&parts, words.items[i].data, words.items[i].size);
    begin_command(call, self, &parts);
}
SPIN_EFFECT(void, command, (spin_call *call, spin_self *self, spin_list_string words),
            "Sends a command of these words to the server: emits `answered`.");

static void command_bytes(spin_call *call, spin_self *self, spin_list_bytes words) {
    struct parts parts;
    if (!reserve(call, &parts, words.count))
        return;
    for (size_t i = 0; i < words.count; i++)
        add(&parts, words.items[i].data, words.items[i].size);
    begin_command(call, self, &parts);
}
SPIN_EFFECT(void, command_bytes, (spin_call *call, spin_self *self, spin_list_bytes words),
            "Does the same as `command`, with words of any bytes.");

static void subscribe(spin_call *call, spin_self *self, spin_list_string channels,
                      spin_list_string patterns) {
    struct parts parts;
    if (channels.count + patterns.count == 0) {
        spin_fail(call, SPIN_BAD_VALUE, "there is neither a channel nor a pattern");
        return;
    }
    if (!reserve(call, &parts, channels.count + patterns.count))
        return;
    for (size_t i = 0; i < channels.count; i++)
        add(&parts, channels.items[i].data, channels.items[i].size);
    for (size_t i = 0; i < patterns.count; i++)
        add(&parts, patterns.items[i].data, patterns.items[i].size);
    struct words words = words_of(&parts);
    struct job *job = job_make(call, self, JOB_SUBSCRIBE, &words);
    if (job) {
        job->pattern_count = patterns.count;
        engine_call_begin(&job->base);
    }
    release(&parts);
}
SPIN_EFFECT(void, subscribe,
            (spin_call *call, spin_self *self, spin_list_string channels, spin_list_string patterns),
            "Keeps a subscription until it is cancelled: emits `subscribed`, `lost`, and `message` for each message.");

static void begin_three(spin_call *call, spin_self *self, enum job_kind kind, const spin_string texts[3],
                        int acknowledges) {
    const char *data[3];
    size_t sizes[3];
    for (int i = 0; i < 3; i++) {
        data[i] = texts[i].data;
        sizes[i] = texts[i].size;
        if (sizes[i] == 0) {
            spin_fail(call, SPIN_BAD_VALUE,
                      "the stream, the group, the consumer and the id must not be empty");
            return;
        }
    }
    struct job *job = job_make(call, self, kind, &(struct words){3, data, sizes});
    if (!job)
        return;
    job->is_quiet = 1;
    job->acknowledges = acknowledges;
    engine_call_begin(&job->base);
}

static void read(spin_call *call, spin_self *self, spin_string stream, spin_string group,
                 spin_string consumer, bool acknowledges) {
    begin_three(call, self, JOB_READ, (spin_string[]){stream, group, consumer}, acknowledges);
}
SPIN_EFFECT(void, read,
            (spin_call *call, spin_self *self, spin_string stream, spin_string group, spin_string consumer,
             bool acknowledges),
            "Reads a stream as a consumer of a group until it is cancelled: emits `entry` for each entry.");

static void acknowledge(spin_call *call, spin_self *self, spin_string stream, spin_string group,
                        spin_string id) {
    begin_three(call, self, JOB_ACKNOWLEDGE, (spin_string[]){stream, group, id}, 0);
}
SPIN_EFFECT(void, acknowledge,
            (spin_call *call, spin_self *self, spin_string stream, spin_string group, spin_string id),
            "Acknowledges an entry, and ends when the server knows it. It emits nothing.");
