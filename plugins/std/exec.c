// `exec`: programs, their output by lines, and how they end.
#include "line_emission.h"
#include "process.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_EMITTER(output, (spin_string, text));
SPIN_EMITTER(error_output, (spin_string, text));
SPIN_EMITTER(exited, (int32_t, code), (int32_t, signal));

static spin_status emit_output(spin_call *call, spin_string text) { return spin_wait_output(call, text, 0); }

static spin_status emit_errors(spin_call *call, spin_string text) {
    return spin_wait_error_output(call, text, 0);
}

// One of a program's outputs.
struct output {
    struct source source;
    struct line_emission lines;
};

struct exec {
    struct task task;
    struct process process;
    struct output output, errors;
    struct source input_source, ended;
    int has_begun, has_ended;
    // The outcome, once the program was reaped.
    int32_t code, signal;
    // The arguments' bytes follow the pointers to them; the input follows these.
    const char *input;
    size_t input_size;
    int has_input;
    char *arguments[];
};

// Starts the program; 0 when the step must return.
static int begin(struct exec *exec) {
    struct task *task = &exec->task;
    struct process *process = &exec->process;
    exec->has_begun = 1;
    int error = process_start(process, exec->arguments, exec->has_input);
    if (error) {
        task_fail(task, error, "cannot start %s", exec->arguments[0]);
        return 0;
    }
    if (exec->input_size == 0)
        process_close_one(&process->input);
    return task_watch(task, &exec->output.source, process->output, SPIN_POLL_READ) &&
           task_watch(task, &exec->errors.source, process->errors, SPIN_POLL_READ) &&
           task_watch(task, &exec->ended, process->ended, SPIN_POLL_READ) &&
           (process->input < 0 || task_watch(task, &exec->input_source, process->input, SPIN_POLL_WRITE));
}

static void unwatch(struct source *source, int *descriptor) {
    task_unwatch(source);
    process_close_one(descriptor);
}

// Reads once; 0 when the step must return.
static int take_output(struct exec *exec, struct output *output, int *descriptor) {
    if (read_lines(&exec->task, &output->lines, *descriptor) < 0)
        return 0;
    if (output->lines.is_at_end)
        unwatch(&output->source, descriptor);
    return 1;
}

// A program need not read its input.
static void give_input(struct exec *exec) {
    ssize_t count = process_write(&exec->process, exec->input, exec->input_size);
    if (count > 0) {
        exec->input += count;
        exec->input_size -= (size_t)count;
    }
    if (exec->input_size == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
        unwatch(&exec->input_source, &exec->process.input);
}

// The call is done when the program has ended and no process has its outputs open.
static void step(struct task *task, struct source *ready) {
    struct exec *exec = (struct exec *)task;
    struct process *process = &exec->process;
    if (!exec->has_begun && !begin(exec))
        return;
    if (ready == &exec->output.source && !take_output(exec, &exec->output, &process->output))
        return;
    if (ready == &exec->errors.source && !take_output(exec, &exec->errors, &process->errors))
        return;
    if (ready == &exec->input_source)
        give_input(exec);
    if (ready == &exec->ended) {
        task_unwatch(ready);
        exec->has_ended = 1;
    }
    if (!emit_lines(task, &exec->output.lines) || !emit_lines(task, &exec->errors.lines))
        return;
    if (!exec->has_ended || process->output >= 0 || process->errors >= 0)
        return;
    if (process->id)
        process_reap(process, &exec->code, &exec->signal);
    if (task_continues(task, spin_wait_exited(task->call, exec->code, exec->signal, 0)))
        spin_finish(task->call);
}

static void clear(struct exec *exec) {
    process_close(&exec->process);
    line_reader_free(&exec->output.lines.reader);
    line_reader_free(&exec->errors.lines.reader);
    task_free(&exec->task);
}

static void end(void *context) {
    struct exec *exec = context;
    process_end(&exec->process);
    process_reap(&exec->process, &exec->code, &exec->signal);
    clear(exec);
}

// A call that was cancelled or has failed leaves a program behind, which may take its time to end.
static void release(struct task *task) {
    struct exec *exec = (struct exec *)task;
    if (!exec->process.id)
        clear(exec);
    else if (spin_work(end, exec) != SPIN_OK)
        end(exec);
}

// One allocation holds all of it. The call's own arguments are not valid after it is cancelled.
static struct exec *make(spin_call *call, spin_list_string command, const spin_string *input) {
    size_t size = sizeof(struct exec) + (command.count + 1) * sizeof(char *);
    for (size_t i = 0; i < command.count; i++)
        size += command.items[i].size + 1;
    struct exec *exec = task_make(call, size + (input ? input->size : 0), step, release);
    if (!exec)
        return NULL;
    // There is nothing to close before the start.
    exec->process = (struct process){.ended = -1, .input = -1, .output = -1, .errors = -1};
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
    exec->output.lines.emit = emit_output;
    exec->errors.lines.emit = emit_errors;
    exec->output.lines.name = exec->errors.lines.name = exec->arguments[0];
    return exec;
}

static void start(spin_call *call, spin_list_string command, const spin_string *input) {
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
    struct exec *exec = make(call, command, input);
    if (exec)
        task_start(&exec->task);
}

static void exec(spin_call *call, spin_list_string command) { start(call, command, NULL); }
SPIN_EFFECT(void, exec, (spin_call *call, spin_list_string command),
            "Runs a program: its name, then its arguments; no shell. Emits `output` and `error_output` for each "
            "line it writes, then `exited`. Cancelling it ends its process group.");

static void exec_input(spin_call *call, spin_list_string command, spin_string input) {
    start(call, command, &input);
}
SPIN_EFFECT(void, exec_input, (spin_call *call, spin_list_string command, spin_string input),
            "Runs a program as `exec` does, which reads `input` as its standard input. Emits `output`, `error_output` "
            "and `exited`.");
