// A call of an effect that an engine has, from its begin to its end. The engine holds it until the call is over.
#ifndef COMMON_ENGINE_CALL_H
#define COMMON_ENGINE_CALL_H

#include "engine.h"

/* What a plugin keeps of a call begins with this. */
struct engine_call {
    struct lasting lasting; /* the first member, as the engine has calls by it */
    struct engine *engine;
    spin_call *call;
    char key[SPIN_RUN_KEY_SIZE]; /* of its run, if the effect has read it; or empty */
    /* Gives up what the next call may need; perhaps more than once, and on any thread. NULL if there is nothing. */
    void (*release)(struct engine_call *call);
    /* Frees what it has besides its memory, at last, on any thread. NULL if there is nothing. */
    void (*dispose)(struct engine_call *call);
};

/* Zeroed memory of this size, which begins with such a struct. NULL without memory: the call has failed. Called by an
 * effect. */
void *engine_call_make(struct engine *engine, spin_call *call, size_t size);

/* Reads the key of its run, which stays empty if the call is over. Called by an effect that needs it. */
void engine_call_read_key(struct engine_call *call);

/* Fails the call, and frees it. Called by an effect, in place of the begin. */
void engine_call_refuse(struct engine_call *call, spin_status code, const char *reason);

/* Gives it to the engine. Called by an effect. */
void engine_call_begin(struct engine_call *call);

/* Ends the call, and drops the engine's hold. Called by the engine. */
void engine_call_finish(struct engine_call *call);
void engine_call_fail(struct engine_call *call, spin_status code, const char *reason);

/* Whether it may emit more after an emission that had this status. If not, it waits for room, or is over. Called by the
 * engine. */
int engine_call_continues(struct engine_call *call, spin_status status);

/* Whether the call is over. */
int engine_call_is_over(const struct engine_call *call);

/* Gives up one hold. On any thread. */
void engine_call_drop(struct engine_call *call);

#endif
