// Answers of `serve` whose bodies come in parts: their ends, clients that leave or are slow, parts that are delivered.
#include "stream_test.h"
#include "parts.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reads until the bytes end with the text, or the connection ends: whether they do. */
static int read_to(int client, const char *end) {
    char text[8192];
    size_t size = 0;
    while (size < strlen(end) || memcmp(text + size - strlen(end), end, strlen(end)) != 0) {
        ssize_t count = recv(client, text + size, 1, 0);
        if (count <= 0)
            return 0;
        size += (size_t)count;
        check("there is room", size < sizeof text);
    }
    return 1;
}

static void test_parts(spin_self *self) {
    char one[name_size], two[name_size];
    int first = ask_for_stream(self, one), second = ask_for_stream(self, two);
    spin_call *call = begin(self, one, 200), *other = begin(self, two, 200);
    check("the head comes before the first part", read_to(first, "Transfer-Encoding: chunked\r\n\r\n"));
    expect("a part is pushed", push_both(self, one, two, "data: 1\n\n"), "");
    check("a part comes at once", read_to(first, "9\r\ndata: 1\n\n\r\n"));
    check("it comes to each of them", read_to(second, "9\r\ndata: 1\n\n\r\n"));
    expect("a stranger is passed over", push_both(self, one, "f-1", "more"), "");
    check("another one follows", read_to(first, "4\r\nmore\r\n"));
    push_both(self, one, two, "");
    push_both(self, one, two, "last");
    finish(self, one);
    push(self, one, "too late");
    check("the answer is whole", read_to(first, "4\r\nlast\r\n0\r\n\r\n"));
    expect("the loop hears of its end", host_ended(call), "ended finished\n");
    ask(first, "/a-path-that-is-not-noted");
    expect("its connection can ask again", respond(self, take_name(one), 200, "fine"), "");
    check("and hears of it", read_to(first, "fine"));
    check("the other one lasts", read_to(second, "4\r\nlast\r\n"));
    host_cancel(other);
    check("a cancelled answer is cut", !read_to(second, "0\r\n\r\n"));
    expect("the loop hears nothing of that", host_ended(other), "");
    close(first);
    close(second);
}

static void test_head(spin_self *self) {
    static const char request[] = "HEAD /a-path-that-is-not-noted HTTP/1.1\r\nHost: test\r\n\r\n";
    char name[name_size];
    int client = connect_to(port(self));
    check("a client asks for a head", send(client, request, sizeof request - 1, MSG_NOSIGNAL) > 0);
    spin_call *call = begin(self, take_name(name), 200);
    expect("its answer has ended at once", host_ended(call), "ended finished\n");
    check("the head is there", read_to(client, "\r\n\r\n"));
    expect("a part finds nobody", push(self, name, "part"), "");
    ask(client, "/a-path-that-is-not-noted");
    expect("the connection can ask again", respond(self, take_name(name), 200, "fine"), "");
    check("no body came", read_to(client, "HTTP/1.1 200 OK\r\n") && read_to(client, "\r\n\r\nfine"));
    close(client);
}

static void test_left(spin_self *self) {
    char name[name_size];
    int client = ask_for_stream(self, name);
    spin_call *call = begin(self, name, 200);
    check("the answer has begun", read_to(client, "chunked\r\n\r\n"));
    close(client);
    expect("the loop hears of a client that leaves, without a part", host_ended(call), "ended closed\n");
    expect("a part for nobody is no failure", push(self, name, "nobody"), "");
    expect("nor is one that is delivered", host_ended(deliver(self, name, "nobody")), "");

    client = ask_for_stream(self, name);
    call = begin(self, name, 200);
    host_set_room(call, 0);
    close(client);
    host_await_room(call);
    host_set_room(call, 1);
    expect("it waits for room in the mailbox", host_ended(call), "ended closed\n");
}

static char large[65537];

// Reads all that comes, so that it is a client that is not slow.
static void *read_all(void *context) {
    static char bytes[100000];
    static size_t size;
    size = 0;
    ssize_t count;
    while ((count = recv(*(int *)context, bytes, sizeof bytes, 0)) > 0)
        size += (size_t)count;
    return &size;
}

/* Reads until the connection ends: whether its last chunk says that the answer is whole. */
static int is_whole(int client) {
    static char bytes[65536];
    static const char last[] = "0\r\n\r\n";
    size_t size = 0, most = sizeof last - 1;
    ssize_t count;
    while ((count = recv(client, bytes + size, sizeof bytes - size, 0)) > 0) {
        size_t all = size + (size_t)count;
        size = all < most ? all : most;
        memmove(bytes, bytes + all - size, size);
    }
    return size == most && memcmp(bytes, last, most) == 0;
}

static void test_slow(spin_self *self) {
    char name[name_size], other_name[name_size];
    pthread_t reader;
    int client = ask_for_stream(self, name), other = ask_for_stream(self, other_name);
    spin_call *call = begin(self, name, 200), *other_call = begin(self, other_name, 200);
    check("a client reads", pthread_create(&reader, NULL, read_all, &other) == 0);
    // The buffers of the kernel take some megabytes. The other client takes each part before the next one.
    for (int i = 0; i < 300 && !spin_cancelled(call); i++) {
        expect("a part is for both", push_both(self, name, other_name, large), "");
        expect("one client takes it", host_ended(deliver(self, other_name, "")), "delivered\n");
    }
    expect("a client that takes nothing is cut", host_ended(call), "ended slow\n");
    check("it can tell that the answer is not whole", !is_whole(client));
    expect("the other answer ends in order", finish(self, other_name), "");
    expect("its client has all", host_ended(other_call), "ended finished\n");
    shutdown(other, SHUT_WR);
    pthread_join(reader, NULL);
    close(client);
    close(other);
}

enum { deliveries = 200 };

static void test_delivered(spin_self *self) {
    char name[name_size];
    pthread_t reader;
    void *size;
    int client = ask_for_stream(self, name);
    spin_call *call = begin(self, name, 200);
    expect("an empty part is delivered", host_ended(deliver(self, name, "")), "delivered\n");
    check("a client reads", pthread_create(&reader, NULL, read_all, &client) == 0);
    for (int i = 0; i < deliveries; i++)
        expect("a part is delivered", host_ended(deliver(self, name, large)), "delivered\n");
    finish(self, name);
    expect("the answer ends", host_ended(call), "ended finished\n");
    shutdown(client, SHUT_WR);
    pthread_join(reader, &size);
    check("all has come", *(size_t *)size > (size_t)deliveries * (sizeof large - 1));
    close(client);
}

static void test_too_early(spin_self *self) {
    static const char reason[] = "-1 the answer has not begun";
    char name[name_size], begun[name_size];
    int client = ask_for_stream(self, name), other = ask_for_stream(self, begun);
    spin_call *other_call = begin(self, begun, 200);
    expect("a part before the answer fails", push_both(self, name, begun, "part"), reason);
    check("others get it", read_to(other, "4\r\npart\r\n"));
    expect("so does one that is delivered", host_ended(deliver(self, name, "part")), reason);
    expect("so does the end", finish(self, name), reason);
    spin_call *call = begin(self, name, 200);
    expect("then it begins", finish(self, name), "");
    check("it has lost nothing but these parts", read_to(client, "chunked\r\n\r\n0\r\n\r\n"));
    expect("it is whole", host_ended(call), "ended finished\n");
    host_cancel(other_call);
    close(client);
    close(other);
}

static void test_refused(spin_self *self) {
    char name[name_size];
    int client = ask_for_stream(self, name);
    expect("a status must be one", host_ended(begin(self, name, 99)), "-5 the status must be 200 to 599");
    expect("a body needs a status that has one", host_ended(begin(self, name, 204)),
           "-5 an answer with this status has no body");
    spin_call *call = begin(self, name, 200);
    check("then it begins", read_to(client, "chunked\r\n\r\n"));
    const char *none =
        "-1 no such request waits: it was answered, has waited too long, or came to another instance";
    expect("it begins once", host_ended(begin(self, name, 200)), none);
    expect("a stream is answered already", respond(self, name, 200, "no"), none);
    expect("a stranger has no stream", host_ended(begin(self, "f-1", 200)), none);
    finish(self, name);
    check("it ends", read_to(client, "0\r\n\r\n"));
    expect("the loop hears of its end", host_ended(call), "ended finished\n");
    close(client);
}

void test_streams(spin_self *self) {
    memset(large, 'a', sizeof large - 1);
    spin_call *call = requests(self);
    test_parts(self);
    test_head(self);
    test_left(self);
    test_slow(self);
    test_delivered(self);
    test_too_early(self);
    test_refused(self);
    host_cancel(call);
}

// A connection that says nothing ends after `idle_timeout`, so it tells when that time is over.
static void test_idle(void) {
    char name[name_size], found[64];
    const spin_duration usual = config.idle_timeout;
    const int64_t limit = config.largest_backlog;
    config.idle_timeout = 1000000000;
    config.largest_backlog = 100000000;
    spin_self *self = create();
    start(self);
    spin_call *call = requests(self);
    int client = ask_for_stream(self, name);
    spin_call *lasting = begin(self, name, 200);
    check("the answer has begun", read_to(client, "chunked\r\n\r\n"));
    int idle = connect_to(port(self));
    expect("a connection without a request ends", answer(idle, found, sizeof found), "closed");
    push(self, name, "late");
    check("an answer may be silent for longer", read_to(client, "4\r\nlate\r\n"));
    // The buffers of the kernel take some megabytes, so that parts wait.
    for (int i = 0; i < 300; i++)
        push(self, name, large);
    expect("a client that takes nothing for so long is left", host_ended(lasting), "ended closed\n");
    plugin_life()->stop(self);
    host_cancel(call);
    plugin_instance()->destroy(self);
    close(client);
    close(idle);
    config.idle_timeout = usual;
    config.largest_backlog = limit;
}

// With the most connections, a client waits until a stream ends.
static void test_most_connections(void) {
    char name[name_size], found[64];
    const int32_t usual = config.most_connections;
    config.most_connections = 1;
    spin_self *self = create();
    start(self);
    spin_call *call = requests(self);
    for (int i = 0; i < 2; i++) {
        int client = ask_for_stream(self, name);
        spin_call *lasting = begin(self, name, 200);
        check("the answer has begun", read_to(client, "chunked\r\n\r\n"));
        int waiting = connect_to(port(self));
        ask(waiting, "/a-path-that-is-not-noted");
        // At first the client leaves, then the loop cuts the answer.
        if (i == 0)
            shutdown(client, SHUT_RDWR);
        else
            host_cancel(lasting);
        expect("the next one is heard", respond(self, take_name(name), 200, "fine"), "");
        expect("and has its answer", answer(waiting, found, sizeof found), "200 fine");
        host_cancel(lasting);
        close(client);
        close(waiting);
    }
    host_cancel(call);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);
    config.most_connections = usual;
}

void test_end_of_streams(void) {
    test_idle();
    test_most_connections();
    char name[name_size];
    spin_self *self = create();
    start(self);
    spin_call *call = requests(self);
    int client = ask_for_stream(self, name);
    spin_call *lasting = begin(self, name, 200);
    check("the answer has begun", read_to(client, "chunked\r\n\r\n"));
    int early = ask_for_stream(self, name);
    spin_call *cancelled = host_call("run");
    host_cancel(cancelled);
    ((void (*)(spin_call *, spin_self *, spin_string, int32_t, spin_list_string))plugin_effect("stream"))(
        cancelled, self, (spin_string){name, strlen(name)}, 200, (spin_list_string){NULL, 0});
    host_cancel(call);
    plugin_life()->stop(self);
    expect("the loop hears of the end", host_ended(lasting), "ended closed\n");
    check("the end of the server cuts an answer", !read_to(client, "0\r\n\r\n"));
    check("a call that was over begins no answer", read_to(early, "the server ends\n"));
    plugin_instance()->destroy(self);
    close(client);
    close(early);
}
