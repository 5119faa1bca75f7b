// A device that sends lines by itself: a serial port, a pseudo-terminal, a named pipe. The instance listens from
// `start` to `stop`, without a thread of its own.
#include <errno.h>
#include <fcntl.h>
#include <spinhost/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

SPIN_PLUGIN("line", "1.0.0");
SPIN_CONFIG((spin_string, device, SPIN_REQUIRED, "The device's path."));
SPIN_EMITTER(line, (spin_string, text));

struct spin_self {
    const char *path;
    int descriptor;
    spin_call *call; // lasts as long as the instance is started
    spin_poll poll;
    char text[4096]; // received, and not emitted yet
    size_t size;
};

static spin_self *create(spin_call *call, const spin_config *config) {
    spin_self *self = calloc(1, sizeof *self);
    if (!self) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    self->path = config->device.data;
    self->descriptor = -1;
    return self;
}

static void destroy(spin_self *self) { free(self); }
SPIN_INSTANCE(create, destroy);

// Emits the whole lines. Without room in the loop's mailbox it keeps the rest; 0 then, or when the call is over.
static int emit_lines(spin_self *self) {
    for (;;) {
        char *end = memchr(self->text, '\n', self->size);
        // A line that is longer than the memory is emitted in parts.
        size_t length = end ? (size_t)(end - self->text) : self->size;
        if (!end && self->size < sizeof self->text)
            return 1;
        size_t shown = length && self->text[length - 1] == '\r' ? length - 1 : length;
        spin_status status = line(self->call, (spin_string){self->text, shown});
        // A line that is not UTF-8 is reported by the host, and left out.
        if (status != SPIN_OK && status != SPIN_BAD_VALUE)
            return 0;
        size_t taken = end ? length + 1 : length;
        memmove(self->text, self->text + taken, self->size -= taken);
    }
}

static void resume(void *context) {
    spin_self *self = context;
    if (emit_lines(self))
        spin_poll_change(self->poll, SPIN_POLL_READ);
    else
        spin_on_room(self->call, resume, self);
}

static void ready(void *context, uint64_t events) {
    spin_self *self = context;
    (void)events;
    ssize_t size = read(self->descriptor, self->text + self->size, sizeof self->text - self->size);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        char reason[256];
        snprintf(reason, sizeof reason, "%s is gone%s%s", self->path, size ? ": " : "",
                 size ? strerror(errno) : "");
        spin_fail(self->call, SPIN_FAILED, reason);
        return;
    }
    self->size += (size_t)size;
    if (emit_lines(self))
        return;
    // The device waits, too, as nothing is read meanwhile.
    spin_poll_change(self->poll, 0);
    spin_on_room(self->call, resume, self);
}

// The poll has ended, and `ready` is not running.
static void ended(void *context) { close(((spin_self *)context)->descriptor); }

static spin_status start(spin_call *call, spin_self *self) {
    self->call = spin_instance_call(call);
    self->size = 0;
    self->descriptor = open(self->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (self->descriptor < 0)
        return spin_fail(call, SPIN_FAILED, strerror(errno));
    struct termios mode;
    if (tcgetattr(self->descriptor, &mode) == 0) {
        cfmakeraw(&mode);
        tcsetattr(self->descriptor, TCSANOW, &mode);
    }
    if (spin_poll_start(self->call, self->descriptor, SPIN_POLL_READ, ready, self, ended, &self->poll) ==
        SPIN_OK)
        return SPIN_OK;
    close(self->descriptor);
    return spin_fail(call, SPIN_FAILED, "the host cannot watch the device");
}

// The host has cancelled the call, and with it the poll.
static void stop(spin_self *self) { (void)self; }
SPIN_LIFE(start, stop);

static int32_t say(spin_self *self, const char *text) { return dprintf(self->descriptor, "%s\n", text); }
SPIN_EFFECT_CHECKED(int32_t, say, (spin_self * self, const char *text), "Sends `text` and a line end.", "result < 0");
