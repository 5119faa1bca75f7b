#include "instance.h"
#include "world.h"
#include "../plugin-host/plugin.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*text_effect)(spin_call *, spin_self *, spin_string);
typedef void (*texts_effect)(spin_call *, spin_self *, spin_string, spin_string);
typedef void (*send_effect)(spin_call *, spin_self *, spin_string, spin_bytes);
typedef void (*send_to_effect)(spin_call *, spin_self *, spin_string, spin_string, spin_bytes);

static spin_string text(const char *text) { return (spin_string){text, strlen(text)}; }

static spin_call *run(const char *key) {
    static int runs;
    char own[16];
    snprintf(own, sizeof own, "run %d", runs++);
    return host_call(key ? key : own);
}

void connect_with(spin_self *self, spin_call *call, const char *address, const char *framing) {
    ((texts_effect)plugin_effect("connect"))(call, self, text(address), text(framing));
}

spin_call *call_connect(spin_self *self, const char *address, const char *framing, const char *key) {
    spin_call *call = run(key);
    connect_with(self, call, address, framing);
    return call;
}

void listen_with(spin_self *self, spin_call *call, const char *address, const char *framing) {
    ((texts_effect)plugin_effect("listen"))(call, self, text(address), text(framing));
}

spin_call *call_listen(spin_self *self, const char *address, const char *framing, const char *key) {
    spin_call *call = run(key);
    listen_with(self, call, address, framing);
    return call;
}

void receive_with(spin_self *self, spin_call *call, const char *address) {
    ((text_effect)plugin_effect("receive"))(call, self, text(address));
}

spin_call *call_receive(spin_self *self, const char *address, const char *key) {
    spin_call *call = run(key);
    receive_with(self, call, address);
    return call;
}

spin_call *call_send(spin_self *self, const char *connection, const void *data, size_t size,
                     const char *key) {
    spin_call *call = run(key);
    ((send_effect)plugin_effect("send"))(call, self, text(connection), (spin_bytes){data, size});
    return call;
}

spin_call *call_send_to(spin_self *self, const char *from, const char *to, const void *data, size_t size) {
    spin_call *call = run(NULL);
    ((send_to_effect)plugin_effect("send_to"))(call, self, text(from), text(to), (spin_bytes){data, size});
    return call;
}

spin_call *call_close(spin_self *self, const char *connection) { return close_as(self, connection, NULL); }

spin_call *close_as(spin_self *self, const char *connection, const char *key) {
    spin_call *call = run(key);
    ((text_effect)plugin_effect("close"))(call, self, text(connection));
    return call;
}

void pass(spin_self *self, spin_duration time) {
    settle(self);
    host_advance(time);
    settle(self);
    host_advance(0); // What has become due meanwhile.
    settle(self);
}

void settle(spin_self *self) {
    // The second one is seen after the function has run whole for the first one.
    for (int i = 0; i < 2; i++)
        expect("all calls are seen", host_ended(call_close(self, "none")), "");
}

int is_quiet(const spin_self *self) {
    struct pollfd found = {.fd = self->engine.events, .events = POLLIN};
    return poll(&found, 1, 0) == 0;
}
