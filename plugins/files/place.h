// Where paths begin: in the folder of the setting `root`, which no path leaves, or where the host runs.
#ifndef FILES_PLACE_H
#define FILES_PLACE_H

#include "problem.h"
#include <sys/stat.h>

struct place {
    int root; /* the folder; AT_FDCWD without one */
};

/* Opens the folder. 0 with a problem. */
int place_init(struct place *place, const spin_config *config, struct problem *problem);
void place_free(struct place *place);

/* Opens a path; -1 with a problem. `mode` is for O_CREAT. */
int place_open(const struct place *place, const char *path, int flags, mode_t mode, struct problem *problem);

/* A path that leads to what is open, whatever has its own path by now. */
enum { DESCRIPTOR_PATH_SIZE = 32 };
void descriptor_path(int descriptor, char path[DESCRIPTOR_PATH_SIZE]);

/* Opens a regular file, and nothing else; -1 with a problem. */
int place_open_file(const struct place *place, const char *path, int flags, struct stat *status,
                    struct problem *problem);

/* Opens the folder of a path with O_PATH or O_RDONLY, and finds the last name of the path. -1 with a problem. */
int place_open_folder(const struct place *place, const char *path, int flags, const char **name,
                      struct problem *problem);

/* What a path names: 1, or 0 if there is nothing; -1 with a problem. A link at its end is followed if wanted. */
int place_look(const struct place *place, const char *path, int follows, struct stat *status,
               struct problem *problem);

#endif
