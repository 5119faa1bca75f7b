/* The world of an instance: a folder, which is the current one, and calls of its effects. */
#ifndef FILES_TEST_WORLD_H
#define FILES_TEST_WORLD_H

#include "files.h"
#include "../plugin-host/host.h"
#include "../plugin-host/polls.h"
#include "../plugin-host/saved.h"
#include "../plugin-host/work.h"
#include <stddef.h>

#define TEXT(literal) ((spin_string){literal, sizeof literal - 1})

/* The settings of the next instance. */
extern struct spin_config config;
void reset_config(void);

/* Makes an instance, or one that starts too; why it does not is the text of the call. */
spin_self *create(void);
spin_self *make(void);
const char *reason_of_start(void);
void stop(spin_self *self);
void destroy(spin_self *self);
void end(spin_self *self);

/* Another instance, which restores what this one saves, and starts. */
spin_self *take_over(spin_self *self);

/* Calls an effect; `key` is that of its run. A watch has begun then, or has failed. */
spin_call *call_watch(spin_self *self, const char *key, const char *path, const char *how,
                      spin_duration settle);
spin_call *call_path(spin_self *self, const char *effect, const char *path);
spin_call *call_move(spin_self *self, const char *path, const char *to);
spin_call *call_data(spin_self *self, const char *effect, const char *key, const char *path,
                     const char *data);
spin_call *call_rows(spin_self *self, const char *key, const char *path, int count, const char *columns[]);
const char *result(spin_call *call);

/* What gets rows in place of the transcript, if it is set. */
extern void (*row_sink)(int64_t line, const spin_list_string *fields);

/* The room that the next call has; -1 for all. */
extern int room_of_next;

/* Holds a watch, which has no room for a new file. What happens until it has room is one batch for it. */
void hold(spin_call *watch, const char *path);

/* Changes the folder, as another program does. */
void make_file(const char *path, const char *content);
void grow_file(const char *path);
void make_dir(const char *path);
void remove_all(const char *path);
void rename_path(const char *from, const char *to);
void make_dirs(const char *first, const char *second, const char *third);

/* Makes a link, which may take the place of another one. */
void make_link(const char *target, const char *path);

/* What a file has. */
const char *content_of(const char *path);

/* The parts of the test. */
void test_reading(void);
void test_writing(void);
void test_changes(void);
void test_globs(void);
void test_searches(void);
void test_roots(void);
void test_watches(void);
void test_trees(void);
void test_routes(void);
void test_targets(void);
void test_counts(void);
void test_rows(void);
void test_row_limits(void);
void test_row_places(void);
void test_losses(void);
void test_ends(void);

#endif
