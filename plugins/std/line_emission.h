// Lines of a descriptor as emissions.
#ifndef STD_LINE_EMISSION_H
#define STD_LINE_EMISSION_H

#include "line_reader.h"
#include "worker.h"

/* A reader, the name of its source for failures, and the function that emits a line. */
struct line_emission {
    struct line_reader reader;
    const char *name;
    spin_status (*emit)(spin_call *call, spin_string text);
};

/* Emits `text` as a line, waiting for room: the emission `line`. */
spin_status emit_line(spin_call *call, spin_string text);

/* Emits the lines that were read, up to the last line end; 0 when the work is over, with the reason stored if
 * it failed. */
int emit_whole_lines(struct worker *worker, struct line_emission *lines);

/* The same for the rest, when nothing more will come. */
int emit_last_line(struct worker *worker, struct line_emission *lines);

#endif
