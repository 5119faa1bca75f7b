#include "world.h"
#include "with-peer/peer.h"
#include <stdio.h>
#include <string.h>

const int plugin_waits = 0;

struct spin_config config;

/* Whether a text is `count N`, and the next one. */
static int is_count(spin_string text) {
    if (text.size < 7 || text.size >= 32 || memcmp(text.data, "count ", 6) != 0)
        return 0;
    note_number(text.data + 6, text.size - 6);
    return 1;
}

static size_t show(char *to, size_t capacity, spin_string type, spin_string text, int64_t integer,
                   spin_bytes bytes) {
    int is_text = type.size == 4 && memcmp(type.data, "text", 4) == 0;
    int is_number = type.size == 7, is_list = type.size == 4 && memcmp(type.data, "list", 4) == 0;
    size_t used = 0;
    if (is_number || is_list)
        return (size_t)snprintf(to, capacity, is_list ? "list of %lld" : "%lld", (long long)integer);
    if (!is_text || text.size > 64)
        return (size_t)snprintf(to, capacity, "%.*s of %zu", (int)type.size, type.data, bytes.size);
    used = (size_t)snprintf(to, capacity, "`%.*s`", (int)text.size, text.data);
    if (integer != 0)
        used += (size_t)snprintf(to + used, capacity - used, " = %lld", (long long)integer);
    if (bytes.size != text.size || memcmp(bytes.data, text.data, text.size) != 0)
        used += (size_t)snprintf(to + used, capacity - used, " of %zu", bytes.size);
    return used;
}

static void render_answer(spin_call *call, const void *payload) {
    const struct {
        spin_string type, text;
        int64_t integer;
        spin_bytes bytes;
        spin_list_redis_value items;
    } *answer = payload;
    char shown[3000];
    size_t used = show(shown, sizeof shown, answer->type, answer->text, answer->integer, answer->bytes);
    for (size_t i = 0; i < answer->items.count && used < 2000; i++) {
        const redis_value *item = &answer->items.items[i];
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%*s", (int)item->depth, "");
        used += show(shown + used, sizeof shown - used, item->type, item->text, item->integer, item->bytes);
    }
    shown[used++] = '\n';
    host_note(call, shown, used);
}

static void render_entry(spin_call *call, const void *payload) {
    const struct {
        spin_string id;
        spin_list_redis_field fields;
        bool again;
    } *entry = payload;
    char shown[1024];
    if (entry->fields.count == 1 && is_count(entry->fields.items[0].text))
        return;
    size_t used = (size_t)snprintf(shown, sizeof shown, "%.*s", (int)entry->id.size, entry->id.data);
    for (size_t i = 0; i < entry->fields.count; i++) {
        const redis_field *field = &entry->fields.items[i];
        used += (size_t)snprintf(shown + used, sizeof shown - used, " %.*s=%.*s", (int)field->name.size,
                                 field->name.data, (int)field->text.size, field->text.data);
    }
    used += (size_t)snprintf(shown + used, sizeof shown - used, entry->again ? " again\n" : "\n");
    host_note(call, shown, used);
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    const struct {
        spin_string channel, pattern, text;
        spin_bytes bytes;
    } *message = payload;
    char text[512];
    int size;
    if (strcmp(emitter->name, "answered") == 0) {
        render_answer(call, payload);
        return;
    }
    if (strcmp(emitter->name, "entry") == 0) {
        render_entry(call, payload);
        return;
    }
    if (strcmp(emitter->name, "message") == 0 && is_count(message->text))
        return;
    if (strcmp(emitter->name, "subscribed") == 0)
        size = snprintf(text, sizeof text, "subscribed\n");
    else if (strcmp(emitter->name, "lost") == 0)
        size = snprintf(text, sizeof text, "lost: %s\n", ((const spin_string *)payload)->data);
    else
        size = snprintf(text, sizeof text, "%.*s%s%.*s: %.*s\n", (int)message->channel.size,
                        message->channel.data, message->pattern.size > 0 ? " by " : "",
                        (int)message->pattern.size, message->pattern.data, (int)message->text.size,
                        message->text.data);
    host_note(call, text, (size_t)size);
}

void set_text(spin_string *setting, const char *text) { *setting = (spin_string){text, strlen(text)}; }

void reset_config(int port) {
    static char server[64];
    snprintf(server, sizeof server, "redis://127.0.0.1:%d", port);
    config = (struct spin_config){.connect_timeout = 10 * SECOND,
                                  .answer_timeout = 30 * SECOND,
                                  .keep_alive = 60 * SECOND,
                                  .reconnect_least = SECOND,
                                  .reconnect_most = SECOND,
                                  .most_in_work = 100,
                                  .largest_answer = 1 << 20,
                                  .largest_command = 1 << 20,
                                  .most_waiting = 1000};
    set_text(&config.server, server);
    set_text(&config.user, "");
    set_text(&config.password, "");
}

void end(spin_self *self) {
    settle(self);
    stop(self);
    destroy(self);
}

spin_self *make_for(int listener) {
    peer_clear(listener);
    return make();
}

void end_with(spin_self *self, int peer) {
    end(self);
    peer_end(peer);
}
