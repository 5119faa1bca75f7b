#include "scene.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int listener, port, peer;
char reply[128];

void listen_once(void) {
    listener = peer_listen(&port);
    reset_config(port);
}

spin_self *connect_once(void) {
    spin_self *self = make();
    peer = peer_accept(listener);
    return self;
}

void finish(spin_self *self) {
    end(self);
    peer_end(peer);
    close(listener);
}

spin_self *watch(spin_call **connection) {
    spin_self *self = make();
    *connection = call_connection(self);
    host_await(*connection, "disconnected the client has not connected yet\n");
    return self;
}

void unwatch(spin_self *self, spin_call *connection) {
    host_cancel(connection);
    end(self);
}

void await_reason(spin_call *connection, const char *reason) {
    char text[512];
    snprintf(text, sizeof text, "disconnected %s\n", reason);
    host_await(connection, text);
}

const char *take_message(const char *command) {
    snprintf(reply, sizeof reply, "%s", peer_expect(peer, command));
    *strchr(reply, ' ') = 0;
    return peer_line(peer);
}

void answer(const char *data) { peer_message(peer, reply, "1", "", data); }
