/* A lack of memory. */
#ifndef REDIS_TEST_FAULTS_H
#define REDIS_TEST_FAULTS_H

/* After so many allocations, one fails; -1: none does. */
void fail_allocation(int after);

/* Whether it has failed. */
int has_failed(void);

#endif
