#include "sse.h"
#include <string.h>

enum { longest_retry = 24 * 60 * 60 * 1000 };

int sse_add(struct sse *sse, const char *data, size_t size) { return pieces_add(&sse->pieces, data, size); }

static int is_named(const char *name, size_t size, const char *field) {
    return size == strlen(field) && memcmp(name, field, size) == 0;
}

static int set(struct pieces *pieces, const char *text, size_t size) {
    pieces_clear(pieces);
    return pieces_add(pieces, text, size);
}

static void set_retry(struct sse *sse, const char *text, size_t size) {
    int64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return;
        if (value < longest_retry)
            value = value * 10 + (text[i] - '0');
    }
    if (size > 0)
        sse->retry = value < longest_retry ? value : longest_retry;
}

// Takes one line that is not empty; 0 for want of memory.
static int take_field(struct sse *sse, spin_string line) {
    const char *colon = memchr(line.data, ':', line.size);
    size_t size = colon ? (size_t)(colon - line.data) : line.size;
    const char *value = colon ? colon + 1 : "";
    size_t value_size = colon ? line.size - size - 1 : 0;
    if (value_size > 0 && *value == ' ') {
        value++;
        value_size--;
    }
    if (is_named(line.data, size, "event"))
        return set(&sse->name, value, value_size);
    if (is_named(line.data, size, "data")) {
        sse->has_data = 1;
        return pieces_add(&sse->data, value, value_size) && pieces_add(&sse->data, "\n", 1);
    }
    if (is_named(line.data, size, "id")) {
        if (!memchr(value, 0, value_size))
            return set(&sse->id, value, value_size);
    } else if (is_named(line.data, size, "retry")) {
        set_retry(sse, value, value_size);
    }
    return 1;
}

static void forget_message(struct sse *sse) {
    pieces_clear(&sse->name);
    pieces_clear(&sse->data);
    sse->has_data = 0;
}

int sse_taken(struct sse *sse) { return set(&sse->last_id, sse->id.data, pieces_size(&sse->id)); }

enum piece_found sse_next(struct sse *sse, struct sse_message *message) {
    spin_string line;
    enum piece_found found;
    while ((found = pieces_line(&sse->pieces, &line)) == PIECE_FOUND) {
        if (!sse->is_started && line.size >= 3 && memcmp(line.data, "\xef\xbb\xbf", 3) == 0)
            line = (spin_string){line.data + 3, line.size - 3};
        sse->is_started = 1;
        if (line.size > 0) {
            if (!take_field(sse, line))
                return PIECE_NO_MEMORY;
        } else if (!sse->has_data) {
            forget_message(sse);
            if (!sse_taken(sse))
                return PIECE_NO_MEMORY;
        } else {
            size_t size = pieces_size(&sse->name);
            message->name = size ? (spin_string){sse->name.data, size} : (spin_string){"message", 7};
            // The last line end is not part of it.
            message->data = (spin_string){sse->data.data, pieces_size(&sse->data) - 1};
            // The texts stay where they are until more is added.
            forget_message(sse);
            return PIECE_FOUND;
        }
    }
    return found;
}

size_t sse_size(const struct sse *sse) { return pieces_size(&sse->pieces) + pieces_size(&sse->data); }

int sse_restart(struct sse *sse) {
    pieces_clear(&sse->pieces);
    forget_message(sse);
    sse->is_started = 0;
    return set(&sse->id, sse->last_id.data, pieces_size(&sse->last_id));
}

void sse_free(struct sse *sse) {
    pieces_free(&sse->pieces);
    pieces_free(&sse->name);
    pieces_free(&sse->data);
    pieces_free(&sse->id);
    pieces_free(&sse->last_id);
}
