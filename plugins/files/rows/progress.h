// How far runs of `rows` have come, so that a call that the host makes again continues there.
#ifndef FILES_PROGRESS_H
#define FILES_PROGRESS_H

#include "row_place.h"
#include <pthread.h>

/* How many runs without a call an instance remembers. In a swap, no run has a call. */
enum { most_progresses = 1024 };

/* One run. A call that has ended may still emit while the next one begins: `turn` is held from an emission until its
 * place is noted. */
struct progress {
    struct progress *next;
    char *key; /* of the run */
    int users; /* calls */
    pthread_mutex_t turn;
    struct row_place place;
};

struct progresses {
    pthread_mutex_t turn;
    struct progress *first; /* the one that was used last */
};

/* Zeroed memory becomes an empty list; an error number after a failure. */
int progresses_init(struct progresses *all);
void progresses_free(struct progresses *all);

/* The progress of a run, for one more call; NULL without memory. A run without a key has a new one each time. */
struct progress *progress_take(struct progresses *all, const char *key);

/* How far it has come. With the second one it has not come anywhere. */
struct row_place progress_place(struct progress *progress);
void progress_reset(struct progress *progress);

/* Gives it back. It is forgotten if the run is over. If there are too many, the one that was used first is
 * forgotten. */
void progress_drop(struct progresses *all, struct progress *progress, int is_over);

/* Writes each one as a line: the key, and the numbers behind it. Reads such a line, without its end. */
spin_status progresses_save(struct progresses *all, spin_saving *saving);
spin_status progresses_restore(struct progresses *all, const char *line, size_t size);

#endif
