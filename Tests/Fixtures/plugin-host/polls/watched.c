#include "watched.h"
#include "../polls.h"
#include <string.h>
#include <sys/epoll.h>

pthread_mutex_t watched_turn = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t watched_changed = PTHREAD_COND_INITIALIZER;

enum { most = 256 };
static struct watched all[most];
static uint64_t last_number;

struct watched *watched_find(uint64_t number) {
    for (struct watched *next = all; next < all + most; next++)
        if (number && next->number == number && !next->has_ended)
            return next;
    return NULL;
}

struct watched *watched_add(struct watched given) {
    struct watched *place = all;
    while (place < all + most && place->number)
        place++;
    check("there is room for a poll", place < all + most);
    *place = given;
    place->number = ++last_number;
    return place;
}

struct watched watched_end(struct watched *watched) {
    struct watched ended = *watched;
    if (watched->descriptor >= 0 && !watched->has_ended)
        epoll_ctl(watched_epoll, EPOLL_CTL_DEL, watched->descriptor, NULL);
    watched->has_ended = 1;
    if (watched->is_running)
        return (struct watched){0};
    watched->number = 0;
    return ended;
}

void watched_release(struct watched ended) {
    if (ended.release)
        ended.release(ended.context);
}

void watched_call(uint64_t number, uint64_t value) {
    pthread_mutex_lock(&watched_turn);
    struct watched *watched = watched_find(number);
    if (watched)
        watched->is_running = 1;
    pthread_mutex_unlock(&watched_turn);
    if (!watched)
        return;
    watched->function(watched->context, value);
    pthread_mutex_lock(&watched_turn);
    watched->is_running = 0;
    struct watched ended = {0};
    if (watched->has_ended || watched->descriptor < 0)
        ended = watched_end(watched);
    pthread_mutex_unlock(&watched_turn);
    watched_release(ended);
}

struct watched *watched_first_due(int64_t until) {
    struct watched *first = NULL;
    for (struct watched *next = all; next < all + most; next++)
        if (next->number && !next->has_ended && !next->is_running && next->descriptor < 0 &&
            next->due <= until && (!first || next->due < first->due))
            first = next;
    return first;
}

void polls_end(spin_call *call) {
    pthread_mutex_lock(&watched_turn);
    for (struct watched *next = all; next < all + most; next++) {
        if (!next->number || next->call != call || next->has_ended)
            continue;
        struct watched ended = watched_end(next);
        pthread_mutex_unlock(&watched_turn);
        watched_release(ended);
        pthread_mutex_lock(&watched_turn);
    }
    pthread_mutex_unlock(&watched_turn);
}
