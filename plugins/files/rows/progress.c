#include "progress.h"
#include "../once.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int progresses_init(struct progresses *all) { return pthread_mutex_init(&all->turn, NULL); }

static void free_progress(struct progress *progress) {
    pthread_mutex_destroy(&progress->turn);
    free(progress->key);
    free(progress);
}

void progresses_free(struct progresses *all) {
    for (struct progress *progress; (progress = all->first);) {
        all->first = progress->next;
        free_progress(progress);
    }
    pthread_mutex_destroy(&all->turn);
}

static struct progress *make(const char *key, size_t size) {
    struct progress *progress = calloc(1, sizeof *progress);
    if (!progress)
        return NULL;
    progress->key = strndup(key, size);
    if (progress->key && pthread_mutex_init(&progress->turn, NULL) == 0)
        return progress;
    free(progress->key);
    free(progress);
    return NULL;
}

static void add(struct progresses *all, struct progress *progress) {
    progress->next = all->first;
    all->first = progress;
}

static void move_to_front(struct progresses *all, struct progress *progress) {
    struct progress **place = &all->first;
    while (*place != progress)
        place = &(*place)->next;
    *place = progress->next;
    add(all, progress);
}

struct progress *progress_take(struct progresses *all, const char *key) {
    pthread_mutex_lock(&all->turn);
    struct progress *found = *key ? all->first : NULL;
    while (found && strcmp(found->key, key) != 0)
        found = found->next;
    if (!found && (found = make(key, strlen(key))))
        add(all, found);
    if (found)
        found->users++;
    pthread_mutex_unlock(&all->turn);
    return found;
}

struct row_place progress_place(struct progress *progress) {
    pthread_mutex_lock(&progress->turn);
    struct row_place place = progress->place;
    pthread_mutex_unlock(&progress->turn);
    return place;
}

void progress_reset(struct progress *progress) {
    pthread_mutex_lock(&progress->turn);
    progress->place = (struct row_place){0};
    pthread_mutex_unlock(&progress->turn);
}

static int has_place(struct progress *progress) {
    return *progress->key && row_place_is_set(progress_place(progress));
}

void progress_drop(struct progresses *all, struct progress *progress, int is_over) {
    pthread_mutex_lock(&all->turn);
    progress->users--;
    if (is_over)
        progress_reset(progress);
    move_to_front(all, progress);
    size_t count = 0;
    for (struct progress **place = &all->first; *place;) {
        struct progress *next = *place;
        // The lock of one that has a call may be held for an emission.
        int is_needed = next->users > 0 || (has_place(next) && count++ < most_progresses);
        if (is_needed) {
            place = &next->next;
            continue;
        }
        *place = next->next;
        free_progress(next);
    }
    pthread_mutex_unlock(&all->turn);
}

/* The numbers of a place, in the order of its line. */
enum { number_count = sizeof(struct row_place) / sizeof(uint64_t) };
_Static_assert(sizeof(struct row_place) == 11 * sizeof(uint64_t), "a place has numbers only");

spin_status progresses_save(struct progresses *all, spin_saving *saving) {
    spin_status status = SPIN_OK;
    // A call that is over may give its progress back meanwhile.
    pthread_mutex_lock(&all->turn);
    for (struct progress *next = all->first; next && status == SPIN_OK; next = next->next) {
        uint64_t numbers[number_count];
        char line[SPIN_RUN_KEY_SIZE + number_count * 24];
        struct row_place place = progress_place(next);
        if (!*next->key || !row_place_is_set(place))
            continue;
        memcpy(numbers, &place, sizeof numbers);
        size_t size = (size_t)snprintf(line, sizeof line, "%s", next->key);
        for (size_t i = 0; i < number_count; i++)
            size +=
                (size_t)snprintf(line + size, sizeof line - size, " %llu", (unsigned long long)numbers[i]);
        line[size++] = '\n';
        status = spin_write(saving, line, size);
    }
    pthread_mutex_unlock(&all->turn);
    return status;
}

// Reads a space and a number; 0 if something else is there.
static int take_number(const char **text, const char *end, uint64_t *number) {
    if (*text == end || **text != ' ')
        return 0;
    const char *first = *text + 1, *next = first;
    *number = 0;
    for (; next < end && *next >= '0' && *next <= '9'; next++)
        if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*next - '0'), number))
            return 0;
    *text = next;
    return next > first;
}

// Whether a place can be one of a file.
static int is_possible(const struct row_place *place) {
    return row_place_is_set(*place) && place->offset <= INT64_MAX && place->last_size <= place->offset &&
           place->lines < INT64_MAX && place->rows < INT64_MAX && place->has_ended <= 1;
}

spin_status progresses_restore(struct progresses *all, const char *line, size_t size) {
    const char *end = line + size, *next = memchr(line, ' ', size);
    uint64_t numbers[number_count];
    for (size_t i = 0; i < number_count; i++)
        if (!next || !take_number(&next, end, &numbers[i]))
            return SPIN_BAD_VALUE;
    struct row_place place;
    memcpy(&place, numbers, sizeof place);
    size_t key_size = strcspn(line, " ");
    if (next != end || !is_possible(&place) || !run_key_is_valid(line, key_size))
        return SPIN_BAD_VALUE;
    struct progress *progress = make(line, key_size);
    if (!progress)
        return SPIN_NO_MEMORY;
    progress->place = place;
    // The lines are in the order of the list.
    struct progress **last = &all->first;
    while (*last)
        last = &(*last)->next;
    *last = progress;
    return SPIN_OK;
}
