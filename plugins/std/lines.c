// `lines`: a file or the standard input, to its end.
#include "line_emission.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_EMITTER(line, (spin_string, text));
SPIN_EMITTER(ended, (int64_t, lines));

spin_status emit_line(spin_call *call, spin_string text) { return spin_wait_line(call, text, 0); }

struct lines {
    struct task task;
    struct source source;
    struct line_emission lines;
    int descriptor; // -1 until it is open
    int is_standard_input;
    // Whether it is read when it is ready. A file is read on threads that may block.
    int is_watched;
    char path[];
};

// Opens the path; 0 when the step must return.
static int begin(struct lines *lines) {
    // Not blocking: to open a named pipe would otherwise wait for its writer. The standard input is copied,
    // because several calls may read it, but a descriptor has one poll.
    lines->descriptor = lines->is_standard_input
                            ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : open(lines->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (lines->descriptor < 0) {
        task_fail(&lines->task, errno, "cannot %s %s", lines->is_standard_input ? "read" : "open",
                  lines->lines.name);
        return 0;
    }
    lines->is_watched = can_be_watched(lines->descriptor);
    return !lines->is_watched || task_watch(&lines->task, &lines->source, lines->descriptor, SPIN_POLL_READ);
}

// Reads once; 0 when the step must return.
static int read_piece(struct lines *lines) {
    if (!lines->is_standard_input)
        return read_lines(&lines->task, &lines->lines, lines->descriptor) >= 0;
    // Two calls may read the standard input, which may block. When both have seen bytes and one of them takes
    // these, the other must not wait for more.
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    struct pollfd ready = {.fd = lines->descriptor, .events = POLLIN};
    pthread_mutex_lock(&turn);
    int continues =
        poll(&ready, 1, 0) == 0 || read_lines(&lines->task, &lines->lines, lines->descriptor) >= 0;
    pthread_mutex_unlock(&turn);
    return continues;
}

static void step(struct task *task, struct source *ready) {
    struct lines *lines = (struct lines *)task;
    if (lines->descriptor < 0 && !begin(lines))
        return;
    int pieces = !lines->is_watched ? pieces_at_once : ready ? 1 : 0;
    while (emit_lines(task, &lines->lines)) {
        if (lines->lines.is_at_end) {
            if (task_continues(task, spin_wait_ended(task->call, lines->lines.reader.count, 0)))
                spin_finish(task->call);
            return;
        }
        if (pieces-- == 0) {
            if (!lines->is_watched)
                task_submit(task);
            return;
        }
        if (!read_piece(lines))
            return;
    }
}

static void release(struct task *task) {
    struct lines *lines = (struct lines *)task;
    if (lines->descriptor >= 0)
        close(lines->descriptor);
    line_reader_free(&lines->lines.reader);
    task_free(task);
}

static void lines(spin_call *call, const char *path) {
    size_t size = strlen(path) + 1;
    struct lines *lines = task_make(call, sizeof *lines + size, step, release);
    if (!lines)
        return;
    lines->descriptor = -1;
    lines->is_standard_input = strcmp(path, "-") == 0;
    lines->lines.emit = emit_line;
    lines->lines.name = lines->is_standard_input ? "the standard input" : lines->path;
    memcpy(lines->path, path, size);
    task_start(&lines->task);
}
SPIN_EFFECT(void, lines, (spin_call *call, const char *path),
            "Reads a file, or with `-` the standard input, to its end: emits `line` for each line, then `ended` "
            "with their number. Waits while the loop has no room.");
