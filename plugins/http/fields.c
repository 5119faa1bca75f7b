#include "fields.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int refuse(struct reason *why, const char *format, ...) {
    va_list arguments;
    why->code = CURLE_BAD_FUNCTION_ARGUMENT;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return 0;
}

int lacks_memory(struct reason *why) {
    refuse(why, "no memory");
    why->code = CURLE_OUT_OF_MEMORY;
    return 0;
}

int is_url(spin_string text, struct reason *why) {
    if (text.size == 0)
        return refuse(why, "the URL is empty");
    if (memchr(text.data, 0, text.size))
        return refuse(why, "the URL has a NUL character");
    if (strncasecmp(text.data, "http://", 7) != 0 && strncasecmp(text.data, "https://", 8) != 0)
        return refuse(why, "the URL does not begin with `http://` or `https://`");
    CURLU *url = curl_url();
    if (!url)
        return lacks_memory(why);
    CURLUcode code = curl_url_set(url, CURLUPART_URL, text.data, 0);
    curl_url_cleanup(url);
    return code == CURLUE_OK || refuse(why, "the URL is not valid: %s", curl_url_strerror(code));
}

void shown_url(const char *text, char *target, size_t capacity) {
    CURLU *url = curl_url();
    char *shown = NULL, *query = NULL;
    if (url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK) {
        curl_url_get(url, CURLUPART_QUERY, &query, 0);
        // To remove a part that is not there is no failure.
        if (curl_url_set(url, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
            curl_url_set(url, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
            curl_url_set(url, CURLUPART_QUERY, NULL, 0) == CURLUE_OK &&
            curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK)
            curl_url_get(url, CURLUPART_URL, &shown, 0);
    }
    snprintf(target, capacity, "%s%s", shown ? shown : "a URL", query ? "?…" : "");
    curl_free(shown);
    curl_free(query);
    curl_url_cleanup(url);
}

// The parts of the URL of an origin, to be freed by the caller also after a failure.
static int origin(const char *text, char *parts[3]) {
    static const CURLUPart wanted[] = {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT};
    CURLU *url = curl_url();
    int found = url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK;
    for (int i = 0; i < 3 && found; i++)
        found = curl_url_get(url, wanted[i], &parts[i], CURLU_DEFAULT_PORT) == CURLUE_OK;
    curl_url_cleanup(url);
    return found;
}

int same_origin(const char *left, const char *right) {
    char *parts[2][3] = {0};
    int same = origin(left, parts[0]) && origin(right, parts[1]);
    for (int i = 0; i < 3 && same; i++)
        same = strcasecmp(parts[0][i], parts[1][i]) == 0;
    for (int i = 0; i < 6; i++)
        curl_free(parts[i / 3][i % 3]);
    return same;
}

int is_method(spin_string text, struct reason *why) {
    if (text.size == 0 || text.size > 32 || token_size(text.data, text.size) != text.size)
        return refuse(why, "the method is not a word such as `GET`");
    if (strcasecmp(text.data, "CONNECT") == 0 || strcasecmp(text.data, "TRACE") == 0)
        return refuse(why, "the method `%s` is not possible", text.data);
    return 1;
}

int is_header(spin_string text, struct reason *why) {
    why->code = CURLE_BAD_FUNCTION_ARGUMENT;
    return header_is_valid(text, why->text, sizeof why->text);
}

int is_proxy(spin_string text, struct reason *why) {
    static const char *const schemes[] = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"};
    CURLU *url = curl_url();
    char *scheme = NULL;
    int found = 0;
    if (url && !memchr(text.data, 0, text.size) &&
        curl_url_set(url, CURLUPART_URL, text.data, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK)
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes && !found; i++)
            found = strcmp(scheme, schemes[i]) == 0;
    curl_free(scheme);
    curl_url_cleanup(url);
    return found || refuse(why, "it is not a URL such as `http://proxy:3128` or `socks5h://127.0.0.1:1080`");
}
