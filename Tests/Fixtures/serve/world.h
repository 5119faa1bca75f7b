// An instance of `serve`, a loop that hears of requests, and clients.
#ifndef SERVE_TEST_WORLD_H
#define SERVE_TEST_WORLD_H

#include "../plugin-host/host.h"
#include "../plugin-host/plugin.h"
#include "serve.h"

/* The host of the tests, which also counts the lines of its log. */
const spin_host *world_host(void);
int logged(const char *line);

/* The settings of the next instance. */
extern struct spin_config config;

spin_self *create(void);
void start(spin_self *self);
int port(const spin_self *self);

/* A call of `requests`. */
spin_call *requests(spin_self *self);

/* Waits for a request that nobody has answered, and takes its name. */
enum { name_size = 64 };
const char *take_name(char *name);

/* Answers a request; how the call ended. */
const char *respond(spin_self *self, const char *id, int32_t status, const char *body);

/* A client, which asks, and reads an answer: `STATUS BODY`, or `closed`. */
int connect_to(int port);
void ask(int client, const char *path);
const char *answer(int client, char *found, size_t capacity);
const char *exchange(int client, const char *path, char *found, size_t capacity);

#endif
