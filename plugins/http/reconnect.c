#include "reconnect.h"

/* In milliseconds. */
enum { longest_wait = 60000 };

int failure_is_final(CURLcode code) {
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_URL_MALFORMAT:
    case CURLE_OUT_OF_MEMORY:
        return 1;
    default:
        return 0;
    }
}

void reconnect_later(struct request *request, int64_t retry, int failures, const char *what,
                     const char *reason) {
    int64_t wait = retry;
    for (int i = 1; i < failures && wait < longest_wait; i++)
        wait *= 2;
    if (wait > longest_wait)
        wait = retry > longest_wait ? retry : longest_wait;
    if (reason) {
        char url[256];
        request_url(request, url, sizeof url);
        spin_log_with(request->call, SPIN_LOG_WARNING, what, spin_field_text("url", url),
                      spin_field_text("reason", reason),
                      spin_field_number("retry_seconds", (double)wait / 1000));
    }
    request_wait_until(request, monotonic_now() + wait * 1000000);
}
