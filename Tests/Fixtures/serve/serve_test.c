// The `serve` plugin in a host of the test: its thread, cancellations, clients that are gone, its end, and its socket in a
// swap.
#include "../plugin-host/host.h"
#include "../plugin-host/plugin.h"
#include "server.h"
#include "../common/process.h"
#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const int plugin_waits = 0;

static struct spin_config config = {.listen = {"127.0.0.1:0", 11},
                                    .files = {"", 0},
                                    .answer_timeout = 60000000000,
                                    .idle_timeout = 60000000000,
                                    .largest_body = 100000,
                                    .most_waiting = 1000,
                                    .most_connections = 100};

/* The requests that the loop was told of and nobody has answered, by their names. */
enum { most_names = 256, name_size = 64 };
static char names[most_names][name_size];
static size_t first_name, name_count;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    const struct {
        spin_string id, method, path;
        spin_list_serve_field query, headers;
        spin_bytes body;
        spin_string client;
    } *request = payload;
    check("it is a request", strcmp(emitter->name, "request") == 0);
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

// Waits for a request that nobody has answered, and takes it.
static const char *take_name(char *name) {
    pthread_mutex_lock(&turn);
    while (name_count == 0)
        pthread_cond_wait(&changed, &turn);
    strcpy(name, names[first_name]);
    first_name = (first_name + 1) % most_names;
    name_count--;
    pthread_mutex_unlock(&turn);
    return name;
}

static spin_self *create(void) {
    spin_self *self = plugin_instance()->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    return self;
}

static void start(spin_self *self) {
    check("it starts", plugin_life()->start(host_call("start"), self) == SPIN_OK);
}

static int port(const spin_self *self) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    check("it listens", getsockname(self->listening, (struct sockaddr *)&address, &size) == 0);
    return ntohs(address.sin_port);
}

static spin_call *requests(spin_self *self) {
    spin_call *call = host_call("run");
    void (*function)(void) = plugin_effect("requests");
    ((void (*)(spin_call *, spin_self *))function)(call, self);
    return call;
}

static const char *respond(spin_self *self, const char *id, int32_t status, const char *body) {
    spin_call *call = host_call("run");
    void (*function)(void) = plugin_effect("respond");
    ((void (*)(spin_call *, spin_self *, spin_string, int32_t, spin_list_string, spin_bytes))function)(
        call, self, (spin_string){id, strlen(id)}, status, (spin_list_string){NULL, 0},
        (spin_bytes){(const uint8_t *)body, strlen(body)});
    return host_ended(call);
}

static int connect_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("a client connects", connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    return client;
}

static void ask(int client, const char *path) {
    char text[256];
    int size = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path);
    check("a request is sent", send(client, text, (size_t)size, MSG_NOSIGNAL) == size);
}

/* Reads an answer: `STATUS BODY`. */
static const char *answer(int client, char *found, size_t capacity) {
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

static const char *exchange(int client, const char *path, char *found, size_t capacity) {
    ask(client, path);
    return answer(client, found, capacity);
}

enum { clients = 8, rounds = 25 };

static void *ask_often(void *context) {
    int client = connect_to(*(int *)context);
    char found[256];
    for (int i = 0; i < rounds; i++)
        expect("each request has its answer",
               exchange(client, "/a-path-that-is-not-noted", found, sizeof found), "200 fine");
    close(client);
    return NULL;
}

// Clients that ask at once, and answers from another thread than the plugin's.
static void test_many(spin_self *self) {
    spin_call *call = requests(self);
    pthread_t threads[clients];
    int where = port(self);
    char name[name_size];
    for (int i = 0; i < clients; i++)
        check("a client begins", pthread_create(&threads[i], NULL, ask_often, &where) == 0);
    for (int i = 0; i < clients * rounds; i++) {
        take_name(name);
        expect("an answer is taken", respond(self, name, 200, "fine"), "");
    }
    for (int i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
    expect("a request is answered once", respond(self, name, 200, "again"),
           "-1 no such request waits: it was answered, has waited too long, or came to another instance");
    host_cancel(call);
}

// Without room in the mailbox, or without a call, requests wait.
static void test_room(spin_self *self) {
    char found[256], name[name_size];
    int first = connect_to(port(self)), second = connect_to(port(self));
    spin_call *call = requests(self);
    host_set_room(call, 0);
    ask(first, "/first");
    host_await_room(call);
    host_cancel(call);
    ask(second, "/second");
    call = requests(self);
    expect("another call hears of both", host_await(call, "/second\n"), "/first\n/second\n");
    expect("the first one is answered", respond(self, take_name(name), 200, "1"), "");
    expect("the client hears of it", answer(first, found, sizeof found), "200 1");
    expect("so is the second", respond(self, take_name(name), 503, "2"), "");
    expect("its client hears of it, too", answer(second, found, sizeof found), "503 2");
    close(first);
    close(second);
    host_cancel(call);
}

// A client that does not wait for its answer.
static void test_gone(spin_self *self) {
    char found[256], name[name_size];
    spin_call *call = requests(self);
    int client = connect_to(port(self));
    ask(client, "/gone");
    host_await(call, "/gone\n");
    close(client);
    expect("nobody hears of the answer", respond(self, take_name(name), 200, "fine"), "");
    client = connect_to(port(self));
    ask(client, "/next");
    host_await(call, "/next\n");
    expect("the next one is answered", respond(self, take_name(name), 200, "fine"), "");
    expect("it is there", answer(client, found, sizeof found), "200 fine");
    close(client);
    host_cancel(call);
}

static struct {
    char bytes[128];
    size_t size;
} written;

static spin_status write_saved(spin_saving *saving, const void *data, size_t size) {
    (void)saving;
    check("there is room", size <= sizeof written.bytes);
    memcpy(written.bytes, data, size);
    written.size = size;
    return SPIN_OK;
}

// What was written last becomes the state of another instance.
static spin_self *restored(void) {
    spin_self *next = create();
    const spin_saved saved = {.size = sizeof saved,
                              .schema = 2,
                              .version = "1",
                              .data = (const uint8_t *)written.bytes,
                              .data_size = written.size};
    check("another one restores", plugin_swap()->restore(host_call("restore"), next, &saved) == SPIN_OK);
    return next;
}

static spin_self *take_over(spin_self *self) {
    spin_saving saving = {sizeof saving, 0, write_saved};
    check("it saves", plugin_swap()->save(host_call("save"), self, &saving) == SPIN_OK);
    return restored();
}

// A process that began at another time had other descriptors, also if it had the number of this one.
static void test_restart(spin_self *self) {
    plugin_instance()->destroy(take_over(self));
    written.bytes[8 + offsetof(struct process, start)] ^= 1;
    spin_self *next = restored();
    start(next);
    check("it has a socket of its own", port(next) != port(self));
    plugin_life()->stop(next);
    plugin_instance()->destroy(next);
}

// Another instance takes over the socket, with the clients that wait in it.
static spin_self *test_swap(spin_self *self) {
    char found[256], name[name_size];
    int where = port(self), waiting = connect_to(where);
    spin_call *call = requests(self);
    ask(waiting, "/waiting");
    host_await(call, "/waiting\n");
    take_name(name);
    plugin_life()->stop(self);
    expect("a request that waits is told to come again", answer(waiting, found, sizeof found),
           "503 the server ends\n");
    host_cancel(call); // as a thread of the host that is late
    int client = connect_to(where);
    ask(client, "/meanwhile");
    spin_self *next = take_over(self);
    start(next);
    check("it listens at the same port", port(next) == where);
    call = requests(next);
    expect("it hears of it", host_await(call, "/meanwhile\n"), "/meanwhile\n");
    check("names are not those of another instance", strcmp(respond(next, name, 200, ""), "") != 0);
    expect("it answers", respond(next, take_name(name), 200, "fine"), "");
    expect("the client hears of it", answer(client, found, sizeof found), "200 fine");
    host_cancel(call);
    plugin_instance()->destroy(self);
    close(client);
    close(waiting);
    return next;
}

// The old instance starts again when the next one cannot.
static void test_again(spin_self *self) {
    char found[256], name[name_size];
    int where = port(self);
    plugin_life()->stop(self);
    plugin_instance()->destroy(take_over(self));
    start(self);
    check("it listens at the same port", port(self) == where);
    spin_call *call = requests(self);
    int client = connect_to(where);
    ask(client, "/again");
    host_await(call, "/again\n");
    expect("it answers", respond(self, take_name(name), 204, ""), "");
    ask(client, "/more");
    expect("an answer without a body is whole", host_await(call, "/more\n"), "/again\n/more\n");
    expect("it answers", respond(self, take_name(name), 200, "more"), "");
    check("both come", strstr(answer(client, found, sizeof found), "more") != NULL);
    close(client);
    host_cancel(call);
}

static void test_timeout(void) {
    char found[256], name[name_size];
    config.answer_timeout = 10000000;
    spin_self *self = create();
    start(self);
    int client = connect_to(port(self));
    expect("nobody answers", exchange(client, "/a", found, sizeof found), "503 there is no answer\n");
    spin_call *call = requests(self);
    expect("nor here", exchange(client, "/b", found, sizeof found), "503 there is no answer\n");
    check("it is too late", strcmp(respond(self, take_name(name), 200, ""), "") != 0);
    close(client);
    plugin_life()->stop(self);
    host_cancel(call);
    plugin_instance()->destroy(self);
}

int main(void) {
    plugin_load();
    spin_self *self = create();
    start(self);
    test_many(self);
    test_room(self);
    test_gone(self);
    self = test_swap(self);
    test_again(self);
    test_restart(self);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);
    test_timeout();
    return 0;
}
