// Where streams of events have ended, so that the next version of the plugin continues there.
#ifndef HTTP_PLACES_H
#define HTTP_PLACES_H

#include "http.h"
#include <pthread.h>

/* The longest id of an event in bytes. */
enum { LONGEST_ID = 4096 };

/* How many places are kept: those of the streams that have ended last. */
enum { MOST_PLACES = 64 };

/* The last id of the stream of a run. */
struct place {
    char key[SPIN_RUN_KEY_SIZE];
    char *id;
};

/* Zeroed places are empty, once they have a lock. */
struct places {
    pthread_mutex_t turn;
    struct place all[MOST_PLACES]; /* from the oldest on */
    size_t count;
};

/* Keeps the place of a run, in place of an earlier one; without memory it keeps nothing. On any thread. */
void places_keep(struct places *places, const char *key, spin_string id);

/* The id that was kept for a run, which the caller frees; NULL without one. It is kept no longer. On any
 * thread. */
char *places_take(struct places *places, const char *key);

/* Writes all places. */
spin_status places_save(struct places *places, spin_saving *saving);

/* Takes over what `places_save` has written, all of it or nothing; 0 for other bytes. */
int places_restore(struct places *places, const uint8_t *data, size_t size);

/* Frees the places. */
void places_free(struct places *places);

#endif
