// A call of an effect that lasts beyond its function.
//
// Ownership. The plugin holds the call until it drops it. The functions for its cancellation and for room hold it until
// the host has called them or never will. The last of them frees it.
#ifndef COMMON_LASTING_H
#define COMMON_LASTING_H

#include <spinhost/plugin.h>
#include <stdatomic.h>

struct lasting;

/* What a plugin does with its calls. Each function may be called on any thread. */
struct lasting_kind {
    /* Gives up what the next call may need; perhaps more than once. */
    void (*release)(struct lasting *lasting);
    /* Has the thread of the plugin drop the call, which is over. */
    void (*over)(struct lasting *lasting);
    /* Has the thread emit again. */
    void (*ring)(struct lasting *lasting);
    void (*free)(struct lasting *lasting);
};

/* A part of what a plugin keeps of a call. */
struct lasting {
    const struct lasting_kind *kind;
    struct lasting *next; /* in the list of an engine */
    atomic_int holders, is_over, waits_for_room;
};

void lasting_init(struct lasting *lasting, const struct lasting_kind *kind);

/* Has the host tell of a cancellation. 0 if the call is over already: the plugin has the only hold. */
int lasting_begin(struct lasting *lasting, spin_call *call);

/* Ends the call, with a reason or as it should (NULL). The plugin still holds it. 0 if it was over already. */
int lasting_end(struct lasting *lasting, spin_call *call, spin_status code, const char *reason);

/* Notes that the call is over, so that the thread of the plugin drops it. */
void lasting_mark(struct lasting *lasting);

/* Whether the plugin may emit now. */
int lasting_can_emit(const struct lasting *lasting);

/* Whether the plugin may emit again after an emission that had this status. If not, the call waits for room, or is over
 * and marked. */
int lasting_continues(struct lasting *lasting, spin_call *call, spin_status status);

/* Gives up one hold. */
void lasting_drop(struct lasting *lasting);

#endif
