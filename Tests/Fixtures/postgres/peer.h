/* A server of the test, which speaks as much of the protocol as it wants to. */
#ifndef POSTGRES_TEST_PEER_H
#define POSTGRES_TEST_PEER_H

#include <stddef.h>

/* Listens at a free port of 127.0.0.1, where the next instance finds it. */
int peer_listen(void);

/* Accepts a client, and reads how it begins. */
int peer_accept(int listener);

/* Lets it in, and answers what it needs for its session. */
void peer_let_in(int peer);
void peer_set_up(int peer);

/* All of that. */
int peer_open(int listener);

void peer_send(int peer, char type, const void *body, size_t size);
void peer_send_text(int peer, char type, const char *text);

/* An error with this text; the server is ready, with this state of its transaction; a statement is over. */
void peer_fail(int peer, const char *text);
void peer_ready(int peer, char state);
void peer_complete(int peer, const char *tag, char state);

/* The rows of one column begin; a row with this text. */
void peer_begin_rows(int peer);
void peer_row(int peer, const char *text);

/* Reads a simple statement, which must be this one, or one with parameters. */
void peer_read(int peer, const char *sql);
void peer_read_statement(int peer);

/* Lets time pass until something comes from the plugin, or its end. */
void peer_pass(int peer);

/* Waits until the client has closed the connection, and closes it, too. */
void peer_end(int peer);

#endif
