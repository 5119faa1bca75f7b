#include "reader.h"
#include "emit.h"
#include "instance.h"
#include "job.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How much it reads at once. */
enum { piece = 1 << 16 };

static int can_emit(const struct reader *reader) {
    return reader->job && lasting_can_emit(&reader->job->base.lasting);
}

void reader_take(spin_self *self, struct job *job) {
    struct reader *reader = &self->reader;
    if (reader->job && spin_cancelled(reader->job->base.call)) { // The host is about to say so.
        engine_call_drop(&reader->job->base);
        reader->job = NULL;
    }
    if (reader->job) {
        engine_call_fail(&job->base, SPIN_FAILED, "another call reads from the port already");
        return;
    }
    reader->job = job;
    // Another framing finds other ends.
    reader->received.searched = reader->received.start;
    reader->pause_due = spin_monotonic() + job->framing.pause;
    if (!reader->has_begun && self->port.device >= 0)
        ioctl(self->port.device, TCFLSH, TCIFLUSH);
    reader->has_begun = 1;
}

void reader_sweep(spin_self *self) {
    struct reader *reader = &self->reader;
    if (!reader->job || !engine_call_is_over(&reader->job->base))
        return;
    engine_call_drop(&reader->job->base);
    reader->job = NULL;
}

static void forget(struct reader *reader, size_t size) {
    reader->received.start += size;
    reader->received.searched = reader->received.start;
    reader->dropped = 0;
}

// What is left when the device has gone is no whole frame.
static int emit_rest(struct reader *reader) {
    size_t size = pieces_size(&reader->received);
    if ((size > 0 || reader->dropped > 0) &&
        !engine_call_continues(&reader->job->base,
                               emit_damaged(reader, size, "the port was closed before its end")))
        return 0;
    forget(reader, size);
    reader->is_cut = 0;
    return 1;
}

// Emits all that is whole; 0 if it cannot. `has_more`: bytes have come that were not read, so there was no pause.
static int emit_all(spin_self *self, int has_more) {
    struct reader *reader = &self->reader;
    const struct framing *framing = &reader->job->framing;
    size_t longest = (size_t)self->config->longest;
    struct frame frame;
    // A device that has gone makes no pause.
    int is_over = reader->is_cut ? reader->cut_time >= reader->pause_due
                                 : !has_more && spin_monotonic() >= reader->pause_due;
    while (framing_find(framing, &reader->received, longest, is_over, &frame)) {
        if (!engine_call_continues(&reader->job->base, emit_frame(self, frame.size)))
            return 0;
        forget(reader, frame.taken);
    }
    if (reader->is_cut)
        return emit_rest(reader);
    // A part of what ends a frame that is too long may have come. A pause needs a byte that it follows.
    size_t held = pieces_size(&reader->received), kept = framing->end_size > 1 ? framing->end_size - 1 : 1;
    if (held > longest + longest_delimiter) {
        int64_t dropped = reader->dropped + (int64_t)(held - kept);
        forget(reader, held - kept);
        reader->dropped = dropped;
    }
    return 1;
}

// Reads once. Returns 0 if the device has gone, with its error number.
static int read_once(spin_self *self, int *error) {
    struct reader *reader = &self->reader;
    char *target = pieces_reserve(&reader->received, piece);
    ssize_t count = target ? read(self->port.device, target, piece) : 0;
    if (!target) {
        engine_call_fail(&reader->job->base, SPIN_FAILED, "no memory");
        reader->job = NULL;
        return 1;
    }
    if (count > 0) {
        pieces_extend(&reader->received, (size_t)count);
        reader->pause_due = spin_monotonic() + reader->job->framing.pause;
        return 1;
    }
    *error = count < 0 ? errno : 0;
    return count < 0 && (*error == EAGAIN || *error == EINTR);
}

void reader_step(spin_self *self, uint32_t events) {
    struct reader *reader = &self->reader;
    int has_more = self->port.device >= 0 && events & EPOLLIN, error = 0, is_there = 1;
    int can_read = can_emit(reader) && emit_all(self, has_more);
    if (self->port.device < 0 || !(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    // When the device has gone, what it had sent can be there still.
    if (can_read)
        is_there = read_once(self, &error);
    else
        is_there = !(events & (EPOLLHUP | EPOLLERR));
    if (!is_there)
        port_lose(self, error);
    if (can_emit(reader))
        emit_all(self, 0);
}

int reader_wants(const spin_self *self) { return can_emit(&self->reader); }

int64_t reader_due(const spin_self *self) {
    const struct reader *reader = &self->reader;
    int is_within =
        can_emit(reader) && reader->job->framing.kind == FRAMING_IDLE && pieces_size(&reader->received) > 0;
    return is_within ? reader->pause_due : INT64_MAX;
}

void reader_cut(spin_self *self) {
    struct reader *reader = &self->reader;
    reader->is_cut = pieces_size(&reader->received) > 0 || reader->dropped > 0;
    reader->cut_time = spin_monotonic();
}

void reader_end(spin_self *self) {
    if (self->reader.job)
        engine_call_drop(&self->reader.job->base);
    self->reader.job = NULL;
}

void reader_free(struct reader *reader) {
    pieces_free(&reader->received);
    free(reader->decoded);
}
