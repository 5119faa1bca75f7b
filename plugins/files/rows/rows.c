// Reads a file of comma-separated values row by row, as the loop has room for them.
#include "../instance.h"
#include "../../std/pieces.h"
#include "../../std/task.h"
#include "columns.h"
#include "row.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_EMITTER(row, (int64_t, line), (spin_list_string, fields));
SPIN_EMITTER(damaged, (int64_t, line), (spin_string, reason));
SPIN_EMITTER(ended, (int64_t, rows));

/* How much it reads at once, and how many pieces until other functions of the host's threads have their turn. */
enum { piece = 1 << 16, pieces_at_once = 16 };

struct rows {
    struct task task;
    spin_self *self;
    struct progress *progress;
    int file; /* -1 before the begin */
    struct stat status;
    int is_at_end, is_over;
    int skips; /* whether what comes up to the next line end belongs to a damaged row */
    struct pieces bytes;
    struct row row;
    struct row_place place; /* behind all that was read as rows, and behind `bytes.start` */
    struct columns columns;
    char path[];
};

static int fail(struct rows *rows, const struct problem *problem) {
    char *text;
    int size = asprintf(&text, "cannot read `%s`: %s", rows->path, problem->reason);
    spin_fail(rows->task.call, -problem->error, size < 0 ? problem->reason : text);
    if (size >= 0)
        free(text);
    return 0;
}

static int fail_with(struct rows *rows, int error, const char *reason) {
    struct problem problem;
    problem_set(&problem, error, reason);
    return fail(rows, &problem);
}

// Reads one piece more; 0 when the step must return.
static int fill(struct rows *rows) {
    char *target = pieces_reserve(&rows->bytes, piece);
    if (!target)
        return fail_with(rows, ENOMEM, NULL);
    ssize_t count = read(rows->file, target, piece);
    if (count < 0 && errno != EINTR)
        return fail_with(rows, errno, NULL);
    if (count > 0)
        pieces_extend(&rows->bytes, (size_t)count);
    rows->is_at_end = count == 0;
    return 1;
}

// Leaves the bytes of the row behind.
static void leave(struct rows *rows) {
    const char *first = rows->bytes.data + rows->bytes.start;
    rows->place.hash = row_hash(0, first, rows->row.size);
    rows->place.last_size = rows->row.size;
    rows->place.offset += rows->row.size;
    rows->place.lines += (uint64_t)rows->row.lines;
    rows->bytes.start += rows->row.size;
}

/* What a loop gets. */
enum emission { EMIT_ROW, EMIT_DAMAGED, EMIT_ENDED };

static spin_status emit(const struct rows *rows, enum emission emission) {
    spin_call *call = rows->task.call;
    int64_t line = (int64_t)rows->place.lines + 1;
    if (emission == EMIT_ENDED)
        return spin_wait_ended(call, (int64_t)rows->place.rows, 0);
    if (emission == EMIT_DAMAGED)
        return spin_wait_damaged(call, line, (spin_string){rows->row.damage, strlen(rows->row.damage)}, 0);
    return spin_wait_row(call, line, columns_of(&rows->columns, &rows->row), 0);
}

// Emits what stands for the row, and leaves its bytes behind. An earlier call of the run may do the same meanwhile, and
// only one of them may. 0 when the step must return.
static int give(struct rows *rows, enum emission emission) {
    struct progress *progress = rows->progress;
    pthread_mutex_lock(&progress->turn);
    spin_status status = emit(rows, emission);
    if (status == SPIN_OK || status == SPIN_BAD_VALUE) {
        rows->place.rows += emission == EMIT_ROW;
        rows->place.has_ended = emission == EMIT_ENDED;
        if (emission != EMIT_ENDED)
            leave(rows);
        progress->place = rows->place;
    }
    pthread_mutex_unlock(&progress->turn);
    return task_continues(&rows->task, status);
}

static enum row_found read_row(struct rows *rows) {
    const char *first = rows->bytes.data ? rows->bytes.data + rows->bytes.start : "";
    return row_read(&rows->row, first, pieces_size(&rows->bytes), rows->is_at_end);
}

// Looks for the end of a row that is longer than any may be.
static enum row_found skip(struct rows *rows) {
    size_t size = pieces_size(&rows->bytes);
    const char *first = rows->bytes.data + rows->bytes.start, *end = memchr(first, '\n', size);
    rows->row.size = end ? (size_t)(end + 1 - first) : 0;
    rows->row.lines = end != NULL;
    if (end)
        return ROW_DAMAGED;
    rows->bytes.start += size;
    rows->place.offset += size;
    return rows->is_at_end ? ROW_DAMAGED : ROW_MORE;
}

static enum row_found next_row(struct rows *rows) {
    if (rows->skips)
        return skip(rows);
    enum row_found found = read_row(rows);
    if (found == ROW_FOUND && !columns_fit(&rows->columns, &rows->row)) {
        rows->row.damage = "it has not as many fields as the header";
        return ROW_DAMAGED;
    }
    rows->skips = found == ROW_DAMAGED && rows->row.lines == 0 && rows->row.size == longest_row;
    return rows->skips ? skip(rows) : found;
}

// Reads the header, so that the place is behind it; 0 when the step must return.
static int read_header(struct rows *rows) {
    enum row_found found;
    while ((found = read_row(rows)) == ROW_EMPTY || (found == ROW_MORE && !rows->is_at_end)) {
        if (found == ROW_EMPTY)
            leave(rows);
        else if (!fill(rows))
            return 0;
    }
    if (found == ROW_NO_MEMORY)
        return fail_with(rows, ENOMEM, NULL);
    if (found != ROW_FOUND)
        return fail_with(rows, EINVAL, found == ROW_MORE ? "it has no header" : rows->row.damage);
    const spin_string *missing = columns_find(&rows->columns, &rows->row);
    leave(rows);
    if (!missing)
        return 1;
    char reason[512];
    snprintf(reason, sizeof reason, "its header has no column `%.*s`", (int)missing->size, missing->data);
    return fail_with(rows, EINVAL, reason);
}

// Continues where an earlier call of the run has come to; 0 when the step must return.
static int resume(struct rows *rows, const struct row_place *place) {
    if (!row_place_is_in(place, rows->file, &rows->status)) {
        // Another attempt begins at the start.
        pthread_mutex_lock(&rows->progress->turn);
        rows->progress->place = (struct row_place){0};
        pthread_mutex_unlock(&rows->progress->turn);
        return fail_with(rows, ESTALE, "it has changed since its first rows were read");
    }
    if (lseek(rows->file, (off_t)place->offset, SEEK_SET) < 0)
        return fail_with(rows, errno, NULL);
    pieces_clear(&rows->bytes);
    rows->is_at_end = 0;
    rows->place = *place;
    row_place_begin(&rows->place, &rows->status);
    return 1;
}

// Opens the file; 0 when the step must return.
static int begin(struct rows *rows) {
    static const char mark[] = "\xef\xbb\xbf";
    struct problem problem;
    struct row_place place = progress_place(rows->progress);
    if (place.has_ended) {
        rows->is_over = spin_finish(rows->task.call) == SPIN_OK;
        return 0;
    }
    rows->file = place_open_file(&rows->self->place, rows->path, O_RDONLY, &rows->status, &problem);
    if (rows->file < 0)
        return fail(rows, &problem);
    row_place_begin(&rows->place, &rows->status);
    while (pieces_size(&rows->bytes) < sizeof mark - 1 && !rows->is_at_end)
        if (!fill(rows))
            return 0;
    if (pieces_size(&rows->bytes) >= sizeof mark - 1 &&
        memcmp(rows->bytes.data, mark, sizeof mark - 1) == 0) {
        rows->bytes.start += sizeof mark - 1;
        rows->place.offset += sizeof mark - 1;
    }
    return (rows->columns.count == 0 || read_header(rows)) && (place.offset == 0 || resume(rows, &place));
}

static void step(struct task *task, struct source *ready) {
    struct rows *rows = (struct rows *)task;
    (void)ready;
    if (rows->file < 0 && !begin(rows))
        return;
    for (int pieces = pieces_at_once;;) {
        enum row_found found = next_row(rows);
        switch (found) {
        case ROW_NO_MEMORY:
            fail_with(rows, ENOMEM, NULL);
            return;
        case ROW_EMPTY:
            leave(rows);
            break;
        case ROW_FOUND:
        case ROW_DAMAGED:
            if (!give(rows, found == ROW_FOUND ? EMIT_ROW : EMIT_DAMAGED))
                return;
            rows->skips = 0;
            break;
        case ROW_MORE:
            if (rows->is_at_end) {
                if (give(rows, EMIT_ENDED))
                    rows->is_over = spin_finish(task->call) == SPIN_OK;
                return;
            }
            if (pieces-- == 0) {
                task_submit(task);
                return;
            }
            if (!fill(rows))
                return;
            break;
        }
    }
}

static void release(struct task *task) {
    struct rows *rows = (struct rows *)task;
    if (rows->file >= 0)
        close(rows->file);
    if (rows->progress)
        progress_drop(&rows->self->progresses, rows->progress, rows->is_over);
    pieces_free(&rows->bytes);
    row_free(&rows->row);
    columns_free(&rows->columns);
    task_free(task);
}

static void rows(spin_call *call, spin_self *self, const char *path, spin_list_string columns) {
    char key[SPIN_RUN_KEY_SIZE];
    size_t size = strlen(path) + 1;
    struct rows *rows = task_make(call, sizeof *rows + size, step, release);
    if (!rows)
        return;
    rows->self = self;
    rows->file = -1;
    memcpy(rows->path, path, size);
    if (spin_run_key(call, key, sizeof key) != SPIN_OK)
        key[0] = 0;
    rows->progress = progress_take(&self->progresses, key);
    if (rows->progress && columns_init(&rows->columns, columns)) {
        task_start(&rows->task);
        return;
    }
    fail_with(rows, ENOMEM, NULL);
    task_drop(&rows->task);
}
SPIN_EFFECT(void, rows, (spin_call *call, spin_self *self, const char *path, spin_list_string columns),
            "Reads a file of comma-separated values: emits `row` for each row, `damaged` for what is not one, then `ended` "
            "with the number of rows. With columns, the first row has their names. Waits while the loop has no room.");
