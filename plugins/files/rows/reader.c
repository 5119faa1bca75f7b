#include "reader.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much it reads at once. */
enum { piece = 1 << 16 };

int reader_fill(struct reader *reader, struct problem *problem) {
    char *target = pieces_reserve(&reader->bytes, piece);
    if (!target)
        return problem_set(problem, ENOMEM, NULL);
    ssize_t count = read(reader->file, target, piece);
    if (count < 0 && errno != EINTR)
        return problem_of_errno(problem);
    if (count > 0)
        pieces_extend(&reader->bytes, (size_t)count);
    reader->is_at_end = count == 0;
    return 1;
}

void reader_leave(struct reader *reader) {
    const struct row *row = &reader->row;
    reader->place.hash = row_hash(0, reader->bytes.data + reader->bytes.start, row->size);
    reader->place.last_size = row->size;
    reader->place.offset += row->size;
    reader->place.lines += (uint64_t)row->lines;
    reader->bytes.start += row->size;
    reader->skips = 0;
}

static enum row_found read_row(struct reader *reader) {
    const char *first = reader->bytes.data + reader->bytes.start;
    return row_read(&reader->row, first, pieces_size(&reader->bytes), reader->is_at_end);
}

// Looks for the end of a row that is longer than any may be.
static enum row_found skip(struct reader *reader) {
    size_t size = pieces_size(&reader->bytes);
    const char *first = reader->bytes.data + reader->bytes.start, *end = memchr(first, '\n', size);
    reader->row.size = end ? (size_t)(end + 1 - first) : 0;
    reader->row.lines = end != NULL;
    if (end)
        return ROW_DAMAGED;
    reader->bytes.start += size;
    reader->place.offset += size;
    return reader->is_at_end ? ROW_DAMAGED : ROW_MORE;
}

enum row_found reader_next(struct reader *reader) {
    if (reader->skips)
        return skip(reader);
    enum row_found found = read_row(reader);
    if (found == ROW_FOUND && !columns_fit(&reader->columns, &reader->row)) {
        reader->row.damage = "it has not as many fields as the header";
        return ROW_DAMAGED;
    }
    reader->skips = found == ROW_DAMAGED && reader->row.lines == 0 && reader->row.size == longest_row;
    return reader->skips ? skip(reader) : found;
}

// Leaves a byte order mark behind.
static int pass_mark(struct reader *reader, struct problem *problem) {
    static const char mark[] = "\xef\xbb\xbf";
    const size_t size = sizeof mark - 1;
    while (pieces_size(&reader->bytes) < size && !reader->is_at_end)
        if (!reader_fill(reader, problem))
            return 0;
    if (pieces_size(&reader->bytes) >= size && memcmp(reader->bytes.data, mark, size) == 0) {
        reader->bytes.start += size;
        reader->place.offset += size;
    }
    return 1;
}

// Reads the header, so that the place is behind it.
static int read_header(struct reader *reader, struct problem *problem) {
    enum row_found found;
    while ((found = read_row(reader)) == ROW_EMPTY || (found == ROW_MORE && !reader->is_at_end)) {
        if (found == ROW_EMPTY)
            reader_leave(reader);
        else if (!reader_fill(reader, problem))
            return 0;
    }
    if (found == ROW_NO_MEMORY)
        return problem_set(problem, ENOMEM, NULL);
    if (found != ROW_FOUND)
        return problem_set(problem, EINVAL, found == ROW_MORE ? "it has no header" : reader->row.damage);
    const spin_string *missing = columns_find(&reader->columns, &reader->row);
    reader_leave(reader);
    if (!missing)
        return 1;
    char columns[columns_text_size];
    columns_write(&reader->row, columns);
    if (asprintf(&reader->reason, "its header has no column `%.*s`, but %s", (int)missing->size,
                 missing->data, columns) < 0) {
        reader->reason = NULL;
        return problem_set(problem, ENOMEM, NULL);
    }
    return problem_set(problem, EINVAL, reader->reason);
}

int reader_open(struct reader *reader, const struct place *place, const char *path, struct problem *problem) {
    struct stat status;
    reader->file = place_open_file(place, path, O_RDONLY, &status, problem);
    if (reader->file < 0)
        return 0;
    row_place_begin(&reader->place, &status);
    return pass_mark(reader, problem) && (reader->columns.count == 0 || read_header(reader, problem));
}

int reader_resume(struct reader *reader, const struct row_place *place, struct problem *problem) {
    const struct row_place now = reader->place;
    if (!row_place_is_in(place, reader->file, &now))
        return problem_set(problem, ESTALE, "it has changed since its first rows were read");
    if (lseek(reader->file, (off_t)place->offset, SEEK_SET) < 0)
        return problem_of_errno(problem);
    reader->place = *place;
    reader->place.size = now.size;
    reader->place.seconds = now.seconds;
    reader->place.nanoseconds = now.nanoseconds;
    pieces_clear(&reader->bytes);
    reader->is_at_end = 0;
    return 1;
}

void reader_free(struct reader *reader) {
    if (reader->file >= 0)
        close(reader->file);
    free(reader->reason);
    pieces_free(&reader->bytes);
    row_free(&reader->row);
    columns_free(&reader->columns);
}
