#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

extern const struct spin_entry spin_entry;
const int plugin_waits = 0;

struct spin_config config;
int peer = -1;
char saved_bytes[1 << 18];
size_t saved_size;

static void render_frame(spin_call *call, spin_bytes data) {
    char text[64];
    if (data.size > 16) {
        host_note(call, text, (size_t)snprintf(text, sizeof text, "%zu bytes\n", data.size));
        return;
    }
    for (size_t i = 0; i < data.size; i++)
        host_note(call, text, (size_t)snprintf(text, sizeof text, "%02X", data.data[i]));
    host_note(call, "\n", 1);
}

static int64_t next_number, number_count;

void count_lines(int64_t count) {
    next_number = 0;
    number_count = count;
}

static void count_line(spin_call *call, spin_string line) {
    char text[32];
    int size = snprintf(text, sizeof text, "%lld", (long long)next_number++);
    check("it is the next line", (size_t)size == line.size && memcmp(text, line.data, line.size) == 0);
    if (next_number == number_count) {
        number_count = 0;
        host_note(call, "all\n", 4);
    }
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[256];
    int size = 0;
    if (strcmp(emitter->name, "frame") == 0) {
        render_frame(call, *(const spin_bytes *)payload);
        return;
    }
    if (number_count > 0) {
        count_line(call, *(const spin_string *)payload);
        return;
    }
    if (strcmp(emitter->name, "damaged") == 0) {
        const struct {
            int64_t bytes;
            spin_string reason;
        } *damaged = payload;
        size = snprintf(text, sizeof text, "damaged %lld: %.*s\n", (long long)damaged->bytes,
                        (int)damaged->reason.size, damaged->reason.data);
    } else if (strcmp(emitter->name, "signals") == 0) {
        const bool *is_set = payload;
        size = snprintf(text, sizeof text, "%d%d%d%d\n", is_set[0], is_set[1], is_set[2], is_set[3]);
    } else { // One text: `line`, `opened` or `closed`.
        const spin_string *only = payload;
        const char *name = strcmp(emitter->name, "line") == 0 ? "" : emitter->name;
        size = snprintf(text, sizeof text, only->size > 200 ? "a long line\n" : "%s%s%.*s\n", name,
                        *name ? " " : "", (int)only->size, only->data);
    }
    host_note(call, text, (size_t)size);
}

static const void *described(int kind, const char *name) {
    for (const spin_description *const *next = spin_entry.descriptions; next < spin_entry.descriptions_end;
         next++)
        if ((*next)->kind == kind && (!name || strcmp(((const spin_effect *)*next)->name, name) == 0))
            return *next;
    abort();
}

static const struct spin_plugin_instance *instance(void) { return described(SPIN_KIND_INSTANCE, NULL); }
static const struct spin_plugin_life *life(void) { return described(SPIN_KIND_LIFE, NULL); }
static const struct spin_plugin_swap *swap(void) { return described(SPIN_KIND_SWAP, NULL); }

void plug(void) {
    peer = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    check("a pseudo-terminal is made", peer >= 0 && grantpt(peer) == 0 && unlockpt(peer) == 0);
    char name[64];
    check("it has a name", ptsname_r(peer, name, sizeof name) == 0);
    unlink("port");
    check("it is the port", symlink(name, "port") == 0);
}

void unplug(void) {
    unlink("port");
    close(peer);
    peer = -1;
}

int open_device(void) {
    int device = open("port", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    check("the device opens", device >= 0);
    return device;
}

const char *reason_of_create(void) {
    spin_call *call = host_call("create");
    check("no instance is made", instance()->create(call, &config) == NULL);
    return host_ended(call);
}

spin_self *create(void) {
    spin_self *self = instance()->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    return self;
}

/* The calls of instances that have started; one starts at a time, and seldom a second one. */
static struct {
    spin_self *self;
    spin_call *call;
} lives[8];

static spin_call **life_of(const spin_self *self) {
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        if (lives[i].self == self)
            return &lives[i].call;
    abort();
}

void start(spin_self *self) {
    size_t place = 0;
    while (lives[place].self)
        place++;
    lives[place].self = self;
    lives[place].call = host_call("life");
    polls_set_instance_call(lives[place].call);
    check("it starts", life()->start(host_call("start"), self) == SPIN_OK);
}

const char *reason_of_start(spin_self *self) {
    spin_call *call = host_call("start"), *life_call = host_call("life");
    polls_set_instance_call(life_call);
    check("it does not start", life()->start(call, self) != SPIN_OK);
    host_cancel(life_call);
    return host_ended(call);
}

void stop(spin_self *self) {
    host_cancel(*life_of(self));
    life()->stop(self);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        if (lives[i].self == self)
            lives[i].self = NULL;
}

void destroy(spin_self *self) { instance()->destroy(self); }

spin_self *make(void) {
    spin_self *self = create();
    start(self);
    return self;
}

static spin_status write_saved(spin_saving *saving, const void *data, size_t size) {
    (void)saving;
    check("there is room", saved_size + size <= sizeof saved_bytes);
    memcpy(saved_bytes + saved_size, data, size);
    saved_size += size;
    return SPIN_OK;
}

spin_status restore(spin_self *self, const void *data, size_t size) {
    const spin_saved saved = {
        .size = sizeof saved, .schema = 2, .version = "1", .data = (const uint8_t *)data, .data_size = size};
    return swap()->restore(host_call("restore"), self, &saved);
}

spin_self *take_over(spin_self *self) {
    spin_saving saving = {sizeof saving, 0, write_saved};
    saved_size = 0;
    check("it saves", swap()->save(host_call("save"), self, &saving) == SPIN_OK);
    spin_self *next = create();
    check("another one restores", restore(next, saved_bytes, saved_size) == SPIN_OK);
    return next;
}

static void (*effect(const char *name))(void) {
    return ((const spin_effect *)described(SPIN_KIND_EFFECT, name))->function;
}

static spin_call *call_plain(spin_self *self, const char *name, int room) {
    spin_call *call = host_call("run");
    host_set_room(call, room);
    ((void (*)(spin_call *, spin_self *))effect(name))(call, self);
    return call;
}

spin_call *call_open(spin_self *self) { return call_plain(self, "open", -1); }
spin_call *call_lines(spin_self *self, int room) { return call_plain(self, "lines", room); }
spin_call *call_signals(spin_self *self) { return call_plain(self, "signals", -1); }

spin_call *call_frames(spin_self *self, const char *framing) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string))effect("frames"))(
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
    ((void (*)(spin_call *, spin_self *, spin_bytes))effect("write"))(call, self, (spin_bytes){data, size});
    return call;
}

spin_call *call_set(spin_self *self, int dtr, int rts) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, bool, bool))effect("set_signals"))(call, self, dtr, rts);
    return call;
}

spin_call *call_break(spin_self *self, spin_duration time) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_duration))effect("send_break"))(call, self, time);
    return call;
}

void await_begin(spin_self *self) {
    expect("one call reads", host_ended(call_lines(self, -1)), "-1 another call reads from the port already");
}

void say(const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = write(peer, (const char *)data + done, size - done);
        check("the other side sends", count > 0 || errno == EINTR);
        done += count > 0 ? (size_t)count : 0;
    }
}

void hear(const void *expected, size_t size) {
    for (size_t done = 0; done < size;) {
        char bytes[4096];
        size_t wanted = size - done < sizeof bytes ? size - done : sizeof bytes;
        // The driver of the test counts what `read` returns.
        ssize_t count = readv(peer, &(struct iovec){bytes, wanted}, 1);
        check("the other side hears", count > 0);
        check("it hears what was written", memcmp(bytes, (const char *)expected + done, (size_t)count) == 0);
        done += (size_t)count;
    }
}

int main(void) {
    char folder[] = "/tmp/serial-test-XXXXXX";
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0);
    *spin_entry.host = &test_host;
    polls_begin();
    test_modes();
    test_reading();
    test_writing();
    test_lines_of_modems();
    polls_close();
    unlink("port");
    rmdir(folder);
    return 0;
}
