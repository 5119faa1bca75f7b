// Lines of a descriptor as emissions.
#ifndef STD_LINE_EMISSION_H
#define STD_LINE_EMISSION_H

#include "line_reader.h"
#include "task.h"

/* A reader, the name of its source for failures, and the function that emits a line and does not wait. */
struct line_emission {
    struct line_reader reader;
    const char *name;
    spin_status (*emit)(spin_call *call, spin_string text);
    /* 1 when nothing more will come, so that the rest is a line. */
    int is_at_end;
};

/* How many pieces a task reads from a file until other functions of the host's threads have their turn. */
enum { pieces_at_once = 16 };

/* Emits `text` as a line: the emission `line`. */
spin_status emit_line(spin_call *call, spin_string text);

/* Reads once, after all lines were emitted. The number of bytes; -1 when the task has failed. */
ssize_t read_lines(struct task *task, struct line_emission *lines, int descriptor);

/* Emits the lines that were read; 0 when the step must return. */
int emit_lines(struct task *task, struct line_emission *lines);

#endif
