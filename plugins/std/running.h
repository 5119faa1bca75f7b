// The programs that run: none outlives the host.
#ifndef STD_RUNNING_H
#define STD_RUNNING_H

/* A program's place among them. */
struct running {
    struct running *next, **previous;
    int cancelled;
};

/* Adds a program that is about to start; writing to `cancelled`, an eventfd, is to end it. */
void running_add(struct running *running, int cancelled);

/* Takes a program out that has ended. */
void running_remove(struct running *running);

#endif
