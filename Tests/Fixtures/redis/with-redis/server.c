#include "server.h"
#include "../with-peer/peer.h"
#include "../../plugin-host/host.h"
#include "../../plugin-host/programs.h"
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child = -1;
static int port;
static const char *extra[2];
static redisContext *client;

/* Begins it at the port; 0 if it cannot. Its further lines go to a pipe that nobody reads, so there are few. */
static int begin(void) {
    char number[8];
    int log[2];
    snprintf(number, sizeof number, "%d", port);
    check("there is a pipe", pipe(log) == 0);
    child = fork();
    check("a program begins", child >= 0);
    if (child == 0) {
        dup2(log[1], 1);
        dup2(log[1], 2);
        close(log[0]);
        execlp("redis-server", "redis-server", "--port", number, "--bind", "127.0.0.1", "--appendonly", "yes",
               "--appendfsync", "always", "--save", "", "--stop-writes-on-bgsave-error", "yes",
               "--unixsocket", "redis.sock", extra[0], extra[1], NULL);
        _exit(127);
    }
    close(log[1]);
    int is_up = await_words(log[0], "eady to accept connections");
    close(log[0]);
    return is_up;
}

static void dial(void) {
    client = redisConnect("127.0.0.1", port);
    check("a client connects", client && !client->err);
}

void server_begin(const char *option, const char *value) {
    extra[0] = option;
    extra[1] = value;
    int is_up = 0;
    /* Another program may take a free port first. */
    for (int tries = 0; !is_up && tries < 10; tries++) {
        close(peer_listen(&port));
        is_up = begin();
    }
    check("the server runs", is_up);
    dial();
}

int server_port(void) { return port; }

void server_kill(void) {
    int status;
    redisFree(client);
    client = NULL;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
}

void server_begin_again(void) {
    check("the server runs again", begin());
    dial();
}

void server_end(void) {
    server_kill();
    check("nothing is left", system("rm -rf appendonlydir redis.sock dump.rdb") == 0);
}

static size_t show(char *to, size_t capacity, const redisReply *reply) {
    size_t used = 0;
    if (reply->type == REDIS_REPLY_INTEGER)
        return (size_t)snprintf(to, capacity, "%lld", reply->integer);
    if (reply->type == REDIS_REPLY_NIL)
        return (size_t)snprintf(to, capacity, "null");
    if (reply->type != REDIS_REPLY_ARRAY)
        return (size_t)snprintf(to, capacity, "%s", reply->str);
    for (size_t i = 0; i < reply->elements && used < capacity; i++) {
        if (i > 0)
            to[used++] = ' ';
        used += show(to + used, capacity - used, reply->element[i]);
    }
    return used;
}

const char *answer_to(const char *command) {
    static char text[8192];
    redisReply *reply = redisCommand(client, command);
    check("the server answers", reply != NULL);
    memset(text, 0, sizeof text);
    show(text, sizeof text, reply);
    freeReplyObject(reply);
    return text;
}

void await_no_reader(void) {
    while (strstr(answer_to("CLIENT LIST"), "cmd=xreadgroup"))
        ; /* The server has not heard of the end yet. */
}

void ask(const char *command, const char *answer) { expect(command, answer_to(command), answer); }
