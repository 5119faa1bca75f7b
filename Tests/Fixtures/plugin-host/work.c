#include "work.h"
#include "host.h"
#include <pthread.h>
#include <stdlib.h>

struct work {
    void (*function)(void *context);
    void *context;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running;

static void *run(void *context) {
    struct work work = *(struct work *)context;
    free(context);
    work.function(work.context);
    pthread_mutex_lock(&turn);
    running--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
    return NULL;
}

static spin_status submit(const spin_host *host, void (*function)(void *context), void *context) {
    (void)host;
    struct work *work = malloc(sizeof *work);
    pthread_t thread;
    check("there is memory", work != NULL);
    *work = (struct work){function, context};
    pthread_mutex_lock(&turn);
    running++;
    pthread_mutex_unlock(&turn);
    check("a thread begins", pthread_create(&thread, NULL, run, work) == 0 && pthread_detach(thread) == 0);
    return SPIN_OK;
}

void host_await_work(void) {
    pthread_mutex_lock(&turn);
    while (running > 0)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

const void *work_service(void) {
    static const spin_work_service work = {sizeof work, 0, submit};
    return &work;
}
