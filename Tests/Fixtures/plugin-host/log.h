/* The log of the host for tests. */
#ifndef PLUGIN_TEST_LOG_H
#define PLUGIN_TEST_LOG_H

/* The service of the log. */
const void *log_service(void);

/* How many lines had this text, whatever their fields were. */
int host_logged(const char *text);

#endif
