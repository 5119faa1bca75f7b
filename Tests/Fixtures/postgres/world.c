#include "world.h"
#include "../plugin-host/plugin.h"
#include "server.h"
#include <stdio.h>
#include <string.h>

const int plugin_waits = 0;

struct spin_config config;
const postgres_parameter null_value = {.text = {0}};

static int is_type(const postgres_value *value, const char *type) {
    return value->type.size == strlen(type) && memcmp(value->type.data, type, value->type.size) == 0;
}

static void show_value(spin_call *call, const postgres_value *value) {
    char text[256];
    check("a value has a whole text", value->text.size < sizeof text);
    int size = snprintf(text, sizeof text, " %.*s", (int)value->type.size, value->type.data);
    host_note(call, text, (size_t)size);
    if (is_type(value, "null"))
        return;
    size = is_type(value, "blob")
               ? snprintf(text, sizeof text, " [%zu]", value->blob.size)
               : snprintf(text, sizeof text, " %.*s", (int)value->text.size, value->text.data);
    host_note(call, text, (size_t)size);
    for (size_t i = 0; is_type(value, "blob") && i < value->blob.size && i < 8; i++)
        host_note(call, text, (size_t)snprintf(text, sizeof text, "%02x", value->blob.data[i]));
    if (is_type(value, "integer") || is_type(value, "real") || is_type(value, "numeric"))
        host_note(call, text,
                  (size_t)snprintf(text, sizeof text, " (%lld, %g)", (long long)value->integer, value->real));
}

/* The columns and the values, or how many rows there are. */
static void show_rows(spin_call *call, spin_list_string columns, spin_list_postgres_row rows) {
    char text[64];
    for (size_t i = 0; i < columns.count && rows.count <= 10; i++) {
        host_note(call, i ? "," : "", i ? 1 : 0);
        host_note(call, columns.items[i].data, columns.items[i].size);
    }
    if (rows.count > 10)
        host_note(call, text, (size_t)snprintf(text, sizeof text, "%zu rows", rows.count));
    for (size_t i = 0; i < rows.count && rows.count <= 10; i++) {
        host_note(call, i ? ";" : ":", 1);
        check("a row has all columns", rows.items[i].values.count == columns.count);
        for (size_t j = 0; j < columns.count; j++)
            show_value(call, &rows.items[i].values.items[j]);
    }
    host_note(call, "\n", 1);
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[512];
    const spin_string *texts = payload;
    const struct {
        spin_list_string columns;
        spin_list_postgres_row rows;
    } *rows = payload;
    int size;
    if (strcmp(emitter->name, "rows") == 0) {
        show_rows(call, rows->columns, rows->rows);
        return;
    }
    if (strcmp(emitter->name, "executed") == 0)
        size = snprintf(text, sizeof text, "%lld changes\n", (long long)*(const int64_t *)payload);
    else if (strcmp(emitter->name, "committed") == 0)
        size = snprintf(text, sizeof text, "committed %lld\n", (long long)*(const int64_t *)payload);
    else if (strcmp(emitter->name, "listening") == 0)
        size = snprintf(text, sizeof text, "listening\n");
    else if (strcmp(emitter->name, "lost") == 0)
        size = snprintf(text, sizeof text, "lost: %.*s\nlost\n", (int)texts[0].size, texts[0].data);
    else
        size = snprintf(text, sizeof text, "%.*s=%.*s\n", (int)texts[0].size, texts[0].data,
                        (int)texts[1].size, texts[1].data);
    host_note(call, text, (size_t)size);
}

void set_text(spin_string *setting, const char *text) { *setting = (spin_string){text, strlen(text)}; }

void reset_config(void) {
    config = (struct spin_config){.most_connections = 1,
                                  .connect_timeout = 10 * SECOND,
                                  .statement_timeout = 60 * SECOND,
                                  .keep_alive = 60 * SECOND,
                                  .reconnect_least = SECOND,
                                  .reconnect_most = SECOND,
                                  .most_waiting = 1000,
                                  .most_rows = 1000,
                                  .largest_answer = 1 << 20};
    set_text(&config.server, server_place());
    set_text(&config.password, "");
}

void use_port(int port) {
    static char place[128];
    snprintf(place, sizeof place, "host=127.0.0.1 port=%d user=ada dbname=test sslmode=disable", port);
    set_text(&config.server, place);
}

void end(spin_self *self) {
    stop(self);
    destroy(self);
}

postgres_parameter text_value(const char *text) {
    return (postgres_parameter){.text = {1, {text, strlen(text)}}};
}

postgres_parameter integer_value(int64_t integer) { return (postgres_parameter){.integer = {1, integer}}; }

spin_call *call_with(spin_self *self, const char *effect, const char *sql, const postgres_parameter *values,
                     size_t count, int room) {
    spin_call *made = host_call("run");
    host_set_room(made, room);
    // The effect must copy what it is given.
    char text[1024];
    check("there is room for a statement", strlen(sql) < sizeof text);
    strcpy(text, sql);
    ((void (*)(spin_call *, spin_self *, spin_string, spin_list_postgres_parameter))plugin_effect(effect))(
        made, self, (spin_string){text, strlen(text)}, (spin_list_postgres_parameter){values, count});
    memset(text, 'x', sizeof text);
    return made;
}

spin_call *call(spin_self *self, const char *effect, const char *sql) {
    return call_with(self, effect, sql, NULL, 0, -1);
}

spin_call *call_transaction(spin_self *self, const char *const *statements) {
    spin_call *made = host_call("run");
    postgres_statement list[8] = {0};
    size_t count = 0;
    for (; statements[count]; count++)
        set_text(&list[count].sql, statements[count]);
    ((void (*)(spin_call *, spin_self *, spin_list_postgres_statement))plugin_effect("transaction"))(
        made, self, (spin_list_postgres_statement){list, count});
    return made;
}

spin_call *call_listen(spin_self *self, const char *channel, int room) {
    spin_call *made = host_call("run");
    host_set_room(made, room);
    ((void (*)(spin_call *, spin_self *, spin_string))plugin_effect("listen"))(
        made, self, (spin_string){channel, strlen(channel)});
    return made;
}

spin_call *call_notify(spin_self *self, const char *channel, const char *payload) {
    spin_call *made = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_string))plugin_effect("notify"))(
        made, self, (spin_string){channel, strlen(channel)}, (spin_string){payload, strlen(payload)});
    return made;
}

const char *query(spin_self *self, const char *sql) { return host_ended(call(self, "query", sql)); }

const char *execute(spin_self *self, const char *sql) { return host_ended(call(self, "execute", sql)); }

const char *transact(spin_self *self, const char *const *statements) {
    return host_ended(call_transaction(self, statements));
}

void expect_start(const char *name, const char *found, const char *start) {
    if (strncmp(found, start, strlen(start)) != 0)
        expect(name, found, start);
}

void expect_part(const char *name, const char *found, const char *part) {
    if (!strstr(found, part))
        expect(name, found, part);
}
