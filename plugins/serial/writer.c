#include "writer.h"
#include "device.h"
#include "instance.h"
#include "job.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How often it looks whether the device has sent all bytes, in nanoseconds. */
enum { interval = 5000000 };

/* How many characters hardware may hold that cannot say it, and the most bits of each. */
enum { most_held = 16, most_bits = 12 };

/* How much it writes at once, so that other ports have their turn. */
enum { piece = 1 << 16 };

int writer_reserve(struct job *job) {
    struct writer *writer = &job->base.engine->self->writer;
    // Each call counts, also one without bytes.
    long long size = job->size > 0 ? (long long)job->size : 1;
    atomic_store(&job->reserved, size);
    return atomic_fetch_add(&writer->unsent, size) + size <= job->base.engine->self->config->most_unsent;
}

static void fail(struct job *job) {
    char text[most_reason + 32];
    snprintf(text, sizeof text, "the port is closed: %s", job->base.engine->self->port.reason);
    engine_call_fail(&job->base, SPIN_FAILED, text);
}

void writer_take(spin_self *self, struct job *job) {
    struct writer *writer = &self->writer;
    if (self->port.device < 0) {
        fail(job);
        return;
    }
    if (job->base.key[0] && strcmp(job->base.key, writer->key) == 0 && writer->sent <= job->size)
        job->done = writer->sent;
    if (writer->first)
        writer->last->next = job;
    else
        writer->first = job;
    writer->last = job;
}

// The first call is over, or about to be.
static struct job *remove_first(spin_self *self) {
    struct writer *writer = &self->writer;
    struct job *job = writer->first;
    if (writer->is_breaking)
        ioctl(self->port.device, TIOCCBRK);
    writer->is_breaking = 0;
    writer->first = job->next;
    writer->due = INT64_MAX;
    return job;
}

void writer_sweep(spin_self *self) {
    struct writer *writer = &self->writer;
    while (writer->first && engine_call_is_over(&writer->first->base))
        engine_call_drop(&remove_first(self)->base);
    for (struct job *job = writer->first, *next; job; job = next) {
        while ((next = job->next) && engine_call_is_over(&next->base)) {
            job->next = next->next;
            engine_call_drop(&next->base);
        }
        writer->last = job;
    }
}

// Writes what the device takes of the first call; whether it has taken all.
static int write_bytes(spin_self *self, struct job *job) {
    struct writer *writer = &self->writer;
    size_t left = job->size - job->done;
    ssize_t count = write(self->port.device, job->data + job->done, left < piece ? left : piece);
    if (count < 0 && errno != EAGAIN && errno != EINTR)
        port_lose(self, errno); // It fails all calls.
    if (count < 0)
        return 0;
    if (count > 0) {
        writer->sent_due = 0;
        job->done += (size_t)count;
        memcpy(writer->key, job->base.key, sizeof writer->key);
        writer->sent = job->done;
    }
    return job->done == job->size;
}

// Whether the device has sent the bytes of earlier calls. If not, it looks again later.
static int has_sent(spin_self *self) {
    struct writer *writer = &self->writer;
    enum device_bytes bytes = device_bytes(self->port.device);
    int64_t now = spin_monotonic();
    if (bytes == DEVICE_SENT)
        return 1;
    if (bytes == DEVICE_SENDS) {
        writer->sent_due = 0;
        writer->due = now + interval;
        return 0;
    }
    if (writer->sent_due == 0)
        writer->sent_due = now + most_held * most_bits * (int64_t)1000000000 / self->config->baud;
    writer->due = writer->sent_due;
    return now >= writer->due;
}

// Does what the first call, which writes nothing, is for; whether that is done. It fails the call if the device cannot.
static int change_lines(spin_self *self, struct job *job) {
    struct writer *writer = &self->writer;
    int64_t now = spin_monotonic();
    if (writer->is_breaking)
        return now >= writer->due;
    // Without modem lines a device takes a break, too, and does nothing.
    int lines, is_possible = ioctl(self->port.device, TIOCMGET, &lines) == 0;
    if (is_possible) {
        if (!has_sent(self))
            return 0;
        writer->key[0] = 0; // What comes later is no rest of an earlier write.
    }
    if (is_possible && job->kind == JOB_SET) {
        lines = (lines & ~(TIOCM_DTR | TIOCM_RTS)) | job->lines;
        if (ioctl(self->port.device, TIOCMSET, &lines) == 0)
            return 1;
    } else if (is_possible && ioctl(self->port.device, TIOCSBRK) == 0) {
        writer->is_breaking = 1;
        writer->due = now + job->time;
        return 0;
    }
    if (errno == EIO)
        port_lose(self, EIO);
    else
        engine_call_fail(&remove_first(self)->base, SPIN_FAILED, "the device has no modem lines");
    return 0;
}

void writer_step(spin_self *self) {
    struct writer *writer = &self->writer;
    for (struct job *job; self->port.device >= 0 && (job = writer->first);) {
        // In a swap, the host cancels the newest call first. A later write would hide how much this one has written.
        if (spin_cancelled(job->base.call))
            return;
        int is_done = job->kind == JOB_WRITE ? write_bytes(self, job) : change_lines(self, job);
        if (is_done)
            engine_call_finish(&remove_first(self)->base);
        else if (writer->first == job)
            return;
    }
}

int writer_wants(const spin_self *self) {
    return self->writer.first && self->writer.first->kind == JOB_WRITE;
}

int64_t writer_due(const spin_self *self) { return self->writer.first ? self->writer.due : INT64_MAX; }

void writer_lose(spin_self *self) {
    struct writer *writer = &self->writer;
    writer->is_breaking = writer->key[0] = 0;
    while (writer->first)
        fail(remove_first(self));
}

void writer_end(spin_self *self) {
    while (self->writer.first)
        engine_call_drop(&remove_first(self)->base);
}
