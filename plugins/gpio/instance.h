// The instance: the lines of one chip that the app uses.
#ifndef GPIO_INSTANCE_H
#define GPIO_INSTANCE_H

#include "../common/engine.h"
#include "chip.h"
#include "lines/outputs.h"
#include "kernel/parcel.h"
#include "lines/watches.h"

/* From `start` to `stop`, the engine's function uses all but the engine itself, and holds `turn`. So does a change of
 * the settings, which comes on another thread. */
struct spin_self {
    const spin_config *config;
    struct engine engine;
    pthread_mutex_t turn;
    struct chip chip;
    struct output *outputs; /* in the order of the settings */
    struct watch *watches;
    struct job *gets; /* calls of `get` that wait for room, the newest first */
    struct parcel parcel;
    struct source *dead;
    bool has_started; /* whether it has ever started */
    bool has_taken;   /* whether it has taken what another instance has left, since its start */
};

#endif
