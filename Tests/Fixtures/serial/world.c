#include "world.h"
#include "../plugin-host/plugin.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

const int plugin_waits = 0;

struct spin_config config;
int peer = -1;

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

void reset_config(void) {
    config = (struct spin_config){.device = TEXT("port"),
                                  .baud = 9600,
                                  .format = TEXT("8N1"),
                                  .flow = TEXT("none"),
                                  .reopen = 1000000000,
                                  .signals_interval = 20000000,
                                  .longest = 65536,
                                  .most_unsent = 65536};
}

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

struct termios2 settings_of(int device) {
    struct termios2 settings;
    check("it has settings", ioctl(device, TCGETS2, &settings) == 0);
    return settings;
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

size_t hear_until(const char *text) {
    size_t count = 0, matched = 0, size = strlen(text);
    while (matched < size) {
        char bytes[4096];
        ssize_t heard = readv(peer, &(struct iovec){bytes, sizeof bytes}, 1);
        check("the other side hears", heard > 0);
        for (ssize_t i = 0; i < heard; i++) {
            int is_next = matched < size && bytes[i] == text[matched];
            check("it hears the first call and the text alone", is_next || (bytes[i] == 'a' && matched == 0));
            matched += is_next;
            count += !is_next;
        }
    }
    return count;
}

int main(void) {
    char folder[] = "/tmp/serial-test-XXXXXX";
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0);
    plugin_load(&test_host);
    polls_begin();
    test_modes();
    test_swaps();
    test_pauses();
    test_reading();
    test_writing();
    test_lines_of_modems();
    polls_close();
    unlink("port");
    rmdir(folder);
    return 0;
}
