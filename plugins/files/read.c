// Reads regular files.
#include "instance.h"
#include "job.h"
#include "../std/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_EMITTER(text, (spin_string, path), (spin_string, text));
SPIN_EMITTER(data, (spin_string, path), (spin_bytes, data));

/* How much it reads at once. */
enum { piece = 1 << 20 };

// Reads to the end; the bytes, which the caller frees, or NULL with a problem. The size of the file is a hint: the file
// may grow, and files of /proc have none.
static char *read_all(struct job *job, int file, size_t hint, size_t *size, struct problem *problem) {
    size_t largest = (size_t)job->self->config->largest, capacity = 0;
    char *bytes = NULL;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            size_t wanted = capacity == 0 ? hint + 1 : capacity * 2;
            capacity = wanted < largest + 1 ? wanted : largest + 1;
            char *grown = realloc(bytes, capacity);
            if (!grown) {
                problem_set(problem, ENOMEM, NULL);
                break;
            }
            bytes = grown;
        }
        size_t room = capacity - *size;
        ssize_t count = read(file, bytes + *size, room < piece ? room : piece);
        if (count == 0)
            return bytes;
        if (count < 0 && errno != EINTR) {
            problem_of_errno(problem);
            break;
        }
        *size += count > 0 ? (size_t)count : 0;
        if (*size > largest) {
            problem_set(problem, EFBIG, "it is larger than the setting `largest` allows");
            break;
        }
        if (job_is_over(job, problem))
            break;
    }
    free(bytes);
    return NULL;
}

// What the file of a job has; NULL with a problem.
static char *content(struct job *job, size_t *size, struct problem *problem) {
    struct stat status;
    int file = place_open_file(&job->self->place, job->path, O_RDONLY, &status, problem);
    if (file < 0)
        return NULL;
    char *bytes = NULL;
    if (status.st_size > job->self->config->largest)
        problem_set(problem, EFBIG, "it is larger than the setting `largest` allows");
    else
        bytes = read_all(job, file, (size_t)status.st_size, size, problem);
    close(file);
    return bytes;
}

static spin_string path_of(const struct job *job) { return (spin_string){job->path, strlen(job->path)}; }

int answer_with_text(struct job *job, struct problem *problem) {
    size_t size;
    char *bytes = content(job, &size, problem);
    if (!bytes)
        return 0;
    int is_text = utf8_valid(bytes, size) == size;
    if (is_text)
        job_finish(job, spin_wait_text(job->call, path_of(job), (spin_string){bytes, size}, SPIN_FOREVER),
                   size);
    free(bytes);
    return is_text || problem_set(problem, EILSEQ, "it is not UTF-8; `read_bytes` can read it");
}

int answer_with_bytes(struct job *job, struct problem *problem) {
    size_t size;
    char *bytes = content(job, &size, problem);
    if (!bytes)
        return 0;
    spin_bytes found = {(const uint8_t *)bytes, size};
    job_finish(job, spin_wait_data(job->call, path_of(job), found, SPIN_FOREVER), size);
    free(bytes);
    return 1;
}
