#include "request.h"
#include "../job.h"
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

/* The most words of a request that is not the app's. */
enum { most_texts = 16 };

int request_write(struct request *request, const struct words *words) {
    // hiredis does not change the words.
    long long size = redisFormatCommandArgv(&request->bytes, (int)words->count,
                                            (const char **)(uintptr_t)words->data, words->sizes);
    if (size < 0)
        return 0;
    request->size = (size_t)size;
    return 1;
}

struct request *request_of_words(enum request_kind kind, const struct words *words) {
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->kind = kind;
    request->answers = 1;
    if (request_write(request, words))
        return request;
    free(request);
    return NULL;
}

struct request *request_make(enum request_kind kind, const char *const *texts) {
    size_t sizes[most_texts], count = 0;
    for (; count < most_texts && texts[count]; count++)
        sizes[count] = strlen(texts[count]);
    return request_of_words(kind, &(struct words){count, texts, sizes});
}

void request_free(struct request *request) {
    if (request->job) {
        engine_call_drop(&request->job->base);
        return;
    }
    redisFreeCommand(request->bytes);
    free(request);
}
