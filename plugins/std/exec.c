// `exec`: programs, their output by lines, and how they end.
#include "line_emission.h"
#include "process.h"
#include "running.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

SPIN_EMITTER(output, (spin_string, text));
SPIN_EMITTER(error_output, (spin_string, text));
SPIN_EMITTER(exited, (int32_t, code), (int32_t, signal));

// The time that a process group has to end after SIGTERM, in milliseconds.
enum { grace = 2000 };

static spin_status emit_output(spin_call *call, spin_string text) {
    return spin_wait_output(call, text, SPIN_FOREVER);
}

static spin_status emit_errors(spin_call *call, spin_string text) {
    return spin_wait_error_output(call, text, SPIN_FOREVER);
}

struct exec {
    struct worker worker;
    struct running running;
    struct process process;
    struct line_emission output, errors;
    // The arguments' bytes follow the pointers to them; the input follows these.
    const char *input;
    size_t input_size;
    int has_input;
    char *arguments[];
};

// Reads once and emits the lines that came; 0 when the work is over.
static int take_output(struct exec *exec, int *descriptor, struct line_emission *lines) {
    ssize_t count = line_reader_fill(&lines->reader, *descriptor);
    if (count > 0)
        return emit_whole_lines(&exec->worker, lines);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return 1;
    if (count < 0) {
        worker_fail(&exec->worker, errno, "cannot read the output of %s", exec->arguments[0]);
        return 0;
    }
    process_close_one(descriptor);
    return emit_last_line(&exec->worker, lines);
}

// A program need not read its input.
static void give_input(struct exec *exec) {
    ssize_t count = write(exec->process.input, exec->input, exec->input_size);
    if (count > 0) {
        exec->input += count;
        exec->input_size -= (size_t)count;
    }
    if (exec->input_size == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
        process_close_one(&exec->process.input);
}

// Serves the program until it has ended and no process writes its outputs any more; 0 when the work is over
// before.
static int serve(struct exec *exec) {
    struct process *process = &exec->process;
    for (int has_ended = 0; !has_ended || process->output >= 0 || process->errors >= 0;) {
        // Poll skips descriptors that are negative.
        struct pollfd waits[] = {{exec->worker.cancelled, POLLIN, 0},
                                 {process->output, POLLIN, 0},
                                 {process->errors, POLLIN, 0},
                                 {exec->input_size > 0 ? process->input : -1, POLLOUT, 0},
                                 {has_ended ? -1 : process->ended, POLLIN, 0}};
        if (poll(waits, sizeof waits / sizeof *waits, -1) < 0)
            continue;
        if (waits[0].revents)
            return 0;
        if (waits[1].revents && !take_output(exec, &process->output, &exec->output))
            return 0;
        if (waits[2].revents && !take_output(exec, &process->errors, &exec->errors))
            return 0;
        if (waits[3].revents)
            give_input(exec);
        has_ended |= waits[4].revents != 0;
    }
    return 1;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Ends the whole group, with SIGTERM and then with SIGKILL. Its output is read and dropped, so that no
// process blocks on a full pipe.
static void end_group(struct exec *exec) {
    struct process *process = &exec->process;
    int64_t deadline = milliseconds() + grace;
    process_close_one(&process->input);
    process_signal(process, SIGTERM);
    // A stopped group cannot handle SIGTERM.
    process_signal(process, SIGCONT);
    for (int has_ended = 0; !has_ended || process->output >= 0 || process->errors >= 0;) {
        int64_t left = deadline - milliseconds();
        if (left <= 0)
            break;
        struct pollfd waits[] = {{process->output, POLLIN, 0},
                                 {process->errors, POLLIN, 0},
                                 {has_ended ? -1 : process->ended, POLLIN, 0}};
        if (poll(waits, sizeof waits / sizeof *waits, (int)left) < 0)
            continue;
        int *outputs[] = {&process->output, &process->errors};
        char forgotten[4096];
        for (int i = 0; i < 2; i++)
            if (waits[i].revents && read(*outputs[i], forgotten, sizeof forgotten) <= 0)
                process_close_one(outputs[i]);
        has_ended |= waits[2].revents != 0;
    }
    process_signal(process, SIGKILL);
}

static void run(struct worker *worker) {
    struct exec *exec = (struct exec *)worker;
    running_add(&exec->running, worker->cancelled);
    int error = process_start(&exec->process, exec->arguments, exec->has_input);
    if (error) {
        running_remove(&exec->running);
        worker_fail(worker, error, "cannot start %s", exec->arguments[0]);
        return;
    }
    if (exec->input_size == 0)
        process_close_one(&exec->process.input);
    int is_complete = serve(exec);
    if (!is_complete)
        end_group(exec);
    int32_t code, signal;
    process_reap(&exec->process, &code, &signal);
    process_close(&exec->process);
    running_remove(&exec->running);
    if (is_complete)
        worker_goes_on(worker, spin_wait_exited(worker->call, code, signal, SPIN_FOREVER));
}

static void release(struct worker *worker) {
    struct exec *exec = (struct exec *)worker;
    line_reader_free(&exec->output.reader);
    line_reader_free(&exec->errors.reader);
    free(exec);
}

// One allocation holds all of it. The call's own arguments are not valid after it is cancelled.
static struct exec *make(spin_strings command, const spin_string *input) {
    size_t size = sizeof(struct exec) + (command.count + 1) * sizeof(char *);
    for (size_t i = 0; i < command.count; i++)
        size += command.items[i].size + 1;
    struct exec *exec = calloc(1, size + (input ? input->size : 0));
    if (!exec)
        return NULL;
    exec->worker = (struct worker){.run = run, .release = release, .name = "std-exec"};
    char *next = (char *)(exec->arguments + command.count + 1);
    for (size_t i = 0; i < command.count; i++) {
        exec->arguments[i] = next;
        if (command.items[i].size > 0)
            memcpy(next, command.items[i].data, command.items[i].size);
        next += command.items[i].size + 1;
    }
    if (input && input->size > 0)
        memcpy(next, input->data, input->size);
    exec->input = next;
    exec->input_size = input ? input->size : 0;
    exec->has_input = input != NULL;
    exec->output.emit = emit_output;
    exec->errors.emit = emit_errors;
    exec->output.name = exec->errors.name = exec->arguments[0];
    return exec;
}

static void start(spin_call *call, spin_strings command, const spin_string *input) {
    if (command.count == 0 || command.items[0].size == 0) {
        spin_fail(call, SPIN_BAD_VALUE, "the command is empty: its first item names the program");
        return;
    }
    for (size_t i = 0; i < command.count; i++)
        if (command.items[i].size > 0 && memchr(command.items[i].data, 0, command.items[i].size)) {
            spin_fail(call, SPIN_BAD_VALUE,
                      "an item of the command has a NUL, which no program can be given");
            return;
        }
    worker_start(call, (struct worker *)make(command, input));
}

static void exec(spin_call *call, spin_strings command) { start(call, command, NULL); }
SPIN_EFFECT(void, exec, (spin_call *call, spin_strings command),
            "Runs a program: its name, then its arguments; no shell. Emits `output` and `error_output` for each "
            "line it writes, then `exited`. Cancelling it ends its process group.");

static void exec_input(spin_call *call, spin_strings command, spin_string input) {
    start(call, command, &input);
}
SPIN_EFFECT(void, exec_input, (spin_call *call, spin_strings command, spin_string input),
            "Runs a program as `exec` does, which reads `input` as its standard input. Emits `output`, `error_output` "
            "and `exited`.");
