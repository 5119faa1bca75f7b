// How far runs of `rows` have come, so that a call that the host makes again continues there.
#ifndef FILES_PROGRESS_H
#define FILES_PROGRESS_H

#include "../files.h"
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>

/* How many runs without a call an instance remembers. In a swap, no run has a call. */
enum { most_progresses = 1024 };

/* A place in a file: behind the last row that a loop has got. */
struct row_place {
    uint64_t device, inode, size, seconds, nanoseconds; /* the file, when it was opened */
    uint64_t offset;
    uint64_t lines, rows;     /* before it */
    uint64_t last_size, hash; /* of the bytes of that row */
    uint64_t has_ended;       /* whether the loop has got all */
};

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

/* Gives it back. It is forgotten if the run is over. If there are too many, the one that was used first is forgotten. */
void progress_drop(struct progresses *all, struct progress *progress, int is_over);

/* Sets which file a place is in. */
void row_place_begin(struct row_place *place, const struct stat *status);

/* Whether a place is in an open file, which is that of `now`, with the same bytes just before it. The file may have
 * grown. */
int row_place_is_in(const struct row_place *place, int file, const struct row_place *now);

/* Adds bytes to a hash, which begins with 0. */
uint64_t row_hash(uint64_t hash, const char *bytes, size_t size);

/* Writes each one as a line: the key, and the numbers behind it. Reads such a line, without its end. */
spin_status progresses_save(struct progresses *all, spin_saving *saving);
spin_status progresses_restore(struct progresses *all, const char *line, size_t size);

#endif
