#include <pthread.h>
#include <spinhost/plugin.h>
#include <sys/eventfd.h>
#include <unistd.h>

SPIN_PLUGIN("poll", "1.0.0");
SPIN_EMITTER(moved, (int64_t, to));

/* The thread that makes `asked` readable whenever `answered` is. */
struct driver {
    spin_call *call;
    int asked, answered;
    int64_t number;
};

static void *drive(void *context) {
    struct driver *driver = context;
    for (eventfd_t times; eventfd_read(driver->answered, &times) == 0;)
        eventfd_write(driver->asked, 1);
    return NULL;
}

static struct driver driver = {.asked = -1, .answered = -1};

static void ready(void *context, uint64_t events) {
    struct driver *own = context;
    eventfd_t times;
    if (events & SPIN_POLL_READ && eventfd_read(own->asked, &times) == 0)
        moved(own->call, ++own->number);
}

static void start(void) {
    pthread_t thread;
    driver.asked = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    driver.answered = eventfd(0, EFD_CLOEXEC);
    if (pthread_create(&thread, NULL, drive, &driver) == 0)
        pthread_detach(thread);
}

static void listen(spin_call *call) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    driver.call = call;
    driver.number = 0;
    spin_poll_start(call, driver.asked, SPIN_POLL_READ, ready, &driver, NULL, NULL);
    eventfd_write(driver.answered, 1);
}
SPIN_EFFECT(void, listen, (spin_call * call), "Emits `moved` with the next number whenever the descriptor is readable.");

static int32_t answer(int64_t number) {
    // Nobody asks for the first one.
    return number ? eventfd_write(driver.answered, 1) : 0;
}
SPIN_EFFECT(int32_t, answer, (int64_t number), "Has the descriptor made readable.");
