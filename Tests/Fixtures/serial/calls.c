#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdio.h>
#include <string.h>

static spin_call *call_plain(spin_self *self, const char *name, int room) {
    spin_call *call = host_call("run");
    host_set_room(call, room);
    ((void (*)(spin_call *, spin_self *))plugin_effect(name))(call, self);
    return call;
}

spin_call *call_open(spin_self *self) { return call_plain(self, "open", -1); }
spin_call *call_lines(spin_self *self, int room) { return call_plain(self, "lines", room); }
spin_call *call_signals(spin_self *self) { return call_plain(self, "signals", -1); }

spin_call *call_frames(spin_self *self, const char *framing) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string))plugin_effect("frames"))(
        call, self, (spin_string){framing, strlen(framing)});
    return call;
}

spin_call *call_write(spin_self *self, const void *data, size_t size) {
    static int runs;
    char key[16];
    snprintf(key, sizeof key, "write %d", runs++);
    return call_write_again(self, data, size, key);
}

spin_call *call_write_again(spin_self *self, const void *data, size_t size, const char *key) {
    spin_call *call = host_call(key);
    ((void (*)(spin_call *, spin_self *, spin_bytes))plugin_effect("write"))(call, self,
                                                                             (spin_bytes){data, size});
    return call;
}

spin_call *call_set(spin_self *self, int dtr, int rts) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, bool, bool))plugin_effect("set_signals"))(call, self, dtr, rts);
    return call;
}

spin_call *call_break(spin_self *self, spin_duration time) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_duration))plugin_effect("send_break"))(call, self, time);
    return call;
}

void await_begin(spin_self *self) {
    expect("one call reads", host_ended(call_lines(self, -1)), "-1 another call reads from the port already");
}
