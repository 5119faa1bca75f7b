// Rows as large as they may be, and very many of them.
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A file whose content is written by parts. */
static FILE *begin_file(const char *path) {
    FILE *file = fopen(path, "we");
    check("a file opens", file != NULL);
    return file;
}

static void write_times(FILE *file, const char *text, int count) {
    for (; count > 0; count--)
        fputs(text, file);
}

static size_t largest_size;

static void note_size(int64_t line, const spin_list_string *fields) {
    (void)line;
    for (size_t i = 0; i < fields->count; i++)
        largest_size = fields->items[i].size > largest_size ? fields->items[i].size : largest_size;
}

// Rows and fields that are as large as they may be, and larger.
static void test_limits(void) {
    spin_self *self = make();
    FILE *file = begin_file("r.csv");
    write_times(file, "x", (1 << 20) - 1);
    fputs("\nnext\n", file);
    fclose(file);
    row_sink = note_size;
    expect("the longest row", result(call_rows(self, NULL, "r.csv", 0, NULL)), "ended 2\n");
    check("it is whole", largest_size == (1 << 20) - 1);
    row_sink = NULL;
    file = begin_file("r.csv");
    write_times(file, "x", 1 << 20);
    fputs("\nnext\n\"", file);
    write_times(file, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n", 1 << 14);
    fputs("\"\nlast\n", file);
    write_times(file, "x", 3 << 20);
    fclose(file);
    row_sink = note_size;
    largest_size = 0;
    expect("longer ones", result(call_rows(self, NULL, "r.csv", 0, NULL)),
           "damaged 1 it is longer than 1 MiB\ndamaged 3 it is longer than 1 MiB\n"
           "damaged 16387 it is longer than 1 MiB\ndamaged 16389 it is longer than 1 MiB\n"
           "ended 16385\n");
    check("the next lines are rows", largest_size == 63);
    row_sink = NULL;
    file = begin_file("r.csv");
    write_times(file, ",", 4095);
    fputs("\n", file);
    write_times(file, ",", 4096);
    fclose(file);
    row_sink = note_size;
    expect("the most fields", result(call_rows(self, NULL, "r.csv", 0, NULL)),
           "damaged 2 it has more than 4096 fields\nended 1\n");
    row_sink = NULL;
    end(self);
}

static int64_t next_number;

static void take_row(int64_t line, const spin_list_string *fields) {
    char expected[32];
    next_number++;
    snprintf(expected, sizeof expected, "%lld", (long long)next_number);
    check("each row comes once, and in order",
          fields->count == 2 && fields->items[0].size == strlen(expected) &&
              memcmp(fields->items[0].data, expected, strlen(expected)) == 0);
    check("its line", line == 2 * next_number - 1);
    check("its text", fields->items[1].size == 7 && memcmp(fields->items[1].data, "a \"b\"\nc", 7) == 0);
}

static long memory(void) {
    struct rusage usage;
    check("the use is known", getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

#ifndef MANY_ROWS
#define MANY_ROWS 1000000
#endif

// A million rows of two lines each take as much memory as a few.
static void test_many(void) {
    char ended[32];
    spin_self *self = make();
    FILE *file = begin_file("r.csv");
    for (int i = 1; i <= MANY_ROWS; i++)
        fprintf(file, "%d,\"a \"\"b\"\"\nc\"\n", i);
    fclose(file);
    row_sink = take_row;
    long before = memory();
    snprintf(ended, sizeof ended, "ended %d\n", MANY_ROWS);
    expect("all rows", result(call_rows(self, NULL, "r.csv", 0, NULL)), ended);
    check("the memory stays", memory() - before < 4096);
    check("all have come", next_number == MANY_ROWS);
    row_sink = NULL;
    unlink("r.csv");
    end(self);
}

void test_row_limits(void) {
    test_limits();
    test_many();
}
