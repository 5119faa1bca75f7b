#include "world.h"
#include "server.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const int plugin_waits = 0;

struct spin_config config = {.listen = {"127.0.0.1:0", 11},
                             .files = {"", 0},
                             .certificate_file = {"", 0},
                             .key_file = {"", 0},
                             .answer_timeout = 60000000000,
                             .idle_timeout = 60000000000,
                             .largest_body = 100000,
                             .largest_backlog = 100000,
                             .most_waiting = 1000,
                             .most_connections = 100};

/* The requests that the loop was told of and nobody has answered, by their names. */
enum { most_names = 256 };
static char names[most_names][name_size];
static size_t first_name, name_count;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void render_request(spin_call *call, const void *payload) {
    const struct {
        spin_string id, method, path;
        spin_list_serve_field query, headers;
        spin_bytes body;
        spin_string client;
    } *request = payload;
    pthread_mutex_lock(&turn);
    check("there is room for a name", name_count < most_names && request->id.size < name_size);
    char *name = names[(first_name + name_count++) % most_names];
    memcpy(name, request->id.data, request->id.size);
    name[request->id.size] = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
    // The paths of the others would fill the transcript.
    if (request->path.size > 20)
        return;
    host_note(call, request->path.data, request->path.size);
    host_note(call, "\n", 1);
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    if (strcmp(emitter->name, "request") == 0) {
        render_request(call, payload);
        return;
    }
    host_note(call, emitter->name, strlen(emitter->name));
    if (strcmp(emitter->name, "ended") == 0) {
        const spin_string *reason = payload;
        host_note(call, " ", 1);
        host_note(call, reason->data, reason->size);
    }
    host_note(call, "\n", 1);
}

// Waits for a request that nobody has answered, and takes it.
const char *take_name(char *name) {
    pthread_mutex_lock(&turn);
    while (name_count == 0)
        pthread_cond_wait(&changed, &turn);
    strcpy(name, names[first_name]);
    first_name = (first_name + 1) % most_names;
    name_count--;
    pthread_mutex_unlock(&turn);
    return name;
}

/* What the plugin has logged, each line with the text of its first field. */
static char lines[16384];
static size_t lines_size;

static spin_status write_line(const spin_host *host, spin_call *call, int32_t level, const char *text,
                              size_t size, const spin_field *fields, size_t count) {
    (void)host, (void)call, (void)level;
    pthread_mutex_lock(&turn);
    const spin_string field = count > 0 ? fields[0].value.text : (spin_string){"", 0};
    lines_size += (size_t)snprintf(lines + lines_size, sizeof lines - lines_size, "%.*s %.*s\n", (int)size,
                                   text, (int)field.size, field.data);
    check("there is room for a line", lines_size < sizeof lines);
    pthread_mutex_unlock(&turn);
    return SPIN_OK;
}

int logged(const char *line) {
    int count = 0;
    pthread_mutex_lock(&turn);
    for (const char *next = lines; (next = strstr(next, line)); next += strlen(line))
        count++;
    pthread_mutex_unlock(&turn);
    return count;
}

static const void *find_service(const spin_host *host, const char *id) {
    static const spin_log_service log = {sizeof log, 0, write_line};
    return strcmp(id, SPIN_LOG_SERVICE) == 0 ? &log : test_host.service(host, id);
}

const spin_host *world_host(void) {
    static spin_host host;
    host = test_host;
    host.service = find_service;
    return &host;
}

spin_self *create(void) {
    spin_self *self = plugin_instance()->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    return self;
}

void start(spin_self *self) { check("it starts", plugin_life()->start(host_call("start"), self) == SPIN_OK); }

int port(const spin_self *self) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    check("it listens", getsockname(self->listening, (struct sockaddr *)&address, &size) == 0);
    return ntohs(address.sin_port);
}

spin_call *requests(spin_self *self) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *))plugin_effect("requests"))(call, self);
    return call;
}

const char *respond(spin_self *self, const char *id, int32_t status, const char *body) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, int32_t, spin_list_string, spin_bytes))plugin_effect(
        "respond"))(call, self, (spin_string){id, strlen(id)}, status, (spin_list_string){NULL, 0},
                    (spin_bytes){(const uint8_t *)body, strlen(body)});
    return host_ended(call);
}

int connect_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("a client connects", connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    return client;
}

void ask(int client, const char *path) {
    char text[256];
    int size = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path);
    check("a request is sent", send(client, text, (size_t)size, MSG_NOSIGNAL) == size);
}

/* Reads an answer: `STATUS BODY`. */
const char *answer(int client, char *found, size_t capacity) {
    char text[4096];
    size_t size = 0;
    for (;;) {
        ssize_t count = recv(client, text + size, sizeof text - 1 - size, 0);
        if (count <= 0) {
            snprintf(found, capacity, "closed");
            return found;
        }
        size += (size_t)count;
        text[size] = 0;
        const char *end = strstr(text, "\r\n\r\n"), *length = strstr(text, "Content-Length: ");
        if (end && length && (size_t)(end + 4 - text) + (size_t)atol(length + 16) <= size) {
            snprintf(found, capacity, "%.3s %s", text + 9, end + 4);
            return found;
        }
    }
}

const char *exchange(int client, const char *path, char *found, size_t capacity) {
    ask(client, path);
    return answer(client, found, capacity);
}
