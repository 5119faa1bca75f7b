// For pipe2. It must come before any header.
#define _GNU_SOURCE

#include "server.h"
#include "../with-peer/peer.h"
#include "../../plugin-host/host.h"
#include "../../plugin-host/programs.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t run(int errors, char *const arguments[]) {
    pid_t child = fork();
    check("a program begins", child >= 0);
    if (child > 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // It does not outlive a test that fails.
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(errors < 0 ? nothing : errors, 2);
    execvp(arguments[0], arguments);
    _exit(127);
}

void run_program(char *const arguments[]) {
    int status;
    pid_t child = run(-1, arguments);
    check(arguments[0], waitpid(child, &status, 0) == child && status == 0);
}

static int begin(struct server *server) {
    char port[16], path[128];
    int log[2];
    snprintf(port, sizeof port, "%d", server->port);
    snprintf(path, sizeof path, "%s/server.conf", server->folder);
    check("there is a pipe", pipe2(log, O_CLOEXEC) == 0);
    server->process =
        run(log[1], (char *[]){"/usr/sbin/nats-server", "-a", "127.0.0.1", "-p", port, "-c", path, NULL});
    close(log[1]);
    int ready = await_words(log[0], "Server is ready");
    server->log = log[0]; // Its later lines fit into the pipe.
    if (!ready)
        server_kill(server);
    return ready;
}

void server_begin(struct server *server, const char *configuration) {
    char path[128];
    snprintf(server->folder, sizeof server->folder, "/tmp/nats-test-XXXXXX");
    check("there is a folder", mkdtemp(server->folder) != NULL);
    snprintf(path, sizeof path, "%s/server.conf", server->folder);
    FILE *file = fopen(path, "w");
    check("there is a file", file != NULL);
    for (const char *next = configuration; *next; next++)
        if (next[0] == '%' && next[1] == 's')
            fputs(server->folder, file), next++;
        else
            fputc(*next, file);
    fclose(file);
    // Another program may take a free port first.
    for (int tries = 0; tries < 10; tries++) {
        close(peer_listen(&server->port));
        if (begin(server))
            return;
    }
    check("nats-server runs", 0);
}

void server_publish_numbers(const struct server *server, int count) {
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)server->port)};
    char number[16], line[4096] = "";
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("another client connects",
          client >= 0 && connect(client, (struct sockaddr *)&place, sizeof place) == 0);
    FILE *file = fdopen(client, "r+");
    fputs("CONNECT {\"verbose\":false}\r\n", file);
    for (int i = 1; i <= count; i++) {
        snprintf(number, sizeof number, "%d", i);
        fprintf(file, "PUB count %zu\r\n%s\r\n", strlen(number), number);
    }
    fputs("PING\r\n", file);
    fflush(file);
    while (strcmp(line, "PONG\r\n") != 0)
        check("the server answers", fgets(line, sizeof line, file) != NULL);
    fclose(file);
}

void server_kill(struct server *server) {
    int status;
    kill(server->process, SIGKILL);
    waitpid(server->process, &status, 0);
    close(server->log);
}

void server_again(struct server *server) { check("nats-server runs again", begin(server)); }

void server_end(struct server *server) {
    server_kill(server);
    run_program((char *[]){"rm", "-rf", server->folder, NULL});
}
