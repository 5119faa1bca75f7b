#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdio.h>
#include <string.h>

const int plugin_waits = 0;

struct spin_config config;

static char names[256][64], address[512], sender[512], opened_by[512];
static int name_count;
static int64_t next_number, number_count;

const char *connection(int number) { return names[number]; }
void forget_connections(void) { name_count = 0; }
const char *heard_address(void) { return address; }
const char *heard_sender(void) { return sender; }
const char *heard_peer(void) { return opened_by; }

void count_frames(int64_t count) {
    next_number = 0;
    number_count = count;
}

static void copy(char *to, size_t capacity, spin_string text) {
    check("the text has room", text.size < capacity);
    memcpy(to, text.data, text.size);
    to[text.size] = 0;
}

/* The number of a connection; a name with a colon is that of a `connect`. */
static int number_of(spin_string name) {
    if (memchr(name.data, ':', name.size))
        return 0;
    for (int i = 0; i < name_count; i++)
        if (strlen(names[i]) == name.size && memcmp(names[i], name.data, name.size) == 0)
            return i;
    copy(names[name_count], sizeof *names, name);
    return name_count++;
}

/* Bytes as they are if they can be printed, or as digits. */
static int show(char *to, size_t capacity, spin_bytes data) {
    int is_plain = 1;
    size_t used = 0;
    for (size_t i = 0; i < data.size; i++)
        is_plain &= data.data[i] >= ' ' && data.data[i] <= '~';
    if (data.size > 64)
        return snprintf(to, capacity, "%zu bytes", data.size);
    for (size_t i = 0; i < data.size; i++)
        used += (size_t)snprintf(to + used, capacity - used, is_plain ? "%c" : "%02X", data.data[i]);
    return (int)used;
}

static int count_frame(char *to, size_t capacity, spin_bytes data) {
    char text[32];
    int size = snprintf(text, sizeof text, "%lld", (long long)next_number++);
    check("it is the next frame", data.size >= (size_t)size && memcmp(text, data.data, (size_t)size) == 0);
    int is_last = next_number == number_count;
    number_count = is_last ? 0 : number_count;
    return is_last ? snprintf(to, capacity, "all\n") : 0;
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[1024], shown[512] = "";
    const spin_string *texts = payload;
    const struct {
        spin_string connection;
        spin_bytes data;
        spin_string text;
    } *frame = payload;
    const struct {
        spin_string connection;
        int64_t bytes;
        spin_string reason;
    } *damaged = payload;
    int size;
    if (strcmp(emitter->name, "listening") == 0) {
        copy(address, sizeof address, texts[0]);
        size = snprintf(text, sizeof text, "listening\n");
    } else if (strcmp(emitter->name, "lost") == 0) {
        size = snprintf(text, sizeof text, "lost: %.*s\n", (int)texts[0].size, texts[0].data);
    } else if (strcmp(emitter->name, "connected") == 0) {
        size = snprintf(text, sizeof text, "connected\n");
    } else if (strcmp(emitter->name, "opened") == 0) {
        copy(opened_by, sizeof opened_by, texts[1]);
        size = snprintf(text, sizeof text, "opened %d\n", number_of(texts[0]));
    } else if (strcmp(emitter->name, "closed") == 0) {
        size = snprintf(text, sizeof text, "closed %d: %.*s\n", number_of(texts[0]), (int)texts[1].size,
                        texts[1].data);
    } else if (strcmp(emitter->name, "damaged") == 0) {
        size = snprintf(text, sizeof text, "damaged %lld: %.*s\n", (long long)damaged->bytes,
                        (int)damaged->reason.size, damaged->reason.data);
    } else if (strcmp(emitter->name, "datagram") == 0) {
        copy(sender, sizeof sender, texts[0]);
        show(shown, sizeof shown, frame->data);
        size = snprintf(text, sizeof text, "datagram %s\n", shown);
    } else if (number_count > 0) {
        size = count_frame(text, sizeof text, frame->data);
    } else {
        show(shown, sizeof shown, frame->data);
        size = snprintf(text, sizeof text, "frame %d %s%s%.*s\n", number_of(frame->connection), shown,
                        frame->text.size > 0 ? " = " : "", frame->text.size > 64 ? 0 : (int)frame->text.size,
                        frame->text.data);
    }
    host_note(call, text, (size_t)size);
}

void reset_config(void) {
    config = (struct spin_config){.longest = 65536,
                                  .most_connections = 1000,
                                  .most_unsent = 1048576,
                                  .connect_timeout = 10 * SECOND,
                                  .answer_timeout = 10 * SECOND,
                                  .keep_alive = 60 * SECOND,
                                  .reconnect_least = SECOND,
                                  .reconnect_most = 60 * SECOND};
}

spin_call *serve(spin_self *self, const char *framing) {
    forget_connections();
    spin_call *call = call_listen(self, "tcp:127.0.0.1:0", framing, NULL);
    expect("it listens", host_await(call, "listening\n"), "listening\n");
    return call;
}

spin_call *serve_one(spin_self *self, int *peer) {
    spin_call *call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    forget_connections();
    host_await(call, "listening\n");
    *peer = dial();
    host_await(call, "opened 0\n");
    return call;
}

spin_self *serve_local(spin_call **call, int *peer) {
    char address[160];
    local_address(address);
    spin_self *self = make();
    *call = call_listen(self, address, "lines", "listen");
    forget_connections();
    host_await(*call, "listening\n");
    *peer = dial();
    host_await(*call, "opened 0\n");
    return self;
}

void end(spin_self *self, spin_call *call) {
    host_cancel(call);
    settle(self);
    stop(self);
    destroy(self);
}
