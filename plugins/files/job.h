// One call that reads or changes files.
#ifndef FILES_JOB_H
#define FILES_JOB_H

#include "problem.h"

enum job_kind {
    /* Those up to here emit what they find. */
    JOB_READ,
    JOB_READ_BYTES,
    JOB_GLOB,
    /* The others change files. */
    JOB_WRITE,
    JOB_APPEND,
    JOB_REMOVE,
    JOB_MOVE,
    JOB_MAKE_FOLDER,
};

struct job {
    struct job *next; /* in the queue */
    spin_self *self;
    spin_call *call;
    enum job_kind kind;
    char key[SPIN_RUN_KEY_SIZE]; /* of its run, or empty */
    /* Copies of the arguments, in the memory of the job: a cancelled call takes its arguments along. */
    const char *path, *to;
    spin_bytes data;
};

/* Makes a job and adds it to the queue. Called by an effect. */
void job_begin(spin_call *call, spin_self *self, enum job_kind kind, const char *path, const char *to,
               spin_bytes data);

/* Runs it and ends its call. On the queue's thread, as what follows. */
void job_run(struct job *job);

/* Ends the call, after an emission of `size` bytes that had this status. */
void job_finish(struct job *job, spin_status status, size_t size);

/* Ends the call as failed. */
void job_fail(struct job *job, const struct problem *problem);

/* Whether the call is over; sets the problem then, which nobody sees. */
int job_is_over(struct job *job, struct problem *problem);

void job_free(struct job *job);

/* What the kinds do. Those that emit end the call if they succeed. 0 with a problem. */
int answer_with_text(struct job *job, struct problem *problem);
int answer_with_bytes(struct job *job, struct problem *problem);
int answer_with_paths(struct job *job, struct problem *problem);
int write_file(struct job *job, struct problem *problem);
int append_to_file(struct job *job, struct problem *problem);
int remove_path(struct job *job, struct problem *problem);
int move_path(struct job *job, struct problem *problem);
int make_folders(struct job *job, struct problem *problem);

#endif
