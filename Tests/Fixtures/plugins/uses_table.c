// Uses the table `clock` of another plugin. KEEPS: it does not let go when it is asked. NEVER: nor in `stop`.
#include <pthread.h>
#include <spinhost/plugin.h>
#include <stdlib.h>

#ifndef KEEPS
#define KEEPS 0
#endif
#ifndef NEVER
#define NEVER 0
#endif
#ifndef FACTOR
#define FACTOR 1
#endif

SPIN_PLUGIN("user", "1.0");

struct clock_table {
    int64_t (*now)(void);
};

struct spin_self {
    int64_t asked;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct clock_table *table;
static spin_use use;
static int64_t times_asked;

static int32_t let_go(void) {
    pthread_mutex_lock(&mutex);
    spin_status status = spin_release(use);
    table = NULL;
    use = 0;
    pthread_mutex_unlock(&mutex);
    return status;
}
SPIN_EFFECT(int32_t, let_go, (void), "");

static void wanted(void *context) {
    __atomic_add_fetch((int64_t *)context, 1, __ATOMIC_SEQ_CST);
    if (!KEEPS)
        let_go();
    if (NEVER)
        spin_print("asked");
}

static int32_t acquire(int32_t major, int32_t minor) {
    uint32_t size = 0;
    const void *found = &size;
    spin_use number = 7;
    spin_status status =
        spin_acquire("clock", (uint32_t)major, (uint32_t)minor, wanted, &times_asked, &found, &size, &number);
    if ((status == SPIN_OK) != (size == sizeof *table) || (status != SPIN_OK && (found || number)))
        return -100;
    if (status == SPIN_OK) {
        table = (const struct clock_table *)found;
        use = number;
    }
    return status;
}
SPIN_EFFECT(int32_t, acquire, (int32_t major, int32_t minor), "");

static int64_t ask(void) {
    pthread_mutex_lock(&mutex);
    if (!table)
        acquire(1, 1);
    int64_t now = table ? table->now() * FACTOR : -1;
    pthread_mutex_unlock(&mutex);
    return now;
}
SPIN_EFFECT(int64_t, ask, (void), "");

static int64_t asked(void) { return __atomic_load_n(&times_asked, __ATOMIC_SEQ_CST); }
SPIN_EFFECT(int64_t, asked, (void), "");

static int64_t crash(void) { return *(volatile int64_t *)8; }
SPIN_EFFECT(int64_t, crash, (void), "");

static spin_self *create(spin_call *call, const spin_config *config) {
    (void)call, (void)config;
    return calloc(1, sizeof(spin_self));
}

static void destroy(spin_self *self) { free(self); }
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    (void)call, (void)self;
    return SPIN_OK;
}

static void stop(spin_self *self) {
    (void)self;
    spin_print("stop user");
    if (!NEVER && table)
        let_go();
}
SPIN_LIFE(start, stop);

static int64_t look(spin_self *self) {
    self->asked++;
    return ask();
}
SPIN_EFFECT(int64_t, look, (spin_self * self), "");
