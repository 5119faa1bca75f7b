#include "signal_trap.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

// The listeners of all signals. The handler may run at any time on any thread, so it reads nothing else.
enum { listeners_at_most = 64 };
static struct {
    atomic_int number;
    atomic_int descriptor;
} listeners[listeners_at_most];
static atomic_int handling;

// The number of listeners of a signal, and the action that it had before the first one.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int users[NSIG];
static struct sigaction before[NSIG];

static void handle(int number) {
    int error = errno;
    atomic_fetch_add(&handling, 1);
    for (int i = 0; i < listeners_at_most; i++)
        if (atomic_load(&listeners[i].number) == number)
            eventfd_write(atomic_load(&listeners[i].descriptor), 1);
    atomic_fetch_sub(&handling, 1);
    errno = error;
}

int signal_listen(int number, int descriptor) {
    int place = -1;
    pthread_mutex_lock(&turn);
    for (int i = 0; i < listeners_at_most && place < 0; i++)
        if (atomic_load(&listeners[i].number) == 0)
            place = i;
    if (place >= 0) {
        atomic_store(&listeners[place].descriptor, descriptor);
        atomic_store(&listeners[place].number, number);
        if (users[number]++ == 0) {
            struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK};
            sigfillset(&action.sa_mask);
            sigaction(number, &action, &before[number]);
        }
    }
    pthread_mutex_unlock(&turn);
    return place;
}

void signal_ignore(int number, int place) {
    pthread_mutex_lock(&turn);
    if (--users[number] == 0)
        sigaction(number, &before[number], NULL);
    atomic_store(&listeners[place].number, 0);
    pthread_mutex_unlock(&turn);
    // A handler that has seen the listener is about to write to its descriptor.
    while (atomic_load(&handling) > 0)
        sched_yield();
}
