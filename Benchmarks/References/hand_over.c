#include "references.h"

#include <pthread.h>

/* `turn` is the side whose turn it is; `number` passes between the two sides. */
struct table {
    pthread_mutex_t mutex;
    pthread_cond_t given[2];
    int turn;
    int64_t number, limit;
};

/* Waits for the number, adds, and gives it to the other side; returns whether the count continues. */
static int take_turn(struct table *table, int side, int64_t add) {
    pthread_mutex_lock(&table->mutex);
    while (table->turn != side)
        pthread_cond_wait(&table->given[side], &table->mutex);
    table->number += add;
    int goes_on = table->number < table->limit;
    table->turn = !side;
    pthread_mutex_unlock(&table->mutex);
    pthread_cond_signal(&table->given[!side]);
    return goes_on;
}

static void *work(void *context) {
    while (take_turn(context, 1, 1))
        ;
    return NULL;
}

int64_t reference_hand_over(int64_t turns) {
    struct table table = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                          .given = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER},
                          .limit = turns};
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &table))
        return -1;
    while (take_turn(&table, 0, 0))
        ;
    pthread_join(thread, NULL);
    return table.number;
}
