// The programs that run. None outlives the host.
#ifndef STD_RUNNING_H
#define STD_RUNNING_H

/* A program's place in the list. */
struct running {
    struct running *next, **previous;
    int cancelled;
};

/* Adds a program that is about to start. A write to `cancelled`, an eventfd, must end it. */
void running_add(struct running *running, int cancelled);

/* Removes a program that has ended. */
void running_remove(struct running *running);

#endif
