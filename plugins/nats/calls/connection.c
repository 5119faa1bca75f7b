// The effect that tells of the connection.
#include "connection.h"
#include "../instance.h"
#include <string.h>

SPIN_EMITTER(connected, (spin_string, server));
SPIN_EMITTER(disconnected, (spin_string, reason));

static void connection(spin_call *call, spin_self *self) {
    call_begin(self, (struct call){.base.call = call, .kind = CALL_CONNECTION});
}
SPIN_EFFECT(void, connection, (spin_call *call, spin_self *self),
            "Emits `connected` or `disconnected`, at once and at each change, until it is cancelled.");

void connection_tell(spin_self *self) {
    const struct link *link = &self->link;
    for (struct call *call = self->watchers.first; call; call = call->next) {
        if (call->seen == link->changes || !lasting_can_emit(&call->base.lasting))
            continue;
        spin_status status =
            link->state == LINK_IS_UP
                ? spin_wait_connected(call->base.call, self->config->servers.items[link->server], 0)
                : spin_wait_disconnected(call->base.call, (spin_string){link->reason, strlen(link->reason)},
                                         0);
        if (engine_call_continues(&call->base, status))
            call->seen = link->changes;
    }
}
