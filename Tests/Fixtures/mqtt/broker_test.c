// The tests with mosquitto.
#include "../plugin-host/counts.h"
#include "../plugin-host/host.h"
#include "../plugin-host/log.h"
#include "../plugin-host/programs.h"
#include "../plugin-host/threads.h"
#include "peer.h"
#include "world.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/mqtt-test-XXXXXX";
static int port;

static pid_t run(int errors, char *const arguments[]) {
    pid_t child = fork();
    check("a program begins", child >= 0);
    if (child > 0)
        return child;
    dup2(errors, 2);
    execvp(arguments[0], arguments);
    _exit(127);
}

static void end(pid_t child, int signal) {
    int status;
    kill(child, signal);
    waitpid(child, &status, 0);
}

// Begins mosquitto at the port, and waits until it runs; -1 if it cannot.
static pid_t begin_broker(void) {
    char path[64];
    int log[2];
    snprintf(path, sizeof path, "%s/mosquitto.conf", folder);
    FILE *file = fopen(path, "w");
    check("there is a file", file != NULL);
    fprintf(file, "listener %d 127.0.0.1\nallow_anonymous true\npersistence false\nlog_dest stderr\n", port);
    fprintf(file, "log_type information\nmax_queued_messages 0\n");
    fclose(file);
    check("there is a pipe", pipe(log) == 0);
    pid_t broker = run(log[1], (char *[]){"/usr/sbin/mosquitto", "-c", path, NULL});
    close(log[1]);
    int runs = await_words(log[0], " running\n");
    close(log[0]);
    if (!runs)
        end(broker, SIGKILL);
    return runs ? broker : -1;
}

// Another program may take a free port first.
static pid_t begin_first_broker(void) {
    pid_t broker = -1;
    for (int tries = 0; broker < 0 && tries < 10; tries++) {
        close(peer_listen(&port));
        broker = begin_broker();
    }
    check("mosquitto runs", broker > 0);
    return broker;
}

// Another client publishes the numbers up to `count`.
static void publish_numbers(int count, const char *qos) {
    int ends[2], status;
    char place[8];
    snprintf(place, sizeof place, "%d", port);
    check("there is a pipe", pipe(ends) == 0);
    pid_t child = fork();
    check("a program begins", child >= 0);
    if (child == 0) {
        dup2(ends[0], 0);
        close(ends[0]);
        close(ends[1]);
        execlp("mosquitto_pub", "mosquitto_pub", "-h", "127.0.0.1", "-p", place, "-q", qos, "-t", "count",
               "-l", NULL);
        _exit(127);
    }
    close(ends[0]);
    FILE *numbers = fdopen(ends[1], "w");
    for (int i = 1; i <= count; i++)
        fprintf(numbers, "%d\n", i);
    fclose(numbers);
    check("it has published", waitpid(child, &status, 0) == child && status == 0);
}

enum { many = 20000 };

// Nothing of QoS 1 is lost while a mailbox is full again and again.
static void test_many(spin_self *self) {
    spin_call *call = host_call("run");
    host_set_room(call, 0);
    world_subscribe_with(self, call, "count", 1);
    struct room_giver giver;
    room_giver_begin(&giver, call, 100, many / 100);
    publish_numbers(many, "1");
    await_count(many);
    host_cancel(call);
    room_giver_end(&giver);
}

static spin_call *publish(spin_self *self, int number) { return world_publish(self, "b", "x", number % 3); }

// Each message comes to one of the clients that share a subscription. The broker takes turns.
static void test_shared(spin_self *self) {
    spin_self *other = world_start();
    world_await_connection(other);
    spin_call *one = world_subscribe(self, "$share/g/s", 1), *two = world_subscribe(other, "$share/g/s", 1);
    // The broker has a subscription before it acknowledges this.
    expect("the first subscribes", host_ended(world_publish(self, "b", "x", 1)), "");
    expect("the second subscribes", host_ended(world_publish(other, "b", "x", 1)), "");
    expect("a message", host_ended(world_publish(self, "s", "1", 1)), "");
    expect("another one", host_ended(world_publish(self, "s", "2", 1)), "");
    const char *first = host_await(one, "q1\n"), *second = host_await(two, "q1\n");
    int is_first = strcmp(first, "s 1 q1\n") == 0;
    expect("one client has one", first, is_first ? "s 1 q1\n" : "s 2 q1\n");
    expect("the other client has the other", second, is_first ? "s 2 q1\n" : "s 1 q1\n");
    host_cancel(one);
    host_cancel(two);
    world_stop(other);
    world_destroy(other);
}

void test_broker(void) {
    check("there is a folder", mkdtemp(folder) != NULL);
    pid_t broker = begin_first_broker();
    world_init(port);
    spin_self *self = world_start();
    spin_call *connection = world_connection(self);
    host_await(connection, "connected\n");
    test_many(self);
    // Some of the calls are cancelled.
    make_calls_at_once(self, 100, publish);
    test_shared(self);
    end(broker, SIGKILL);
    host_await(connection, "cannot connect: Connection refused\n");
    char fields[96];
    snprintf(fields, sizeof fields, "broker=127.0.0.1:%d reason=cannot connect: Connection refused", port);
    expect("the log names the broker", log_fields("not connected to the broker"), fields);
    broker = begin_broker();
    check("mosquitto runs again", broker > 0);
    host_await(connection, "connected\n");
    expect("it works again", host_ended(world_publish(self, "a", "1", 2)), "");
    host_cancel(connection);
    world_stop(self);
    world_destroy(self);
    end(broker, SIGTERM);
    char path[64];
    snprintf(path, sizeof path, "%s/mosquitto.conf", folder);
    unlink(path);
    rmdir(folder);
}
