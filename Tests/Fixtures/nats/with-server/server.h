/* nats-server, with the configuration of a test. */
#ifndef NATS_TEST_SERVER_H
#define NATS_TEST_SERVER_H

#include <sys/types.h>

struct server {
    pid_t process;
    int port, log;
    char folder[64];
};

/* Begins a server with these lines of configuration, in which `%s` is its folder; waits until it is ready. */
void server_begin(struct server *server, const char *configuration);

/* Kills it, and begins it again at the same port. */
void server_kill(struct server *server);
void server_again(struct server *server);

/* Another client publishes the numbers from 1 to `count`, and the server has them. */
void server_publish_numbers(const struct server *server, int count);

/* Ends it, and removes its folder. */
void server_end(struct server *server);

/* Runs a program until it has ended well. */
void run_program(char *const arguments[]);

#endif
