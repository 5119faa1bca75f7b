#include "process.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Reads the start of a file as a text; empty if it cannot.
static void read_text(const char *path, char *text, size_t capacity) {
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, capacity - 1, file) : 0;
    text[size] = 0;
    if (file)
        fclose(file);
}

struct process process_own(void) {
    struct process process = {.number = (uint64_t)getpid()};
    char text[1024];
    read_text("/proc/self/stat", text, sizeof text);
    // The start is field 22. The name, field 2, ends with the last parenthesis and may have spaces.
    const char *field = strrchr(text, ')');
    for (int number = 2; field && number < 22; number++)
        field = strchr(field + 1, ' ');
    unsigned long long start;
    if (field && sscanf(field, "%llu", &start) == 1)
        process.start = start;
    read_text("/proc/sys/kernel/random/boot_id", process.boot, sizeof process.boot);
    return process;
}

int process_is_own(const struct process *process) {
    struct process own = process_own();
    return own.start != 0 && own.boot[0] != 0 && memcmp(process, &own, sizeof own) == 0;
}

int process_is_worker(void) {
    // The host starts it as `spinhost --worker`. Each argument ends with a NUL.
    char text[4096] = "";
    read_text("/proc/self/cmdline", text, sizeof text);
    size_t second = strlen(text) + 1;
    return second < sizeof text && strcmp(text + second, "--worker") == 0;
}
