// Effects that a test ends: they wait for one another, for a byte of a pipe, or for a number of calls.
#include <errno.h>
#include <pthread.h>
#include <spinhost/plugin.h>
#include <stdio.h>
#include <unistd.h>

SPIN_PLUGIN("feedbacks", "1.0.0");
SPIN_EMITTER(done, (int64_t, n));
SPIN_EMITTER(noted, (int64_t, n));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    spin_call *call;
    int64_t n;
} held[64];
static int count;
static int released;

// Emits when the test calls `release`, or at once if it has called it.
static void hold(spin_call *call, int64_t n) {
    pthread_mutex_lock(&mutex);
    int now = released;
    if (!now && count < 64) {
        held[count].call = call;
        held[count++].n = n;
    }
    pthread_mutex_unlock(&mutex);
    if (now) {
        done(call, n);
        spin_finish(call);
    }
}
SPIN_EFFECT(void, hold, (spin_call *call, int64_t n), "Emits `done` once `release` was called.");

// Releases the waiting calls, the last one first.
static void release(void) {
    pthread_mutex_lock(&mutex);
    released = 1;
    int last = count;
    pthread_mutex_unlock(&mutex);
    while (last-- > 0) {
        done(held[last].call, held[last].n);
        spin_finish(held[last].call);
    }
}
SPIN_EFFECT(void, release, (void), "");

static void note_twice(spin_call *call, int64_t n) {
    done(call, n);
    noted(call, n + 1);
    spin_finish(call);
}
SPIN_EFFECT(void, note_twice, (spin_call *call, int64_t n), "Emits `done` and `noted`.");

static void hang(spin_call *call) { (void)call; }
SPIN_EFFECT(void, hang, (spin_call *call), "Emits nothing.");

static void refuse(spin_call *call, int32_t code, const char *text) { spin_fail(call, code, text); }
SPIN_EFFECT(void, refuse, (spin_call *call, int32_t code, const char *text), "Emits nothing.");

static int64_t same(int64_t n) { return n; }
SPIN_EFFECT(int64_t, same, (int64_t n), "");

// Blocks until there is a byte to read.
static int64_t wait_for(int32_t descriptor, int64_t n) {
    char byte;
    return read(descriptor, &byte, 1) == 1 ? n : -1;
}
SPIN_EFFECT(int64_t, wait_for, (int32_t descriptor, int64_t n), "");

// The same. It first reports that it has begun.
static int64_t begin_and_wait(int32_t begun, int32_t descriptor, int64_t n) {
    return write(begun, "", 1) == 1 ? wait_for(descriptor, n) : -1;
}
SPIN_EFFECT(int64_t, begin_and_wait, (int32_t begun, int32_t descriptor, int64_t n), "");

static int32_t wake(int32_t descriptor) { return (int32_t)write(descriptor, "", 1); }
SPIN_EFFECT(int32_t, wake, (int32_t descriptor), "");

// Fails until the given number of calls.
static int64_t attempt(int64_t times) {
    static int64_t calls;
    if (++calls < times) {
        errno = EAGAIN;
        return -1;
    }
    return calls;
}
SPIN_EFFECT_CHECKED(int64_t, attempt, (int64_t times), "", "result < 0");

static int32_t negative(int32_t number) {
    errno = number;
    return -7;
}
SPIN_EFFECT_CHECKED(int32_t, negative, (int32_t number), "", "result < 0");

static const char *bad_text(void) { return "a\xFF"; }
SPIN_EFFECT(const char *, bad_text, (void), "");

static int32_t length(const char *text) {
    int32_t size = 0;
    while (text[size])
        size++;
    return size;
}
SPIN_EFFECT(int32_t, length, (const char *text), "");
