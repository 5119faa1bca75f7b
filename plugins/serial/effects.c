// The effects, whose calls become jobs.
#include "instance.h"
#include "job.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

static void begin(spin_call *call, spin_self *self, enum job_kind kind) {
    struct job *job = job_make(call, self, kind, 0);
    if (job)
        engine_call_begin(&job->base);
}

static void open(spin_call *call, spin_self *self) { begin(call, self, JOB_OPEN); }
SPIN_EFFECT(void, open, (spin_call *call, spin_self *self),
            "Emits `opened` or `closed` at once, and after each change, until it is cancelled.");

static void read_as(spin_call *call, spin_self *self, const struct framing *framing) {
    struct job *job = job_make(call, self, JOB_READ, 0);
    if (!job)
        return;
    job->framing = *framing;
    engine_call_begin(&job->base);
}

static void lines(spin_call *call, spin_self *self) {
    const struct framing framing = framing_of_lines();
    read_as(call, self, &framing);
}
SPIN_EFFECT(void, lines, (spin_call *call, spin_self *self),
            "Reads lines until it is cancelled: emits `line` for each, and `damaged` for one that is dropped.");

static void frames(spin_call *call, spin_self *self, spin_string framing) {
    static const struct framing_words words = {
        FRAMING_BIT(FRAMING_SLIP) | FRAMING_BIT(FRAMING_COBS) | FRAMING_BIT(FRAMING_DELIMITER) |
            FRAMING_BIT(FRAMING_LENGTH) | FRAMING_BIT(FRAMING_IDLE),
        "the framing is not `slip`, `cobs`, `delimiter:HEX`, `length:N` or `idle:TIME`"};
    struct framing parsed;
    char reason[128];
    const char *why = framing_parse(framing, &words, &parsed);
    if (!why && parsed.length > (size_t)self->config->longest) {
        snprintf(reason, sizeof reason, "a length is at most %lld bytes (setting `longest`)",
                 (long long)self->config->longest);
        why = reason;
    }
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, why);
    else
        read_as(call, self, &parsed);
}
SPIN_EFFECT(void, frames, (spin_call *call, spin_self *self, spin_string framing),
            "Reads frames until it is cancelled: emits `frame` for each, and `damaged` for one that is dropped.");

// Gives a job to the writer, if it may have more.
static void send(struct job *job) {
    if (writer_reserve(job)) {
        engine_call_begin(&job->base);
        return;
    }
    spin_fail(job->base.call, SPIN_FULL,
              "more bytes than the setting `most_unsent` allows would wait to be written");
    engine_call_drop(&job->base);
    engine_call_drop(&job->base);
}

static void write(spin_call *call, spin_self *self, spin_bytes data) {
    struct job *job = job_make(call, self, JOB_WRITE, data.size);
    if (!job)
        return;
    if (data.size > 0)
        memcpy(job->data, data.data, data.size);
    send(job);
}
SPIN_EFFECT(void, write, (spin_call *call, spin_self *self, spin_bytes data),
            "Writes bytes, and ends when the system has taken all. It emits nothing.");

static void signals(spin_call *call, spin_self *self) { begin(call, self, JOB_SIGNALS); }
SPIN_EFFECT(void, signals, (spin_call *call, spin_self *self),
            "Emits `signals` at once, and after each change of a modem line, until it is cancelled.");

static void set_signals(spin_call *call, spin_self *self, bool dtr, bool rts) {
    struct job *job = job_make(call, self, JOB_SET, 0);
    if (!job)
        return;
    job->lines = (dtr ? TIOCM_DTR : 0) | (rts ? TIOCM_RTS : 0);
    send(job);
}
SPIN_EFFECT(void, set_signals, (spin_call *call, spin_self *self, bool dtr, bool rts),
            "Sets the modem lines DTR and RTS, when what was written before is sent. It emits nothing.");

/* The longest break. */
static const spin_duration longest_break = 60000000000;

static void send_break(spin_call *call, spin_self *self, spin_duration time) {
    if (time <= 0 || time > longest_break) {
        spin_fail(call, SPIN_BAD_VALUE, "a break is longer than 0 s, and at most 60 s");
        return;
    }
    struct job *job = job_make(call, self, JOB_BREAK, 0);
    if (!job)
        return;
    job->time = time;
    send(job);
}
SPIN_EFFECT(void, send_break, (spin_call *call, spin_self *self, spin_duration time),
            "Sends a break of this time, when what was written before is sent. It emits nothing.");
