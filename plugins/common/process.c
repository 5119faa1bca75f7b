#include "process.h"
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// Reads the start of a file as a text; empty if it cannot.
static void read_text(const char *path, char *text, size_t capacity) {
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, capacity - 1, file) : 0;
    text[size] = 0;
    if (file)
        fclose(file);
}

static struct process process_of(pid_t number) {
    struct process process = {.number = (uint64_t)number};
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)number);
    read_text(path, text, sizeof text);
    // The start is field 22. The name, field 2, ends with the last parenthesis and may have spaces.
    const char *field = strrchr(text, ')');
    for (int at = 2; field && at < 22; at++)
        field = strchr(field + 1, ' ');
    unsigned long long start;
    if (field && sscanf(field, "%llu", &start) == 1)
        process.start = start;
    read_text("/proc/sys/kernel/random/boot_id", process.boot, sizeof process.boot);
    return process;
}

// Whether both are the same one, which is not so if that cannot be known.
static int is_same(const struct process *one, const struct process *other) {
    return other->start != 0 && other->boot[0] != 0 && memcmp(one, other, sizeof *one) == 0;
}

struct process process_own(void) {
    return process_of(getpid());
}

int process_is_own(const struct process *process) {
    struct process own = process_own();
    return is_same(process, &own);
}

struct process process_host(void) {
    return process_of(process_is_worker() ? getppid() : getpid());
}

int process_is_host(const struct process *process) {
    struct process host = process_host();
    return is_same(process, &host);
}

int process_is_worker(void) {
    // The host starts it as `spinhost --worker`. Each argument ends with a NUL.
    char text[4096] = "";
    read_text("/proc/self/cmdline", text, sizeof text);
    size_t second = strlen(text) + 1;
    return second < sizeof text && strcmp(text + second, "--worker") == 0;
}
