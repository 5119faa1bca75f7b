// `follow` emits the lines that are appended to a file and to the files that replace it.
#include "line_emission.h"
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A file that the path names, or has named.
struct source {
    int descriptor; // -1 when there is no file
    int watch;
    struct stat status;
    off_t position;
    struct line_emission lines;
};

struct follow {
    struct worker worker;
    struct watch watch;
    // The previous file stays open until the next change, because its writer may still append lines.
    struct source before, current;
    int from_end;
    char path[];
};

// Emits the lines that were appended since the last call. 0 when the work is over.
static int drain(struct follow *follow, struct source *source) {
    struct worker *worker = &follow->worker;
    while (source->descriptor >= 0 && worker_wait(worker, source->descriptor, POLLIN)) {
        struct stat status;
        if (fstat(source->descriptor, &status) == 0 && status.st_size < source->position) {
            // The file was truncated, so it is read from its start.
            source->position = lseek(source->descriptor, 0, SEEK_SET);
            line_reader_clear(&source->lines.reader);
        }
        ssize_t count = line_reader_fill(&source->lines.reader, source->descriptor);
        if (count == 0)
            return 1;
        if (count > 0) {
            source->position += count;
            if (!emit_whole_lines(worker, &source->lines))
                return 0;
        } else if (errno != EINTR) {
            worker_fail(worker, errno, "cannot read %s", follow->path);
            return 0;
        }
    }
    return source->descriptor < 0;
}

// Emits the rest of a file and closes it. A last line without a line end counts. 0 when the work is over.
static int close_source(struct follow *follow, struct source *source) {
    if (source->descriptor < 0)
        return 1;
    int continues = drain(follow, source) && emit_last_line(&follow->worker, &source->lines);
    watch_forget(&follow->watch, source->watch);
    close(source->descriptor);
    source->descriptor = -1;
    line_reader_free(&source->lines.reader);
    return continues;
}

static int is_current(const struct follow *follow, const struct stat *status) {
    return follow->current.descriptor >= 0 && follow->current.status.st_dev == status->st_dev &&
           follow->current.status.st_ino == status->st_ino;
}

// Opens the file that the path names now, unless it is open already. 0 when the work is over.
static int open_current(struct follow *follow, int is_first) {
    struct worker *worker = &follow->worker;
    struct stat status;
    if (stat(follow->path, &status) == 0 && is_current(follow, &status))
        return 1;
    int descriptor = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        // A program may create its log first and make it readable later.
        if (errno == ENOENT || (errno == EACCES && !is_first))
            return 1;
        worker_fail(worker, errno, "cannot open %s", follow->path);
        return 0;
    }
    int watch = watch_file(&follow->watch, follow->path, descriptor);
    if (watch < 0 || fstat(descriptor, &status) != 0)
        worker_fail(worker, errno, "cannot follow %s", follow->path);
    else if (!S_ISREG(status.st_mode))
        worker_fail(worker, 0, "cannot follow %s: it is no regular file; `lines` reads others", follow->path);
    else if (close_source(follow, &follow->before)) {
        follow->before = follow->current;
        follow->current = (struct source){.descriptor = descriptor, .watch = watch, .status = status};
        follow->current.lines.emit = emit_line;
        follow->current.lines.name = follow->path;
        if (is_first && follow->from_end)
            follow->current.position = lseek(descriptor, 0, SEEK_END);
        return 1;
    }
    close(descriptor);
    return 0;
}

static void run(struct worker *worker) {
    struct follow *follow = (struct follow *)worker;
    int error = watch_open(&follow->watch, follow->path);
    if (error) {
        worker_fail(worker, error, "cannot watch the folder of %s", follow->path);
        return;
    }
    int continues = open_current(follow, 1);
    while (continues && drain(follow, &follow->before) && drain(follow, &follow->current) &&
           worker_wait(worker, follow->watch.descriptor, POLLIN)) {
        if (!watch_take(&follow->watch)) {
            worker_fail(worker, 0, "the folder of %s has gone", follow->path);
            break;
        }
        continues = drain(follow, &follow->current) && open_current(follow, 0);
    }
    for (int i = 0; i < 2; i++) {
        struct source *source = i ? &follow->current : &follow->before;
        if (source->descriptor >= 0)
            close(source->descriptor);
        line_reader_free(&source->lines.reader);
    }
    watch_close(&follow->watch);
}

static void release(struct worker *worker) { free(worker); }

static void follow(spin_call *call, const char *path, const char *from) {
    int from_end = strcmp(from, "end") == 0;
    if (!from_end && strcmp(from, "start") != 0) {
        spin_fail(call, SPIN_BAD_VALUE, "a file is followed from `start` or from `end`");
        return;
    }
    size_t size = strlen(path) + 1;
    struct follow *follow = calloc(1, sizeof *follow + size);
    if (follow) {
        follow->worker = (struct worker){.run = run, .release = release, .name = "std-follow"};
        follow->before.descriptor = follow->current.descriptor = -1;
        follow->from_end = from_end;
        memcpy(follow->path, path, size);
    }
    worker_start(call, (struct worker *)follow);
}
SPIN_EFFECT(void, follow, (spin_call *call, const char *path, const char *from),
            "Emits `line` for each line that is appended to a file, also to one that takes its place or is yet to "
            "come, until it is cancelled; what the file has already is read too if `from` is `start`, not if `end`.");
