// The instance: one port.
#ifndef SERIAL_INSTANCE_H
#define SERIAL_INSTANCE_H

#include "../common/engine.h"
#include "port.h"
#include "reader.h"
#include "watch.h"
#include "writer.h"

/* From `start` to `stop`, the engine's function alone uses all but the engine itself. */
struct spin_self {
    const spin_config *config;
    struct engine engine;
    struct port port;
    struct reader reader;
    struct writer writer;
    struct watch watch;
};

#endif
