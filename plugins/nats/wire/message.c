#include "message.h"
#include "../../std/utf8.h"
#include <stdlib.h>
#include <string.h>

static const char version[] = "NATS/1.0";

// The next line, without its end, of a text that it is taken from.
static spin_string take_line(spin_string *text) {
    const char *end = text->size > 0 ? memchr(text->data, '\n', text->size) : NULL;
    size_t size = end ? (size_t)(end - text->data) : text->size, taken = end ? size + 1 : size;
    spin_string line = {text->data, size > 0 && text->data[size - 1] == '\r' ? size - 1 : size};
    text->data += taken;
    text->size -= taken;
    return line;
}

static spin_string trimmed(const char *text, size_t size) {
    while (size > 0 && (*text == ' ' || *text == '\t'))
        text++, size--;
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    return (spin_string){text, size};
}

// What follows the version in the first line.
static spin_string status_line(const struct message *message) {
    spin_string text = message->header;
    size_t size = sizeof version - 1;
    if (text.size < size || memcmp(text.data, version, size) != 0)
        return (spin_string){"", 0};
    spin_string line = take_line(&text);
    return line.size < size ? (spin_string){"", 0} : trimmed(line.data + size, line.size - size);
}

static int is_digit(char character) { return character >= '0' && character <= '9'; }

int message_status(const struct message *message) {
    spin_string line = status_line(message);
    if (line.size < 3 || !is_digit(line.data[0]) || !is_digit(line.data[1]) || !is_digit(line.data[2]))
        return 0;
    return (line.data[0] - '0') * 100 + (line.data[1] - '0') * 10 + (line.data[2] - '0');
}

spin_string message_status_text(const struct message *message) {
    spin_string line = status_line(message);
    return line.size > 3 ? trimmed(line.data + 3, line.size - 3) : (spin_string){"", 0};
}

// Memory for one more header.
static int reserve_header(struct scratch *scratch, size_t count) {
    if (count < scratch->header_capacity)
        return 1;
    size_t capacity = scratch->header_capacity ? 2 * scratch->header_capacity : 16;
    nats_header *grown = realloc(scratch->headers, capacity * sizeof *grown);
    if (!grown)
        return 0;
    scratch->headers = grown;
    scratch->header_capacity = capacity;
    return 1;
}

int message_headers(const struct message *message, struct scratch *scratch, spin_list_nats_header *headers) {
    spin_string rest = message->header;
    size_t count = 0;
    if (rest.size > 0)
        take_line(&rest);
    while (rest.size > 0) {
        spin_string line = take_line(&rest);
        const char *colon = line.size > 0 ? memchr(line.data, ':', line.size) : NULL;
        if (!colon)
            continue;
        if (!reserve_header(scratch, count))
            return 0;
        size_t size = (size_t)(colon - line.data);
        scratch->headers[count++] =
            (nats_header){{line.data, size}, trimmed(colon + 1, line.size - size - 1)};
    }
    *headers = (spin_list_nats_header){scratch->headers, count};
    return 1;
}

int message_repair(struct message *message, struct scratch *scratch) {
    spin_string *const texts[] = {&message->subject, &message->reply, &message->header};
    size_t size = 0, used = 0, count = sizeof texts / sizeof *texts;
    int is_valid = 1;
    for (size_t i = 0; i < count; i++) {
        is_valid &= utf8_valid(texts[i]->data, texts[i]->size) == texts[i]->size;
        size += texts[i]->size * UTF8_REPAIRED_GROWTH;
    }
    if (is_valid)
        return 1;
    if (scratch->text_capacity < size) {
        char *grown = realloc(scratch->text, size);
        if (!grown)
            return 0;
        scratch->text = grown;
        scratch->text_capacity = size;
    }
    for (size_t i = 0; i < count; i++) {
        char *target = scratch->text + used;
        *texts[i] = (spin_string){target, utf8_repair(texts[i]->data, texts[i]->size, target)};
        used += texts[i]->size;
    }
    return 1;
}

void scratch_trim(struct scratch *scratch) {
    enum { large = 1 << 16 };
    if (scratch->header_capacity * sizeof *scratch->headers > large || scratch->text_capacity > large)
        scratch_free(scratch);
}

void scratch_free(struct scratch *scratch) {
    free(scratch->headers);
    free(scratch->text);
    *scratch = (struct scratch){0};
}
