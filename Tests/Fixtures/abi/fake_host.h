/* A host of one thread and no clock: it writes down what a plugin does, and its time passes when a test says so. */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include <spinhost/plugin.h>

/* The table to store at a plugin's `host`. */
extern const spin_host fake_host;

/* How an emission is written down; appends to the transcript with fake_note. */
extern void (*fake_render)(const spin_emitter *emitter, const void *payload);

/* What the next emissions, timers, printed lines and requests for room are answered with; SPIN_OK lets them through. */
extern spin_status fake_emit_status, fake_timer_status, fake_print_status, fake_room_status;

/* 0: no service is there. */
extern int fake_has_services;

/* The table of a service. */
const void *fake_service(const char *id);

/* A call to cancel as soon as it emits, as if another thread did it in the middle of a tick. */
extern spin_call *fake_cancel_in_emit;

/* The name of a description; empty for a kind that a library has once. */
const char *fake_name(const spin_description *description);

/* The description of a kind and name in a table; NULL if there is none. */
const void *fake_find(const struct spin_entry *entry, int kind, const char *name);

/* A new call. */
spin_call *fake_call(void);

/* Cancels a call: its function, then its timers. */
void fake_cancel(spin_call *call);

/* Moves the time on, in one go, as a host that was late would. */
void fake_advance(int64_t nanoseconds);

/* Timers that were not released yet. */
int fake_timers(void);

/* 1: submitted functions wait for fake_serve; 0: they are called at once. */
extern int fake_defers_work;

/* Waits until a poll is ready or a submitted function waits, and calls the functions of all that are so now. */
void fake_serve(void);

/* Has the functions called that wait for room; fake_serve calls them. */
void fake_make_room(void);

/* The number of functions that wait for room. */
int fake_waits_for_room(void);

/* Polls that were not released yet, and functions that wait for room or for fake_serve. */
int fake_pending(void);

/* SPIN_OK, or why the call is over. */
spin_status fake_status(spin_call *call);

/* Ends the polls of a call and its wait for room. For fake_host.c. */
void fake_end_polls(spin_call *call);

/* Appends one line to the transcript, which begins with the time. */
void fake_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether the transcript has this text. */
int fake_has_noted(const char *text);

/* Compares what was written down since the last call with `expected`; both are shown if they differ. 1 or 0. */
int fake_expect(const char *name, const char *expected);

#endif
