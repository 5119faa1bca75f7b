/* A Redis server of the test, and a client of it that is not the plugin. */
#ifndef REDIS_TEST_SERVER_H
#define REDIS_TEST_SERVER_H

/* Begins a server at a free port, with these further options, or NULL. All servers keep the port. */
void server_begin(const char *option, const char *value);
int server_port(void);

/* Kills it, and begins it again with the same data on its disk. */
void server_kill(void);
void server_begin_again(void);

/* Stops it for good. */
void server_end(void);

/* Does a command, whose answer must be this text: an integer as digits, the values of a list with spaces between. */
void ask(const char *command, const char *answer);

/* Waits until the server knows that nobody reads a stream any more. Otherwise it could give a new entry away. */
void await_no_reader(void);

/* Does a command, and returns the answer as such a text. */
const char *answer_to(const char *command);

#endif
