#include "lasting.h"

void lasting_init(struct lasting *lasting, const struct lasting_kind *kind) {
    lasting->kind = kind;
    atomic_init(&lasting->holders, 2); // the plugin, and `cancel`
    atomic_init(&lasting->is_over, 0);
    atomic_init(&lasting->waits_for_room, 0);
}

void lasting_mark(struct lasting *lasting) {
    atomic_store(&lasting->is_over, 1);
    lasting->kind->over(lasting);
}

int lasting_can_emit(const struct lasting *lasting) {
    return !atomic_load(&lasting->is_over) && !atomic_load(&lasting->waits_for_room);
}

void lasting_drop(struct lasting *lasting) {
    if (atomic_fetch_sub(&lasting->holders, 1) == 1)
        lasting->kind->free(lasting);
}

static void cancel(void *context) {
    struct lasting *lasting = context;
    lasting->kind->release(lasting);
    lasting_mark(lasting);
    lasting_drop(lasting);
}

int lasting_begin(struct lasting *lasting, spin_call *call) {
    if (spin_on_cancel(call, cancel, lasting) == SPIN_OK)
        return 1;
    lasting->kind->release(lasting);
    lasting_drop(lasting); // what `cancel` would have held
    return 0;
}

int lasting_end(struct lasting *lasting, spin_call *call, spin_status code, const char *reason) {
    // Before the host hears of the end, as another call may follow at once.
    lasting->kind->release(lasting);
    if ((reason ? spin_fail(call, code, reason) : spin_finish(call)) != SPIN_OK)
        return 0;
    lasting_drop(lasting); // The host will not call `cancel`.
    return 1;
}

static void has_room(void *context) {
    struct lasting *lasting = context;
    atomic_store(&lasting->waits_for_room, 0);
    lasting->kind->ring(lasting);
    lasting_drop(lasting);
}

int lasting_continues(struct lasting *lasting, spin_call *call, spin_status status) {
    // With SPIN_BAD_VALUE the host has reported that the manifest can make no event of this emission.
    if (status == SPIN_OK || status == SPIN_BAD_VALUE)
        return 1;
    if (status == SPIN_FULL) {
        atomic_store(&lasting->waits_for_room, 1);
        atomic_fetch_add(&lasting->holders, 1);
        status = spin_on_room(call, has_room, lasting);
        if (status == SPIN_OK)
            return 0;
        atomic_store(&lasting->waits_for_room, 0);
        lasting_drop(lasting);
    }
    if (status != SPIN_CANCELLED && status != SPIN_STOPPED)
        lasting_end(lasting, call, SPIN_FAILED, "the loop's mailbox can never hold what it emits");
    lasting_mark(lasting);
    return 0;
}
