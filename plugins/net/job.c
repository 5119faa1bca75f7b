#include "net.h"
#include "job.h"
#include "instance.h"
#include <string.h>

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_bytes data) {
    struct job *job =
        engine_call_make(&self->engine, call, sizeof *job + longest_prefix + data.size + longest_delimiter);
    if (!job)
        return NULL;
    engine_call_read_key(&job->base);
    job->kind = kind;
    job->begin = longest_prefix;
    job->size = data.size;
    if (data.size > 0)
        memcpy(job->data + job->begin, data.data, data.size);
    return job;
}

static void write_prefix(struct job *job, const struct framing *framing) {
    size_t size = framing->prefix_size;
    job->begin -= size;
    for (size_t i = 0; i < size; i++) {
        size_t shift = 8 * (framing->is_little ? i : size - 1 - i);
        job->data[job->begin + i] = (uint8_t)(job->size >> shift);
    }
    job->size += size;
}

const char *job_frame(struct job *job, const struct framing *framing) {
    uint8_t *bytes = job->data + job->begin;
    switch (framing->kind) {
    case FRAMING_LENGTH:
        return job->size == framing->length ? NULL : "a frame of the connection has another length";
    case FRAMING_PREFIX:
        if (job->size >> (8 * framing->prefix_size) != 0)
            return "the prefix cannot have the length of the frame";
        write_prefix(job, framing);
        return NULL;
    case FRAMING_RAW:
        return NULL;
    default:
        memcpy(bytes + job->size, framing->end, framing->end_size);
        job->size += framing->end_size;
        return memmem(bytes, job->size - 1, framing->end, framing->end_size)
                   ? "the bytes have the end of a frame within"
                   : NULL;
    }
}
