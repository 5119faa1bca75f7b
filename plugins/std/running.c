#include "std.h"
#include "running.h"
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_empty = PTHREAD_COND_INITIALIZER;
static struct running *first;

void running_add(struct running *running, int cancelled) {
    pthread_mutex_lock(&turn);
    running->cancelled = cancelled;
    running->next = first;
    running->previous = &first;
    if (first)
        first->previous = &running->next;
    first = running;
    pthread_mutex_unlock(&turn);
}

void running_remove(struct running *running) {
    pthread_mutex_lock(&turn);
    *running->previous = running->next;
    if (running->next)
        running->next->previous = running->previous;
    if (!first)
        pthread_cond_broadcast(&is_empty);
    pthread_mutex_unlock(&turn);
}

// Runs when the host's process ends, or the library is unmapped. Each program gets as much time to end as
// after a cancellation.
__attribute__((destructor)) static void end_all(void) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 5;
    pthread_mutex_lock(&turn);
    for (struct running *running = first; running; running = running->next)
        eventfd_write(running->cancelled, 1);
    while (first && pthread_cond_timedwait(&is_empty, &turn, &deadline) == 0)
        ;
    pthread_mutex_unlock(&turn);
}
