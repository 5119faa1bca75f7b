#include "parts.h"
#include <string.h>

static spin_string text_of(const char *text) { return (spin_string){text, strlen(text)}; }
static spin_bytes bytes_of(const char *text) { return (spin_bytes){(const uint8_t *)text, strlen(text)}; }

int ask_for_stream(spin_self *self, char *name) {
    int client = connect_to(port(self));
    ask(client, "/a-path-that-is-not-noted");
    take_name(name);
    return client;
}

spin_call *begin(spin_self *self, const char *id, int32_t status) {
    static const spin_string header = {"Content-Type: text/plain", 24};
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, int32_t, spin_list_string))plugin_effect("stream"))(
        call, self, text_of(id), status, (spin_list_string){&header, 1});
    return call;
}

spin_call *deliver(spin_self *self, const char *id, const char *part) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_bytes))plugin_effect("deliver"))(
        call, self, text_of(id), bytes_of(part));
    return call;
}

static const char *push_to(spin_self *self, spin_list_string ids, const char *part) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_list_string, spin_bytes))plugin_effect("push"))(call, self, ids,
                                                                                              bytes_of(part));
    return host_ended(call);
}

const char *push(spin_self *self, const char *id, const char *part) {
    const spin_string ids[] = {text_of(id)};
    return push_to(self, (spin_list_string){ids, 1}, part);
}

const char *push_both(spin_self *self, const char *first, const char *second, const char *part) {
    const spin_string ids[] = {text_of(first), text_of(second)};
    return push_to(self, (spin_list_string){ids, 2}, part);
}

const char *finish(spin_self *self, const char *id) {
    const spin_string ids[] = {text_of(id)};
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_list_string))plugin_effect("finish"))(
        call, self, (spin_list_string){ids, 1});
    return host_ended(call);
}
