#include "server.h"
#include "../plugin-host/host.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int runs; /* whether the server must be ended, also when a test fails */
static char folder[] = "/tmp/postgres-test-XXXXXX", programs[256], place[256];
static int port;

const char *server_folder(void) { return folder; }
const char *server_place(void) { return place; }
int server_port(void) { return port; }

/* The server refuses to run as root. */
static const struct passwd *owner(void) { return getuid() == 0 ? getpwnam("postgres") : NULL; }

static int run(const char *program, char *const arguments[]) {
    const struct passwd *user = owner();
    int status;
    pid_t child = fork();
    check("a program begins", child >= 0);
    if (child == 0) {
        int log = open("log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        dup2(log, 1);
        dup2(log, 2);
        if (user && (setgroups(0, NULL) || setgid(user->pw_gid) || setuid(user->pw_uid)))
            _exit(126);
        execv(program, arguments);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void find_programs(void) {
    glob_t found;
    check("there is a server", glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) == 0);
    snprintf(programs, sizeof programs, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
}

static int run_server_program(const char *name, char *const arguments[]) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", programs, name);
    return run(path, arguments);
}

static int free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("there is a port", bind(listener, (struct sockaddr *)&address, size) == 0 &&
                                 getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    close(listener);
    return ntohs(address.sin_port);
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    check("there is a file", file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    const struct passwd *user = owner();
    check("the server may read it",
          chmod(name, 0600) == 0 && (!user || chown(name, user->pw_uid, user->pw_gid) == 0));
}

static int try_start(void) {
    char options[512];
    snprintf(options, sizeof options,
             "-p %d -k %s -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=30 -c ssl=on "
             "-c ssl_cert_file=%s/cert.pem -c ssl_key_file=%s/key.pem -c max_prepared_transactions=4",
             port, folder, folder, folder);
    return run_server_program("pg_ctl", (char *[]){"pg_ctl", "-D", "data", "-l", "server.log", "-w", "-s",
                                                   "-o", options, "start", NULL});
}

void server_start(void) {
    runs = try_start();
    check("the server starts", runs);
}

void server_kill(void) {
    runs = 0;
    check("the server ends", run_server_program("pg_ctl", (char *[]){"pg_ctl", "-D", "data", "-m",
                                                                     "immediate", "-w", "-s", "stop", NULL}));
}

static void clean(void) {
    if (runs)
        server_kill();
}

static PGconn *connect_owner(void) {
    char text[256];
    snprintf(text, sizeof text, "host=%s port=%d user=owner dbname=postgres", folder, port);
    PGconn *link = PQconnectdb(text);
    check("the owner connects", PQstatus(link) == CONNECTION_OK);
    return link;
}

void server_run(const char *sql) {
    PGconn *link = connect_owner();
    PGresult *result = PQexec(link, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        expect(sql, PQerrorMessage(link), "");
    PQclear(result);
    PQfinish(link);
}

void server_await(const char *condition) {
    char sql[1024];
    // The server itself waits between two looks.
    snprintf(sql, sizeof sql,
             "DO $do$ BEGIN WHILE NOT (%s) LOOP PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot(); "
             "END LOOP; END $do$",
             condition);
    server_run(sql);
}

void server_make(void) {
    const struct passwd *user = owner();
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0 &&
                                   (!user || chown(folder, user->pw_uid, user->pw_gid) == 0) &&
                                   chmod(folder, 0755) == 0);
    find_programs();
    check("there is a certificate",
          run("/usr/bin/openssl",
              (char *[]){"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                         "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem", NULL}));
    check("there is a database",
          run_server_program("initdb", (char *[]){"initdb", "-D", "data", "-U", "owner", "-A", "trust", "-E",
                                                  "UTF8", "-N", "--locale=C", NULL}));
    write_file("data/pg_hba.conf", "local all all trust\nhostssl all bob all scram-sha-256\n"
                                   "host all carl all password\nhost all all all trust\n");
    atexit(clean);
    for (int tries = 0; tries < 10; tries++) {
        port = free_port(); // Another program may take it first.
        if ((runs = try_start()))
            break;
    }
    snprintf(place, sizeof place, "host=%s port=%d user=ada dbname=test", folder, port);
    server_run("CREATE ROLE ada LOGIN");
    server_run("CREATE ROLE bob LOGIN PASSWORD 'correct horse'");
    server_run("CREATE ROLE carl LOGIN PASSWORD 'battery staple'");
    server_run("CREATE DATABASE test OWNER ada");
}

void server_remove(void) {
    server_kill();
    check("the folder is removed",
          chdir("/tmp") == 0 && run("/bin/rm", (char *[]){"rm", "-rf", folder, NULL}));
}
