// The `serve` plugin in a host of the test: its thread, cancellations, clients that are gone, its end, and its socket
// in a swap.
#include "stream_test.h"
#include "tls_test.h"
#include "world.h"
#include "server.h"
#include "../common/process.h"
#include "../plugin-host/saved.h"
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

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

// What was saved last becomes the state of another instance.
static spin_self *restored(void) {
    spin_self *next = create();
    restore_saved(next);
    return next;
}

static spin_self *take_over(spin_self *self) {
    save(self);
    return restored();
}

// A process that began at another time had other descriptors, also if it had the number of this one.
static void test_restart(spin_self *self) {
    plugin_instance()->destroy(take_over(self));
    saved_bytes[8 + offsetof(struct process, start)] ^= 1;
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
    const spin_duration usual = config.answer_timeout;
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
    config.answer_timeout = usual;
}

int main(void) {
    plugin_load(world_host());
    spin_self *self = create();
    start(self);
    test_many(self);
    test_room(self);
    test_gone(self);
    test_streams(self);
    self = test_swap(self);
    test_again(self);
    test_restart(self);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);
    test_timeout();
    test_end_of_streams();
    test_tls();
    return 0;
}
