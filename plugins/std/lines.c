// `lines`: a file or the standard input, to its end.
#include "line_emission.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_EMITTER(line, (spin_string, text));
SPIN_EMITTER(ended, (int64_t, lines));

spin_status emit_line(spin_call *call, spin_string text) { return spin_wait_line(call, text, SPIN_FOREVER); }

struct lines {
    struct worker worker;
    struct line_emission lines;
    int is_standard_input;
    char path[];
};

// Two calls may read the standard input. When poll has shown bytes to one call, the other must not take them:
// the first would then block in read(2), where nothing wakes it.
static ssize_t read_standard_input(struct line_reader *reader) {
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    pthread_mutex_lock(&turn);
    ssize_t count = -1;
    if (poll(&ready, 1, 0) == 0)
        errno = EAGAIN;
    else
        count = line_reader_fill(reader, STDIN_FILENO);
    int error = errno;
    pthread_mutex_unlock(&turn);
    errno = error;
    return count;
}

static void read_lines(struct lines *lines, int descriptor) {
    struct worker *worker = &lines->worker;
    struct line_reader *reader = &lines->lines.reader;
    while (worker_wait(worker, descriptor, POLLIN)) {
        ssize_t count =
            lines->is_standard_input ? read_standard_input(reader) : line_reader_fill(reader, descriptor);
        if (count > 0) {
            if (!emit_whole_lines(worker, &lines->lines))
                return;
        } else if (count == 0) {
            if (emit_last_line(worker, &lines->lines))
                worker_goes_on(worker, spin_wait_ended(worker->call, reader->count, SPIN_FOREVER));
            return;
        } else if (errno != EINTR && errno != EAGAIN) {
            worker_fail(worker, errno, "cannot read %s", lines->lines.name);
            return;
        }
    }
}

static void run(struct worker *worker) {
    struct lines *lines = (struct lines *)worker;
    if (lines->is_standard_input) {
        read_lines(lines, STDIN_FILENO);
        return;
    }
    // Not blocking: to open a named pipe would otherwise wait for its writer.
    int descriptor = open(lines->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        worker_fail(worker, errno, "cannot open %s", lines->path);
        return;
    }
    read_lines(lines, descriptor);
    close(descriptor);
}

static void release(struct worker *worker) {
    struct lines *lines = (struct lines *)worker;
    line_reader_free(&lines->lines.reader);
    free(lines);
}

static void lines(spin_call *call, const char *path) {
    size_t size = strlen(path) + 1;
    struct lines *lines = calloc(1, sizeof *lines + size);
    if (lines) {
        lines->worker = (struct worker){.run = run, .release = release, .name = "std-lines"};
        lines->is_standard_input = strcmp(path, "-") == 0;
        lines->lines.emit = emit_line;
        lines->lines.name = lines->is_standard_input ? "the standard input" : lines->path;
        memcpy(lines->path, path, size);
    }
    worker_start(call, (struct worker *)lines);
}
SPIN_EFFECT(void, lines, (spin_call *call, const char *path),
            "Reads a file, or with `-` the standard input, to its end: emits `line` for each line, then `ended` "
            "with their number. Waits while the loop has no room.");
