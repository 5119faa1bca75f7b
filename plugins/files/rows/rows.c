// Emits the rows of a file of comma-separated values, as the loop has room for them.
#include "../instance.h"
#include "../../std/task.h"
#include "reader.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(row, (int64_t, line), (spin_list_string, fields));
SPIN_EMITTER(damaged, (int64_t, line), (spin_string, reason));
SPIN_EMITTER(ended, (int64_t, rows));

/* How many pieces it reads until other functions of the host's threads have their turn. */
enum { pieces_at_once = 16 };

struct rows {
    struct task task;
    spin_self *self;
    struct progress *progress;
    struct reader reader;
    int is_over; /* whether the run is, and not only the call */
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

/* What a loop gets. */
enum emission { EMIT_ROW, EMIT_DAMAGED, EMIT_ENDED };

static spin_status emit(const struct rows *rows, enum emission emission) {
    spin_call *call = rows->task.call;
    const struct reader *reader = &rows->reader;
    int64_t line = (int64_t)reader->place.lines + 1;
    if (emission == EMIT_ENDED)
        return spin_wait_ended(call, (int64_t)reader->place.rows, 0);
    if (emission == EMIT_ROW)
        return spin_wait_row(call, line, columns_of(&reader->columns, &reader->row), 0);
    const char *reason = reader->row.damage;
    return spin_wait_damaged(call, line, (spin_string){reason, strlen(reason)}, 0);
}

// Emits what stands for the row, and leaves it behind. An earlier call of the run may be about to do the same, and only
// one of them may. 0 when the step must return.
static int give(struct rows *rows, enum emission emission) {
    struct progress *progress = rows->progress;
    struct reader *reader = &rows->reader;
    pthread_mutex_lock(&progress->turn);
    spin_status status = emit(rows, emission);
    if (status == SPIN_OK || status == SPIN_BAD_VALUE) {
        reader->place.rows += emission == EMIT_ROW;
        reader->place.has_ended = emission == EMIT_ENDED;
        if (emission != EMIT_ENDED)
            reader_leave(reader);
        progress->place = reader->place;
    }
    pthread_mutex_unlock(&progress->turn);
    return task_continues(&rows->task, status);
}

static void finish(struct rows *rows) { rows->is_over = spin_finish(rows->task.call) == SPIN_OK; }

// Opens the file, and goes to where an earlier call of the run has come to; 0 when the step must return.
static int begin(struct rows *rows) {
    struct problem problem;
    struct row_place place = progress_place(rows->progress);
    if (place.has_ended) {
        finish(rows);
        return 0;
    }
    if (!reader_open(&rows->reader, &rows->self->place, rows->path, &problem))
        return fail(rows, &problem);
    if (place.offset == 0 || reader_resume(&rows->reader, &place, &problem))
        return 1;
    // Another attempt begins at the start of what is there by now.
    if (problem.error == ESTALE)
        progress_reset(rows->progress);
    return fail(rows, &problem);
}

// Reads more, or ends the call at the end of the file. 0 when the step must return.
static int read_more(struct rows *rows, int *pieces) {
    struct problem problem;
    if (rows->reader.is_at_end) {
        if (give(rows, EMIT_ENDED))
            finish(rows);
        return 0;
    }
    if ((*pieces)-- == 0)
        return task_submit(&rows->task), 0;
    return reader_fill(&rows->reader, &problem) || fail(rows, &problem);
}

// Takes the next row; 0 when the step must return.
static int advance(struct rows *rows, int *pieces) {
    enum row_found found = reader_next(&rows->reader);
    switch (found) {
    case ROW_MORE:
        return read_more(rows, pieces);
    case ROW_EMPTY:
        reader_leave(&rows->reader);
        return 1;
    case ROW_FOUND:
    case ROW_DAMAGED:
        return give(rows, found == ROW_FOUND ? EMIT_ROW : EMIT_DAMAGED);
    case ROW_NO_MEMORY:
        break;
    }
    return fail(rows, &(struct problem){ENOMEM, strerrordesc_np(ENOMEM)});
}

static void step(struct task *task, struct source *ready) {
    struct rows *rows = (struct rows *)task;
    int pieces = pieces_at_once;
    (void)ready;
    if (rows->reader.file >= 0 || begin(rows))
        while (advance(rows, &pieces))
            ;
}

static void release(struct task *task) {
    struct rows *rows = (struct rows *)task;
    reader_free(&rows->reader);
    if (rows->progress)
        progress_drop(&rows->self->progresses, rows->progress, rows->is_over);
    task_free(task);
}

static void rows(spin_call *call, spin_self *self, const char *path, spin_list_string columns) {
    char key[SPIN_RUN_KEY_SIZE];
    size_t size = strlen(path) + 1;
    struct rows *rows = task_make(call, sizeof *rows + size, step, release);
    if (!rows)
        return;
    rows->self = self;
    rows->reader.file = -1;
    memcpy(rows->path, path, size);
    if (spin_run_key(call, key, sizeof key) != SPIN_OK)
        key[0] = 0;
    rows->progress = progress_take(&self->progresses, key);
    if (rows->progress && columns_init(&rows->reader.columns, columns)) {
        task_start(&rows->task);
        return;
    }
    fail(rows, &(struct problem){ENOMEM, strerrordesc_np(ENOMEM)});
    task_drop(&rows->task);
}
SPIN_EFFECT(void, rows, (spin_call *call, spin_self *self, const char *path, spin_list_string columns),
            "Reads a file of comma-separated values: emits `row` for each row, `damaged` for what is not one, then "
            "`ended` with the number of rows. With columns, the first row has their names. "
            "Waits while the loop has no room.");
