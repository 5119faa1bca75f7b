// What the `http` plugin emits, as text.
#include "../plugin-host/host.h"
#include <stdio.h>
#include <string.h>

static void note_string(spin_call *call, spin_string text) {
    host_note(call, text.data, text.size);
    host_note(call, "\n", 1);
}

struct header {
    spin_string name, value;
};

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[64];
    if (strcmp(emitter->name, "received") == 0) {
        const struct {
            int32_t status;
            spin_string body;
        } *received = payload;
        snprintf(text, sizeof text, "%d ", received->status);
        host_note(call, text, strlen(text));
        note_string(call, received->body);
    } else if (strcmp(emitter->name, "answered") == 0) {
        const struct {
            int32_t status;
            const struct header *headers;
            size_t count;
            spin_bytes body;
        } *answered = payload;
        snprintf(text, sizeof text, "%d %zu bytes\n", answered->status, answered->body.size);
        host_note(call, text, strlen(text));
        for (size_t i = 0; i < answered->count; i++) {
            host_note(call, answered->headers[i].name.data, answered->headers[i].name.size);
            host_note(call, "=", 1);
            note_string(call, answered->headers[i].value);
        }
    } else if (strcmp(emitter->name, "text") == 0) {
        note_string(call, ((const spin_string *)payload)[1]);
    } else if (strcmp(emitter->name, "binary") == 0) {
        const struct {
            spin_string connection;
            spin_bytes data;
        } *binary = payload;
        snprintf(text, sizeof text, "%zu bytes\n", binary->data.size);
        host_note(call, text, strlen(text));
    } else if (strcmp(emitter->name, "closed") == 0) {
        const struct {
            spin_string connection;
            int32_t code;
            spin_string reason;
        } *closed = payload;
        snprintf(text, sizeof text, "closed %d ", closed->code);
        host_note(call, text, strlen(text));
        note_string(call, closed->reason);
    } else if (strcmp(emitter->name, "opened") == 0) {
        note_string(call, ((const spin_string *)payload)[0]);
    } else if (strcmp(emitter->name, "line") == 0) {
        note_string(call, *(const spin_string *)payload);
    } else if (strcmp(emitter->name, "ended") == 0) {
        snprintf(text, sizeof text, "%lld lines\n", (long long)*(const int64_t *)payload);
        host_note(call, text, strlen(text));
    } else {
        for (int i = 0; i < 3; i++)
            note_string(call, ((const spin_string *)payload)[i]);
    }
}
