// What a watch has found and not emitted yet, as the loop may have no room.
#ifndef FILES_OUTBOX_H
#define FILES_OUTBOX_H

#include "../../std/task.h"
#include "../files.h"

enum report_kind {
    REPORT_PRESENT,
    REPORT_CREATED,
    REPORT_CHANGED,
    REPORT_REMOVED,
    REPORT_MOVED,
    REPORT_RESCAN
};

struct report {
    struct report *next;
    enum report_kind kind;
    int is_folder;
    char *path, *from; /* `from` is NULL, except for REPORT_MOVED; `path` is the reason of REPORT_RESCAN */
};

struct outbox {
    struct report *first, *last;
};

/* Adds a report of a path, which it copies, as it does `from`. 0 without memory. */
int outbox_add(struct outbox *outbox, enum report_kind kind, int is_folder, const char *path,
               const char *from);

/* Emits all reports; 0 if the call waits for room, or is over. */
int outbox_emit(struct outbox *outbox, struct task *task);

void outbox_free(struct outbox *outbox);

#endif
