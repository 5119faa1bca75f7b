// What the transcripts of calls have of their emissions.
#include "world.h"
#include "wire/message.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static char delivered[512];

static atomic_int is_counting;

const char *last_delivered(void) { return delivered; }

void begin_count(void) { is_counting = 1; }

int end_count(int count) {
    int missing = await_count(count);
    is_counting = 0;
    return missing;
}

static int show_data(char *text, size_t capacity, spin_bytes data) {
    return data.size > 64 ? snprintf(text, capacity, " %zu bytes", data.size)
                          : snprintf(text, capacity, " %.*s", (int)data.size, (const char *)data.data);
}

static int show_headers(char *text, size_t capacity, spin_list_nats_header headers) {
    int size = 0;
    for (size_t i = 0; i < headers.count; i++)
        size += snprintf(text + size, capacity - (size_t)size, " [%.*s=%.*s]",
                         (int)headers.items[i].name.size, headers.items[i].name.data,
                         (int)headers.items[i].value.size, headers.items[i].value.data);
    return size;
}

struct received {
    spin_string subject, reply;
    spin_list_nats_header headers;
    spin_bytes data;
};

struct consumed {
    spin_string message, subject;
    spin_list_nats_header headers;
    spin_bytes data;
    int64_t sequence, deliveries;
};

static int show_received(char *text, size_t capacity, const struct received *message) {
    int size = snprintf(text, capacity, "%.*s", (int)message->subject.size, message->subject.data);
    if (message->reply.size > 0 && message->reply.size < 32)
        size += snprintf(text + size, capacity - (size_t)size, " to %.*s", (int)message->reply.size,
                         message->reply.data);
    size += show_headers(text + size, capacity - (size_t)size, message->headers);
    return size + show_data(text + size, capacity - (size_t)size, message->data);
}

static int show_consumed(char *text, size_t capacity, const struct consumed *message) {
    check("there is room", message->message.size < sizeof delivered);
    memcpy(delivered, message->message.data, message->message.size);
    delivered[message->message.size] = 0;
    int size = snprintf(text, capacity, "%.*s #%lld x%lld", (int)message->subject.size, message->subject.data,
                        (long long)message->sequence, (long long)message->deliveries);
    size += show_headers(text + size, capacity - (size_t)size, message->headers);
    return size + show_data(text + size, capacity - (size_t)size, message->data);
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[1024];
    const spin_string *words = payload;
    const struct received *received = payload;
    const struct {
        spin_list_nats_header headers;
        spin_bytes data;
    } *answered = payload;
    const struct {
        spin_string stream;
        int64_t sequence;
        bool duplicate;
    } *stored = payload;
    int size;
    if (strcmp(emitter->name, "message") == 0 && strncmp(words->data, "count", words->size) == 0) {
        note_number(received->data.data, received->data.size);
        return;
    }
    if (strcmp(emitter->name, "missed") == 0 && is_counting) {
        note_missing(*(const int64_t *)payload);
        return;
    }
    if (strcmp(emitter->name, "message") == 0) {
        size = show_received(text, sizeof text, received);
    } else if (strcmp(emitter->name, "delivered") == 0) {
        size = show_consumed(text, sizeof text, payload);
    } else if (strcmp(emitter->name, "answered") == 0) {
        size = snprintf(text, sizeof text, "answer");
        size += show_headers(text + size, sizeof text - (size_t)size, answered->headers);
        size += show_data(text + size, sizeof text - (size_t)size, answered->data);
    } else if (strcmp(emitter->name, "stored") == 0) {
        size = snprintf(text, sizeof text, "stored %.*s #%lld%s", (int)stored->stream.size,
                        stored->stream.data, (long long)stored->sequence, stored->duplicate ? " again" : "");
    } else if (strcmp(emitter->name, "missed") == 0) {
        size = snprintf(text, sizeof text, "missed %lld", (long long)*(const int64_t *)payload);
    } else if (strcmp(emitter->name, "connected") == 0) {
        size = snprintf(text, sizeof text, "connected");
    } else {
        size = snprintf(text, sizeof text, "%s %.*s", emitter->name, (int)words->size, words->data);
    }
    text[size] = '\n';
    host_note(call, text, (size_t)size + 1);
}
