// `follow` emits the lines that are appended to a file and to the files that replace it.
#include "line_emission.h"
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A file that the path names, or has named.
struct file {
    int descriptor; // -1 when there is no file
    int watch;
    struct stat status;
    off_t position;
    struct line_emission lines;
};

struct follow {
    struct task task;
    struct source source;
    struct watch watch;
    // The previous file stays open until the next change, because its writer may still append lines. The next
    // file waits until all lines of the previous one are emitted.
    struct file previous, current, next;
    int has_begun, from_end;
    char path[];
};

// Emits the lines that were appended since the last call. 0 when the step must return.
static int drain(struct follow *follow, struct file *file) {
    struct task *task = &follow->task;
    for (int pieces = pieces_at_once; file->descriptor >= 0; pieces--) {
        if (!emit_lines(task, &file->lines))
            return 0;
        if (pieces == 0) {
            task_submit(task);
            return 0;
        }
        struct stat status;
        if (fstat(file->descriptor, &status) == 0 && status.st_size < file->position) {
            // The file was truncated, so it is read from its start.
            file->position = lseek(file->descriptor, 0, SEEK_SET);
            line_reader_clear(&file->lines.reader);
        }
        ssize_t count = read_lines(task, &file->lines, file->descriptor);
        if (count < 0)
            return 0;
        if (file->lines.is_at_end) {
            // More may come.
            file->lines.is_at_end = 0;
            return 1;
        }
        file->position += count;
    }
    return 1;
}

static void close_file(struct file *file) {
    if (file->descriptor >= 0)
        close(file->descriptor);
    line_reader_free(&file->lines.reader);
    file->descriptor = -1;
}

// Emits the rest of the previous file and closes it. 0 when the step must return.
static int close_previous(struct follow *follow) {
    struct file *file = &follow->previous;
    if (file->descriptor < 0)
        return 1;
    if (!drain(follow, file))
        return 0;
    file->lines.is_at_end = 1;
    if (!emit_lines(&follow->task, &file->lines))
        return 0;
    watch_forget(&follow->watch, file->watch);
    close_file(file);
    return 1;
}

// Opens the file that the path names now as the next file, unless it is open. 0 when the step must return.
static int open_next(struct follow *follow, int is_first) {
    struct task *task = &follow->task;
    struct stat status, *current = &follow->current.status;
    if (follow->current.descriptor >= 0 && stat(follow->path, &status) == 0 &&
        status.st_dev == current->st_dev && status.st_ino == current->st_ino)
        return 1;
    int descriptor = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        // A program may create its log first and make it readable later.
        if (errno == ENOENT || (errno == EACCES && !is_first))
            return 1;
        task_fail(task, errno, "cannot open %s", follow->path);
        return 0;
    }
    int watch = watch_file(&follow->watch, follow->path, descriptor);
    if (watch < 0 || fstat(descriptor, &status) != 0) {
        task_fail(task, errno, "cannot follow %s", follow->path);
    } else if (!S_ISREG(status.st_mode)) {
        task_fail(task, 0, "cannot follow %s: it is not a regular file; `lines` reads others", follow->path);
    } else {
        follow->next = (struct file){.descriptor = descriptor, .watch = watch, .status = status};
        follow->next.lines.emit = emit_line;
        follow->next.lines.name = follow->path;
        if (is_first && follow->from_end)
            follow->next.position = lseek(descriptor, 0, SEEK_END);
        return 1;
    }
    close(descriptor);
    return 0;
}

static int begin(struct follow *follow) {
    follow->has_begun = 1;
    int error = watch_open(&follow->watch, follow->task.call, follow->path);
    if (error) {
        task_fail(&follow->task, error, "cannot watch the folder of %s", follow->path);
        return 0;
    }
    return open_next(follow, 1) &&
           task_watch(&follow->task, &follow->source, follow->watch.descriptor, SPIN_POLL_READ);
}

// Files are read on threads that may block. When a change is ready, such a thread does the rest.
static void step(struct task *task, struct source *ready) {
    struct follow *follow = (struct follow *)task;
    if (ready) {
        if (watch_take(&follow->watch))
            task_submit(task);
        else
            task_fail(task, 0, "the folder of %s has gone", follow->path);
        return;
    }
    if (!follow->has_begun && !begin(follow))
        return;
    // A step that returned early is repeated from here.
    if (!drain(follow, &follow->current) || (follow->next.descriptor < 0 && !open_next(follow, 0)))
        return;
    if (follow->next.descriptor >= 0) {
        if (!close_previous(follow))
            return;
        follow->previous = follow->current;
        follow->current = follow->next;
        follow->next = (struct file){.descriptor = -1};
    }
    if (drain(follow, &follow->previous))
        drain(follow, &follow->current);
}

static void release(struct task *task) {
    struct follow *follow = (struct follow *)task;
    close_file(&follow->previous);
    close_file(&follow->current);
    close_file(&follow->next);
    if (follow->watch.descriptor >= 0)
        watch_close(&follow->watch);
    task_free(task);
}

static void follow(spin_call *call, const char *path, const char *from) {
    int from_end = strcmp(from, "end") == 0;
    if (!from_end && strcmp(from, "start") != 0) {
        spin_fail(call, SPIN_BAD_VALUE, "a file is followed from `start` or from `end`");
        return;
    }
    size_t size = strlen(path) + 1;
    struct follow *follow = task_make(call, sizeof *follow + size, step, release);
    if (!follow)
        return;
    follow->watch.descriptor = -1;
    follow->previous.descriptor = follow->current.descriptor = follow->next.descriptor = -1;
    follow->from_end = from_end;
    memcpy(follow->path, path, size);
    task_start(&follow->task);
}
SPIN_EFFECT(void, follow, (spin_call *call, const char *path, const char *from),
            "Emits `line` for each line that is appended to a file, also to one that takes its place or is yet to "
            "come, until it is cancelled; what the file has already is read too if `from` is `start`, not if `end`.");
