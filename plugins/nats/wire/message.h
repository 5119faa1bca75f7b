// A message, as it comes.
#ifndef NATS_MESSAGE_H
#define NATS_MESSAGE_H

#include "../nats.h"
#include <stddef.h>

SPIN_RECORD(nats_header, (spin_string, name), (spin_string, value));

struct message {
    spin_string subject, reply;
    spin_string header; /* `NATS/1.0`, then lines; empty without headers */
    spin_bytes data;
};

/* The status that a server says in place of a message: 100 to 999, or 0. */
int message_status(const struct message *message);

/* What it says about the status; perhaps empty. */
spin_string message_status_text(const struct message *message);

/* Memory for what is made of a message. Zeroed, it is empty. */
struct scratch {
    nats_header *headers;
    size_t header_capacity;
    char *text;
    size_t text_capacity;
};

/* The headers of the message, which refer to it; 0 without memory. */
int message_headers(const struct message *message, struct scratch *scratch, spin_list_nats_header *headers);

/* Has all texts of a message be UTF-8, with U+FFFD in place of other bytes; 0 without memory. */
int message_repair(struct message *message, struct scratch *scratch);

/* Gives back memory that one large message has left. */
void scratch_trim(struct scratch *scratch);

void scratch_free(struct scratch *scratch);

#endif
