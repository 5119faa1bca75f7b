/* A real server of the test, in a folder of its own. */
#ifndef POSTGRES_TEST_SERVER_H
#define POSTGRES_TEST_SERVER_H

/* Makes and starts it, at the local socket and at a free port of 127.0.0.1. */
void server_make(void);
void server_remove(void);

/* Ends it without any care, as a crash does; starts it again. */
void server_kill(void);
void server_start(void);

/* How clients find it: as the user `ada`, who needs no password, and who may not do everything. */
const char *server_place(void);
int server_port(void);

/* Its folder, with the certificate `cert.pem` of the name `localhost`. */
const char *server_folder(void);

/* Runs a statement as the owner of the server. */
void server_run(const char *sql);

/* Waits until this condition holds for the server. */
void server_await(const char *condition);

#endif
