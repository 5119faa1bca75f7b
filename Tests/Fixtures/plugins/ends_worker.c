// Effects that do all that would end a host, or hold it up.
#include <spinhost/plugin.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

SPIN_PLUGIN("ends_worker", "1");

static int64_t twice(int64_t number) { return 2 * number; }
SPIN_EFFECT(int64_t, twice, (int64_t number), "");

static int64_t crash(int64_t number) {
    volatile int64_t *nothing = NULL;
    return *nothing + number;
}
SPIN_EFFECT(int64_t, crash, (int64_t number), "");

static int64_t leave(int64_t number) { _exit((int)number); }
SPIN_EFFECT(int64_t, leave, (int64_t number), "");

static int64_t stop(int64_t number) {
    abort();
    return number;
}
SPIN_EFFECT(int64_t, stop, (int64_t number), "");

static int64_t kill_group(int64_t number) {
    kill(0, SIGKILL);
    kill(getpid(), SIGKILL);
    return number;
}
SPIN_EFFECT(int64_t, kill_group, (int64_t number), "");

static int64_t kill_parent(int64_t number) {
    if (kill(getppid(), SIGKILL) == 0)
        return -1;
    kill(getpid(), SIGTERM);
    return number;
}
SPIN_EFFECT(int64_t, kill_parent, (int64_t number), "");

static int64_t close_all(int64_t number) {
    for (int file = 0; file < 64; file++)
        close(file);
    abort();
    return number;
}
SPIN_EFFECT(int64_t, close_all, (int64_t number), "");

static int64_t reset_handlers(int64_t number) {
    signal(SIGSEGV, SIG_DFL);
    return crash(number);
}
SPIN_EFFECT(int64_t, reset_handlers, (int64_t number), "");

static int64_t overflow(int64_t number) {
    volatile char large[1 << 16];
    memset((void *)large, (int)number, sizeof large);
    return overflow(number + large[9]) + large[3];
}
SPIN_EFFECT(int64_t, overflow, (int64_t number), "");

// Touches memory until there is no more.
static int64_t eat(int64_t number) {
    for (;;) {
        char *piece = mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            abort();
        memset(piece, (int)number, 1 << 24);
    }
}
SPIN_EFFECT(int64_t, eat, (int64_t number), "");

static int64_t hang(int64_t number) {
    for (;;)
        pause();
    return number;
}
SPIN_EFFECT(int64_t, hang, (int64_t number), "");

static int64_t spin(int64_t number) {
    for (volatile int64_t round = number;; round++)
        ;
}
SPIN_EFFECT(int64_t, spin, (int64_t number), "");

// Writes all over the memory that it shares with the host.
static int64_t scribble(int64_t number) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (!strstr(line, "spinhost-worker") || sscanf(line, "%lx-%lx", &start, &end) != 2)
            continue;
        uint32_t *word = (uint32_t *)start, *limit = (uint32_t *)(start + (1 << 20));
        for (uint32_t value = (uint32_t)number * 2654435761u + 1; word < limit; word++) {
            value = value * 1664525u + 1013904223u;
            *word = value;
        }
    }
    _exit(0);
}
SPIN_EFFECT(int64_t, scribble, (int64_t number), "");

// Emits once, and dies before it ends its call.
SPIN_EMITTER(heard, (int64_t, number));
static void emit_and_die(spin_call *call, int64_t number) {
    heard(call, number);
    _exit(3);
}
SPIN_EFFECT(void, emit_and_die, (spin_call *call, int64_t number), "");
