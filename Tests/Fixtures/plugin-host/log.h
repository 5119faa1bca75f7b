/* The log of the test's host. */
#ifndef PLUGIN_TEST_LOG_H
#define PLUGIN_TEST_LOG_H

/* How many lines have this text, whatever their fields are. */
int log_count(const char *text);

/* The fields with texts of the last line with this text, as `name=value name=value`; empty without one. */
const char *log_fields(const char *text);

/* For the host. */
const void *log_service(void);

#endif
