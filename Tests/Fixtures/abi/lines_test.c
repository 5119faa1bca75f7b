// Lines out of pieces, and UTF-8 out of anything: compared with what is plain but slow.
#include "line_reader.h"
#include "utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void check(const char *name, int holds) {
    if (!holds)
        fprintf(stderr, "%s\n", name);
    failures += !holds;
}

static uint64_t seed = 20240607;

static unsigned next(unsigned limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % limit;
}

static void expect_repaired(const char *name, const char *text, size_t size, const char *expected) {
    char target[256];
    size_t count = utf8_repair(text, size, target);
    check(name, count == strlen(expected) && memcmp(target, expected, count) == 0 &&
                    count <= size * UTF8_REPAIRED_GROWTH);
    check(name, utf8_valid(target, count) == count);
}

#define REPAIRED(name, text, expected) expect_repaired(name, text, sizeof(text) - 1, expected)
#define R "\xef\xbf\xbd"

// The examples of the Unicode standard, section 3.9, tables 3-8 to 3-11, and the ends of each range.
static void test_repair(void) {
    REPAIRED("what is well-formed stays", "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z",
             "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
    REPAIRED("non-shortest forms", "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", R R R R R R R R "A");
    REPAIRED("surrogates", "\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", R R R R R R R R "A");
    REPAIRED("beyond the last", "\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", R R R R R "A" R R "B");
    REPAIRED("truncated", "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", R R R R "A");
    REPAIRED("at the end", "a\xf0\x9f\x98", "a" R);
    REPAIRED("last and first of the ranges", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\xf0\x90\x80\x80",
             "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\xf0\x90\x80\x80");
    REPAIRED("one in much ASCII",
             "0123456789abcdef\xff"
             "0123456789",
             "0123456789abcdef" R "0123456789");
}

// What the reader must find in `text`, one line after the other.
static int is_line(const char **text, size_t *left, spin_string line) {
    const char *end = memchr(*text, '\n', *left);
    size_t size = end ? (size_t)(end - *text) : *left;
    size_t shown = size > 0 && (*text)[size - 1] == '\r' ? size - 1 : size;
    char repaired[3 * 4096];
    size_t count = utf8_repair(*text, shown, repaired);
    int holds = line.size == count && memcmp(line.data, repaired, count) == 0;
    *text += end ? size + 1 : size;
    *left -= end ? size + 1 : size;
    return holds;
}

static void test_pieces(void) {
    static const char alphabet[] = "ab\n\n\r\0\xc3\xa4\xff";
    for (int round = 0; round < 2000; round++) {
        char text[4096];
        size_t size = next(sizeof text), written = 0, left = size;
        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[next(sizeof alphabet - 1)];
        const char *rest = text;
        struct line_reader reader = {0};
        spin_string line;
        int pipes[2];
        if (pipe(pipes) != 0)
            abort();
        int holds = 1;
        while (written < size) {
            size_t piece = 1 + next(200);
            piece = piece > size - written ? size - written : piece;
            if (write(pipes[1], text + written, piece) != (ssize_t)piece)
                abort();
            written += piece;
            holds &= line_reader_fill(&reader, pipes[0]) == (ssize_t)piece;
            while (line_reader_next(&reader, &line) == LINE_FOUND)
                holds &= is_line(&rest, &left, line);
        }
        if (line_reader_rest(&reader, &line) == LINE_FOUND)
            holds &= is_line(&rest, &left, line);
        holds &= left == 0 && line_reader_rest(&reader, &line) == LINE_NONE;
        check("lines are the same in pieces", holds);
        line_reader_free(&reader);
        close(pipes[0]);
        close(pipes[1]);
    }
}

// A line of so many bytes, ended by `end`.
static enum line_found long_line(size_t size, const char *end, size_t *found) {
    FILE *file = tmpfile();
    if (!file)
        abort();
    for (size_t i = 0; i < size; i++)
        putc('x', file);
    fputs(end, file);
    fflush(file);
    lseek(fileno(file), 0, SEEK_SET);
    struct line_reader reader = {0};
    spin_string line = {0};
    enum line_found result = LINE_NONE;
    while (result == LINE_NONE && line_reader_fill(&reader, fileno(file)) > 0)
        result = line_reader_next(&reader, &line);
    if (result == LINE_NONE)
        result = line_reader_rest(&reader, &line);
    check("a long line takes bounded memory", reader.pieces.capacity <= 4 * LINE_LIMIT);
    *found = line.size;
    line_reader_free(&reader);
    fclose(file);
    return result;
}

static void test_limit(void) {
    size_t size;
    check("a line of the limit", long_line(LINE_LIMIT, "\n", &size) == LINE_FOUND && size == LINE_LIMIT);
    check("with CRLF", long_line(LINE_LIMIT, "\r\n", &size) == LINE_FOUND && size == LINE_LIMIT);
    check("without an end", long_line(LINE_LIMIT, "", &size) == LINE_FOUND && size == LINE_LIMIT);
    check("a byte more", long_line(LINE_LIMIT + 1, "\n", &size) == LINE_TOO_LONG);
    check("a byte more without an end", long_line(LINE_LIMIT + 1, "", &size) == LINE_TOO_LONG);
    check("100 MB", long_line(100 * 1000 * 1000, "", &size) == LINE_TOO_LONG);
}

int main(void) {
    test_repair();
    test_pieces();
    test_limit();
    return failures != 0;
}
