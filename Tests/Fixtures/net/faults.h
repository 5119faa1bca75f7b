/* Failures of the system that a test orders. The linker puts them in place of the functions. */
#ifndef NET_TEST_FAULTS_H
#define NET_TEST_FAULTS_H

/* The next so many calls of `send` fail with this error number. */
void fail_sends(int count, int error);

/* The allocation after so many others fails; whether it has. */
void fail_allocation(int after);
int has_failed(void);

#endif
