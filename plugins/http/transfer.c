#include "exchange.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char out_of_memory[] = "no memory";

void exchange_set_due(struct request *request, spin_duration time) {
    request->heard = monotonic_now();
    request_set_due(request, request->heard + time);
}

static void add(struct request *request) {
    request->status = 0;
    request->has_begun = request->has_location = request->skips_body = request->has_ended = 0;
    request->header_bytes = 0;
    request->body_bytes = 0;
    request->error[0] = 0;
    request->failure = CURLE_OK;
    CURLMcode code = curl_multi_add_handle(request->engine->multi, request->easy);
    request->is_added = code == CURLM_OK;
    if (!request->is_added)
        request_fail(request, CURLE_FAILED_INIT, "libcurl fails: %s", curl_multi_strerror(code));
}

void transfer_begin(struct request *request) {
    exchange_set_due(request, request->config->timeout);
    add(request);
}

void transfer_restart(struct request *request) {
    if (request->first_url) {
        free(request->url);
        request->url = request->first_url;
        request->first_url = NULL;
        request->redirects = request->is_elsewhere = 0;
        if (!exchange_set_headers(request) ||
            curl_easy_setopt(request->easy, CURLOPT_URL, request->url) != CURLE_OK) {
            request_fail(request, CURLE_OUT_OF_MEMORY, out_of_memory);
            return;
        }
    }
    transfer_begin(request);
}

void transfer_remove(struct request *request) {
    if (request->is_added)
        curl_multi_remove_handle(request->engine->multi, request->easy);
    request->is_added = 0;
}

static void lose(struct request *request, CURLcode code, const char *reason) {
    transfer_remove(request);
    if (!request->kind->lost || !request->kind->lost(request, code, reason))
        request_fail(request, (int)code, "%s", reason);
}

// Why a transfer has failed, and what to do about it.
static void explain(struct request *request, CURLcode code, struct reason *why) {
    const char *said = request->error[0] ? request->error : curl_easy_strerror(code);
    const char *advice = "";
    double seconds = (double)request->config->connect_timeout / 1e9;
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        snprintf(why->text, sizeof why->text, "no connection within %g s (setting `connect_timeout`)",
                 seconds);
        return;
    case CURLE_COULDNT_CONNECT: {
        long error = 0;
        curl_easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &error);
        const char *cause = error ? strerrordesc_np((int)error) : NULL;
        // libcurl says the whole URL, which may have a password.
        if (strncmp(said, "Unsupported proxy", 17) == 0)
            said = "the URL of the proxy is not valid";
        snprintf(why->text, sizeof why->text, "cannot connect: %s", cause ? cause : said);
        return;
    }
    case CURLE_GOT_NOTHING:
        said = "the server has closed the connection without an answer";
        break;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
        // Without a status, a proxy may have refused.
        if (request->status != 0 && !request->kind->is_upgrade)
            advice = "; the server has closed the connection in the middle of its answer";
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
        advice = "; the setting `ca_file` names certificates to trust";
        break;
    case CURLE_SSL_CACERT_BADFILE:
        advice = "; see the setting `ca_file`";
        break;
    default:
        break;
    }
    snprintf(why->text, sizeof why->text, "%s%s", said, advice);
}

// Prepares the request for the URL of a redirect; 0 when it has failed.
static int turn_to(struct request *request, const char *url) {
    struct reason why;
    if (!url || !is_url((spin_string){url, strlen(url)}, &why)) {
        request_fail(request, CURLE_URL_MALFORMAT,
                     "the server redirects to where no `http` or `https` URL leads");
        return 0;
    }
    char *next = strdup(url);
    if (!next) {
        request_fail(request, CURLE_OUT_OF_MEMORY, out_of_memory);
        return 0;
    }
    request->redirects++;
    request->is_elsewhere |= !same_origin(request->url, next);
    if (request->first_url)
        free(request->url);
    else
        request->first_url = request->url;
    request->url = next;
    // As browsers do: a form that was taken leads to a page.
    int is_head = strcmp(request->method, "HEAD") == 0, is_post = strcmp(request->method, "POST") == 0;
    if ((request->status == 303 && !is_head) || (request->status <= 302 && is_post)) {
        char *method = strdup("GET");
        if (!method) {
            request_fail(request, CURLE_OUT_OF_MEMORY, out_of_memory);
            return 0;
        }
        free(request->method);
        request->method = method;
        request->has_body = 0;
    }
    if (exchange_set_method(request) && exchange_set_headers(request) &&
        curl_easy_setopt(request->easy, CURLOPT_URL, request->url) == CURLE_OK)
        return 1;
    request_fail(request, CURLE_OUT_OF_MEMORY, out_of_memory);
    return 0;
}

void transfer_done(struct request *request, CURLcode code) {
    transfer_remove(request);
    request->lingers = 0;
    // The plugin asks for nothing else, so the answer is no HTTP.
    if (code == CURLE_UNSUPPORTED_PROTOCOL)
        code = CURLE_WEIRD_SERVER_REPLY;
    if (!request->is_over && code != CURLE_OK) {
        explain(request, code, &request->why);
        if (request->waits_for_room)
            request->failure = code; // What has come before it counts.
        else
            lose(request, code, request->why.text);
    } else if (!request->is_over && request->skips_body) {
        char *url = NULL;
        curl_easy_getinfo(request->easy, CURLINFO_REDIRECT_URL, &url);
        if (turn_to(request, url))
            add(request);
    } else if (!request->is_over && !request->has_begun) {
        request_fail(request, CURLE_WEIRD_SERVER_REPLY, "the answer has no status");
    } else if (!request->is_over) {
        request->has_ended = 1;
        request->due = INT64_MAX;
        if (!request->waits_for_room)
            request->kind->emit(request);
    }
}

void transfer_due(struct request *request) {
    const spin_config *config = request->config;
    char reason[128];
    request->due = INT64_MAX;
    if (request->is_waiting) {
        request->is_waiting = 0;
        request->kind->wake(request);
    } else if (!request->kind->is_whole && request->has_begun) {
        int64_t left = request->heard + config->idle_timeout - monotonic_now();
        if (request->waits_for_room) {
            exchange_set_due(request, config->idle_timeout);
        } else if (left > 0) {
            request_set_due(request, request->heard + config->idle_timeout);
        } else {
            snprintf(reason, sizeof reason, "nothing has come for %g s (setting `idle_timeout`)",
                     (double)config->idle_timeout / 1e9);
            lose(request, CURLE_OPERATION_TIMEDOUT, reason);
        }
    } else {
        snprintf(reason, sizeof reason, "no whole answer within %g s (setting `timeout`)",
                 (double)config->timeout / 1e9);
        lose(request, CURLE_OPERATION_TIMEDOUT, reason);
    }
}

void transfer_continue(struct request *request) {
    request->kind->emit(request);
    if (!request->is_over && !request->waits_for_room && request->failure != CURLE_OK) {
        lose(request, request->failure, request->why.text);
    } else if (!request->is_over && !request->waits_for_room && request->is_added) {
        // It gives the bytes to `exchange_body` that libcurl has kept.
        CURLcode code = curl_easy_pause(request->easy, CURLPAUSE_CONT);
        if (code != CURLE_OK && !request->is_over)
            lose(request, code, curl_easy_strerror(code));
    }
}

void transfer_require_success(struct request *request) {
    if (request->status < 200 || request->status > 299)
        request_fail(request, (int)request->status, "the server answers %ld%s", request->status,
                     request->phrase);
}

void transfer_free(struct request *request) {
    transfer_remove(request);
    curl_easy_cleanup(request->easy);
    request->easy = NULL;
    curl_slist_free_all(request->own);
    curl_slist_free_all(request->sent);
    request->own = request->sent = NULL;
    free(request->method);
    free(request->url);
    free(request->first_url);
    request->method = request->url = request->first_url = NULL;
}
