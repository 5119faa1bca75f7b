// The effect that answers a request.
#include "exchange.h"
#include "exchanges.h"
#include "response.h"

static struct MHD_Response *make_body(int32_t status, spin_bytes body) {
    return status == MHD_HTTP_NOT_MODIFIED
               ? response_not_modified()
               : MHD_create_response_from_buffer(body.size, (void *)(uintptr_t)body.data,
                                                 MHD_RESPMEM_MUST_COPY);
}

static void respond(spin_call *call, spin_self *self, spin_string id, int32_t status,
                    spin_list_string headers, spin_bytes body) {
    char reason[most_reason];
    struct MHD_Response *response =
        response_with(make_body(status, body), status, body.size > 0, headers, reason);
    if (!response) {
        spin_fail(call, SPIN_BAD_VALUE, reason);
        return;
    }
    pthread_mutex_lock(&self->turn);
    struct exchange *exchange = exchanges_waiting(self, id);
    if (exchange)
        exchange_answer(exchange, (unsigned)status, response);
    pthread_mutex_unlock(&self->turn);
    if (exchange) {
        spin_finish(call);
        return;
    }
    MHD_destroy_response(response);
    spin_fail(call, SPIN_FAILED, no_such_request);
}
SPIN_EFFECT(void, respond,
            (spin_call *call, spin_self *self, spin_string id, int32_t status, spin_list_string headers,
             spin_bytes body),
            "Answers a request, once. It emits nothing.");
