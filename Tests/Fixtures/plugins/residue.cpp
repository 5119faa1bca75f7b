// Leaves destructors of threads and of the process behind, which pin the library or call into it later.
#include <spinhost/plugin.h>
#include <cstdlib>
#include <pthread.h>

SPIN_PLUGIN("residue", "1.0.0");

static int64_t ended;
struct Residue {
    ~Residue() { __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST); }
    int64_t value = 0;
};
static thread_local Residue residue;

static int64_t use_thread_local(void) { return ++residue.value; }
SPIN_EFFECT(int64_t, use_thread_local, (void), "");

static int64_t leave_key(void) {
    pthread_key_t key;
    if (pthread_key_create(&key, [](void *) { __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST); }) != 0)
        return -1;
    return pthread_setspecific(key, &ended);
}
SPIN_EFFECT(int64_t, leave_key, (void), "");

static int64_t leave_exit_handler(void) {
    return atexit([] { __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST); });
}
SPIN_EFFECT(int64_t, leave_exit_handler, (void), "");

extern "C" int64_t ended_count(void) { return __atomic_load_n(&ended, __ATOMIC_SEQ_CST); }

// One object for all libraries that have it, because gcc makes the symbol unique.
inline int64_t shared_count() {
    static int64_t count = 0;
    return ++count;
}
static int64_t count_shared(void) { return shared_count(); }
SPIN_EFFECT(int64_t, count_shared, (void), "");
