#include "log.h"
#include "../plugin-host/host.h"
#include <pthread.h>
#include <string.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char lines[4096], taken[4096];
static size_t used;

static spin_status write_line(const spin_host *host, spin_call *call, int32_t level, const char *text,
                              size_t size, const spin_field *fields, size_t count) {
    (void)host, (void)call, (void)level, (void)fields, (void)count;
    pthread_mutex_lock(&turn);
    check("the log has room", used + size + 2 <= sizeof lines);
    memcpy(lines + used, text, size);
    used += size;
    lines[used++] = '\n';
    pthread_mutex_unlock(&turn);
    return SPIN_OK;
}

static const void *service(const spin_host *host, const char *id) {
    static const spin_log_service log = {sizeof log, 0, write_line};
    return strcmp(id, SPIN_LOG_SERVICE) == 0 ? &log : test_host.service(host, id);
}

const spin_host *log_host(void) {
    static spin_host host;
    host = test_host;
    host.service = service;
    return &host;
}

const char *log_take(void) {
    pthread_mutex_lock(&turn);
    memcpy(taken, lines, used);
    taken[used] = 0;
    used = 0;
    pthread_mutex_unlock(&turn);
    return taken;
}
