// The effects of `std` that wait for descriptors: real files, pipes, programs and signals against the fake host.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fake_host.h"
#include "std_test.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN(name, ...) ((void (*)(spin_call *, __VA_ARGS__))find(#name)->function)

static char folder[] = "/tmp/std_test.XXXXXX";
static char path[64], other_path[64];

static const spin_effect *find(const char *name) {
    return fake_find(spin_std_entry(), SPIN_KIND_EFFECT, name);
}

static void render(const spin_emitter *emitter, const void *payload) {
    struct {
        int32_t code, signal;
    } exited;
    spin_string text;
    int64_t count;
    if (strcmp(emitter->name, "exited") == 0) {
        memcpy(&exited, payload, sizeof exited);
        fake_note("exited %d %d", exited.code, exited.signal);
    } else if (emitter->payload_size == sizeof count) {
        memcpy(&count, payload, sizeof count);
        fake_note("%s %lld", emitter->name, (long long)count);
    } else {
        memcpy(&text, payload, sizeof text);
        fake_note("%s %.*s", emitter->name, (int)text.size, text.data);
    }
}

// Serves the plugin until the call is over and nothing of it is left.
static void serve_to_the_end(spin_call *call) {
    while (fake_status(call) == SPIN_OK || fake_pending() > 0)
        fake_serve();
}

static int descriptors(void) {
    int count = 0;
    DIR *open = opendir("/proc/self/fd");
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

static void append(const char *file, const char *text) {
    FILE *open = fopen(file, "a");
    fputs(text, open);
    fclose(open);
}

static void test_lines(void) {
    append(path, "one\r\n\ntwo");
    spin_call *call = fake_call();
    RUN(lines, const char *)(call, path);
    serve_to_the_end(call);
    expect("a file is read to its end", "0 line one\n0 line \n0 line two\n0 ended 3\n0 finish\n");
    call = fake_call();
    RUN(lines, const char *)(call, "/dev/null");
    serve_to_the_end(call);
    expect("a device that cannot be polled is read", "0 ended 0\n0 finish\n");
    call = fake_call();
    RUN(lines, const char *)(call, "/no/such/file");
    serve_to_the_end(call);
    expect("a file that is not there fails",
           "0 fail -1 cannot open /no/such/file: No such file or directory\n");
}

static void test_lines_of_a_pipe(void) {
    mkfifo(other_path, 0600);
    spin_call *call = fake_call();
    RUN(lines, const char *)(call, other_path);
    fake_serve();
    int writer = open(other_path, O_WRONLY | O_CLOEXEC);
    dprintf(writer, "one\ntwo\nthr");
    fake_emit_status = SPIN_FULL;
    fake_serve();
    fake_emit_status = SPIN_OK;
    check("the pipe is not read meanwhile", fake_pending() == 2);
    dprintf(writer, "ee\n");
    fake_make_room();
    fake_serve();
    expect("a line without room is not lost", "0 line one\n0 line two\n");
    fake_serve();
    expect("the rest follows", "0 line three\n");
    fake_emit_status = SPIN_FULL;
    close(writer);
    fake_serve();
    fake_emit_status = SPIN_OK;
    fake_make_room();
    serve_to_the_end(call);
    expect("the end is not lost", "0 ended 3\n0 finish\n");
}

static void test_lines_cancelled(void) {
    spin_call *waiting = fake_call(), *full = fake_call();
    RUN(lines, const char *)(waiting, other_path);
    RUN(lines, const char *)(full, other_path);
    fake_serve();
    int writer = open(other_path, O_WRONLY | O_CLOEXEC);
    fake_cancel(waiting);
    dprintf(writer, "one\n");
    fake_emit_status = SPIN_FULL;
    fake_serve();
    fake_emit_status = SPIN_OK;
    fake_cancel(full);
    serve_to_the_end(full);
    expect("a cancelled call emits nothing", "");
    spin_call *large = fake_call();
    RUN(lines, const char *)(large, other_path);
    fake_serve();
    dprintf(writer, "one\n");
    fake_emit_status = SPIN_FULL;
    fake_room_status = SPIN_BAD_VALUE;
    fake_serve();
    fake_emit_status = fake_room_status = SPIN_OK;
    serve_to_the_end(large);
    expect("an emission that never has room fails the call",
           "0 fail -1 one emission becomes more events than the loop's mailbox can hold\n");
    close(writer);
}

static void exec(spin_call *call, const char *script, const char *input) {
    spin_string items[] = {{"sh", 2}, {"-c", 2}, {script, strlen(script)}};
    if (input)
        RUN(exec_input, spin_list_string, spin_string)
    (call, (spin_list_string){items, 3}, (spin_string){input, strlen(input)});
    else RUN(exec, spin_list_string)(call, (spin_list_string){items, 3});
}

static void test_exec(void) {
    spin_call *call = fake_call();
    exec(call, "cat; exit 3", "in\nput");
    serve_to_the_end(call);
    expect("a program runs", "0 output in\n0 output put\n0 exited 3 0\n0 finish\n");
    call = fake_call();
    fake_emit_status = SPIN_FULL;
    exec(call, "echo one; echo two; kill -KILL $$", NULL);
    for (int times = 0; times < 20; times++) {
        while (fake_pending() > 0 && !fake_waits_for_room())
            fake_serve();
        fake_make_room();
    }
    fake_emit_status = SPIN_OK;
    serve_to_the_end(call);
    expect("emissions without room are tried again", "0 output one\n0 output two\n0 exited -1 9\n0 finish\n");
}

static void test_exec_cancelled(void) {
    const char *traps[] = {"", "trap '' TERM;"};
    for (int i = 0; i < 2; i++) {
        char script[256], byte;
        // The pipe has no writer any more when every process of the group has gone.
        snprintf(script, sizeof script, "exec 9>%s; %s echo started; sleep 1000 & wait; sleep 1000",
                 other_path, traps[i]);
        int reader = open(other_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        spin_call *call = fake_call();
        exec(call, script, NULL);
        while (!fake_has_noted("started"))
            fake_serve();
        expect("a program starts", "0 output started\n");
        check("the pipe has a writer", read(reader, &byte, 1) < 0);
        fake_cancel(call);
        serve_to_the_end(call);
        fcntl(reader, F_SETFL, 0);
        check("the whole group has gone", read(reader, &byte, 1) == 0);
        close(reader);
    }
    spin_call *call = fake_call();
    exec(call, "exec sleep 1000", NULL);
    fake_cancel(call);
    serve_to_the_end(call);
    expect("a cancelled program is silent", "");
}

static void test_signal(void) {
    spin_call *call = fake_call();
    RUN(signal, const char *)(call, "USR1");
    raise(SIGUSR1);
    raise(SIGUSR1);
    fake_emit_status = SPIN_FULL;
    fake_serve();
    fake_emit_status = SPIN_OK;
    raise(SIGUSR1);
    fake_make_room();
    fake_serve();
    fake_serve();
    expect("signals without room are counted", "0 signalled 3\n");
    fake_cancel(call);
    serve_to_the_end(call);
    struct sigaction action;
    sigaction(SIGUSR1, NULL, &action);
    check("the former action is back", action.sa_handler == SIG_DFL);
}

static void test_follow(void) {
    spin_call *first = fake_call(), *second = fake_call();
    RUN(follow, const char *, const char *)(first, other_path, "end");
    RUN(follow, const char *, const char *)(second, path, "end");
    fake_serve();
    char reason[256];
    snprintf(reason, sizeof reason,
             "0 fail -1 cannot follow %s: it is not a regular file; `lines` reads others\n", other_path);
    expect("a pipe is not followed", reason);
    first = fake_call();
    RUN(follow, const char *, const char *)(first, path, "end");
    fake_serve();
    fake_cancel(second);
    append(path, "\nthree\nfo");
    while (!fake_has_noted("three"))
        fake_serve();
    rename(path, other_path);
    append(other_path, "ur\n");
    append(path, "five\nsix\n");
    fake_emit_status = SPIN_FULL;
    while (!fake_waits_for_room())
        fake_serve();
    fake_emit_status = SPIN_OK;
    fake_make_room();
    while (!fake_has_noted("six"))
        fake_serve();
    fake_cancel(first);
    serve_to_the_end(first);
    expect("a file is followed", "0 line \n0 line three\n0 line four\n0 line five\n0 line six\n");
}

void test_effects(void) {
    fake_render = render;
    fake_defers_work = 1;
    check("there is a folder", mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(other_path, sizeof other_path, "%s/other", folder);
    int before = descriptors();
    test_lines();
    test_lines_of_a_pipe();
    test_lines_cancelled();
    test_exec();
    test_exec_cancelled();
    test_signal();
    test_follow();
    check("no descriptor is left", descriptors() == before);
    unlink(path);
    unlink(other_path);
    rmdir(folder);
}
