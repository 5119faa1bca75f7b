#include "note.h"
#include "../instance.h"
#include <stdio.h>
#include <string.h>

static void write_server(const spin_self *self, char name[place_name_size]) {
    const struct place *place = &self->places[self->link.server];
    place_name(place->host, place->port, name);
}

void note_failure(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    char *before = self->reasons[link->server];
    if (link->state != LINK_IS_UP && strcmp(reason, before) == 0)
        return;
    link->changes++;
    snprintf(link->reason, sizeof link->reason, "%s", reason);
    memcpy(before, link->reason, sizeof link->reason);
    char server[place_name_size];
    write_server(self, server);
    spin_log_with(NULL, SPIN_LOG_WARNING, "not connected to the server", spin_field_text("server", server),
                  spin_field_text("reason", reason));
}

void note_success(spin_self *self) {
    struct link *link = &self->link;
    link->changes++;
    link->reason[0] = 0;
    for (size_t i = 0; i < self->config->servers.count; i++)
        self->reasons[i][0] = 0;
    char server[place_name_size];
    write_server(self, server);
    spin_log_with(NULL, SPIN_LOG_INFO, "connected to the server", spin_field_text("server", server));
}
