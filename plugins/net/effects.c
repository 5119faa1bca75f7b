// The effects, whose calls become jobs.
#include "instance.h"
#include "job.h"
#include <stdio.h>
#include <string.h>

static const spin_bytes nothing = {NULL, 0};

// Begins a call that lasts, or fails it.
static void begin(spin_call *call, spin_self *self, enum job_kind kind, const struct address *address,
                  const struct framing *framing) {
    struct job *job = job_make(call, self, kind, nothing);
    if (!job)
        return;
    job->address = *address;
    job->framing = *framing;
    engine_call_begin(&job->base);
}

static const char *read_framing(const spin_self *self, spin_string text, struct framing *framing) {
    static const struct framing_words words = {
        FRAMING_BIT(FRAMING_RAW) | FRAMING_BIT(FRAMING_LINES) | FRAMING_BIT(FRAMING_DELIMITER) |
            FRAMING_BIT(FRAMING_LENGTH) | FRAMING_BIT(FRAMING_PREFIX),
        "the framing is not `raw`, `lines`, `delimiter:HEX`, `length:N` or `prefix:TYPE`"};
    const char *why = framing_parse(text, &words, framing);
    if (why)
        return why;
    if (framing->kind == FRAMING_RAW)
        framing->length = (size_t)self->config->longest;
    return framing->length <= (size_t)self->config->longest
               ? NULL
               : "the length is greater than the setting `longest`";
}

static void begin_stream(spin_call *call, spin_self *self, enum job_kind kind, spin_string text,
                         spin_string framing) {
    struct address address;
    struct framing parsed;
    const char *why = address_parse(text, &address);
    if (!why && address.kind == ADDRESS_UDP)
        why = "UDP has no connections: use `receive` and `send_to`";
    if (!why && kind == JOB_CONNECT && address.kind == ADDRESS_TCP && strcmp(address.port, "0") == 0)
        why = "nobody listens at port 0";
    if (!why && kind == JOB_LISTEN && !address_is_place(&address))
        why = "an address to listen at is written with digits, such as `tcp:127.0.0.1:80` or `tcp:[::]:80`";
    if (!why)
        why = read_framing(self, framing, &parsed);
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, why);
    else
        begin(call, self, kind, &address, &parsed);
}

static void connect(spin_call *call, spin_self *self, spin_string address, spin_string framing) {
    begin_stream(call, self, JOB_CONNECT, address, framing);
}
SPIN_EFFECT(void, connect, (spin_call *call, spin_self *self, spin_string address, spin_string framing),
            "Keeps a connection until it is cancelled: emits `connected`, `lost`, and `frame`, or `damaged` for one "
            "that is dropped.");

static void listen(spin_call *call, spin_self *self, spin_string address, spin_string framing) {
    begin_stream(call, self, JOB_LISTEN, address, framing);
}
SPIN_EFFECT(void, listen, (spin_call *call, spin_self *self, spin_string address, spin_string framing),
            "Accepts connections until it is cancelled: emits `listening`, `opened`, `closed`, and `frame`, or "
            "`damaged` for one that is dropped.");

static void receive(spin_call *call, spin_self *self, spin_string address) {
    struct address parsed;
    const char *why = address_parse(address, &parsed);
    if (!why && (parsed.kind != ADDRESS_UDP || !address_is_place(&parsed)))
        why = "an address to receive at is written with digits, such as `udp:0.0.0.0:514`";
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, why);
    else
        begin(call, self, JOB_RECEIVE, &parsed, &(struct framing){.kind = FRAMING_RAW});
}
SPIN_EFFECT(void, receive, (spin_call *call, spin_self *self, spin_string address),
            "Receives datagrams until it is cancelled: emits `listening`, and `datagram`, or `damaged` for one that is "
            "dropped.");

// Begins a call that names a connection or a socket. Nothing has a longer name.
static void begin_named(struct job *job, spin_string name) {
    int is_text = name.size < sizeof job->name && !memchr(name.data, 0, name.size);
    memcpy(job->name, is_text ? name.data : "?", is_text ? name.size : 1);
    engine_call_begin(&job->base);
}

static void send(spin_call *call, spin_self *self, spin_string connection, spin_bytes data) {
    struct job *job = job_make(call, self, JOB_SEND, data);
    if (job)
        begin_named(job, connection);
}
SPIN_EFFECT(void, send, (spin_call *call, spin_self *self, spin_string connection, spin_bytes data),
            "Sends bytes as a frame of the connection, and ends when the system has taken all. It emits nothing.");

static void close(spin_call *call, spin_self *self, spin_string connection) {
    struct job *job = job_make(call, self, JOB_CLOSE, nothing);
    if (job)
        begin_named(job, connection);
}
SPIN_EFFECT(void, close, (spin_call *call, spin_self *self, spin_string connection),
            "Closes a connection when what waits is sent. It emits nothing.");

static void send_to(spin_call *call, spin_self *self, spin_string from, spin_string to, spin_bytes data) {
    struct address parsed;
    const char *why = address_parse(to, &parsed);
    if (!why && (parsed.kind != ADDRESS_UDP || !address_is_place(&parsed)))
        why = "an address to send to is written with digits, such as `udp:192.0.2.1:514`";
    if (why) {
        spin_fail(call, SPIN_BAD_VALUE, why);
        return;
    }
    struct job *job = job_make(call, self, JOB_SEND_TO, data);
    if (!job)
        return;
    job->address = parsed;
    begin_named(job, from);
}
SPIN_EFFECT(void, send_to, (spin_call *call, spin_self *self, spin_string from, spin_string to, spin_bytes data),
            "Sends a datagram from the socket of a `receive` with this address, or from any. It emits nothing.");
