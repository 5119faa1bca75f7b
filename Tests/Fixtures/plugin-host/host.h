/* A host for tests of a plugin: it writes down what each call emits, and how it ends. */
#ifndef PLUGIN_TEST_HOST_H
#define PLUGIN_TEST_HOST_H

#include <spinhost/plugin.h>

extern const spin_host test_host;

/* The test defines these two: whether the thread of its plugin may wait for room, and a function that writes down
 * an emission with host_note. */
extern const int plugin_waits;
void host_render(spin_call *call, const spin_emitter *emitter, const void *payload);

/* Appends to the transcript of a call; for `host_render` alone. */
void host_note(spin_call *call, const char *text, size_t size);

/* A new call of the run with this key, whose mailbox has room for everything. */
spin_call *host_call(const char *key);

/* Room for so many more emissions; calls the function that waits for room. */
void host_set_room(spin_call *call, int room);

/* Room for so many more emissions as soon as a function waits for room, which the host calls before it returns. */
void host_set_room_later(spin_call *call, int room);

/* The manifest makes no event of so many further emissions. */
void host_set_faults(spin_call *call, int faults);

/* Cancels a call. */
void host_cancel(spin_call *call);

/* Waits until the call is over; its transcript, which belongs to the host. */
const char *host_ended(spin_call *call);

/* Waits until the transcript ends with the text, or the call is over; the transcript. */
const char *host_await(spin_call *call, const char *end);

/* Waits until a function waits for room. */
void host_await_room(spin_call *call);

/* Prints both texts and ends the program if they differ. */
void expect(const char *name, const char *found, const char *expected);

/* Ends the program unless it holds. */
void check(const char *name, int holds);

#endif
