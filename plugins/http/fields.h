// Checks of what goes into a request: URLs, methods and headers.
#ifndef HTTP_FIELDS_H
#define HTTP_FIELDS_H

#include "http.h"
#include "../common/header.h"
#include <curl/curl.h>

/* A reason for a person, without secrets, and its code of libcurl. */
struct reason {
    int code;
    char text[512];
};

/* Says why an argument is not valid; 0. */
__attribute__((format(printf, 2, 3))) int refuse(struct reason *why, const char *format, ...);

/* Says that there is no memory; 0. */
int lacks_memory(struct reason *why);

/* Whether the text is an `http` or `https` URL with a host. Otherwise says why not. */
int is_url(spin_string text, struct reason *why);

/* Copies as much of a URL as a message may show: no user, password, query or fragment. */
void shown_url(const char *url, char *target, size_t capacity);

/* Whether both URLs have the same scheme, host and port. 0 for want of memory. */
int same_origin(const char *left, const char *right);

/* Whether the text can be the method of a request. */
int is_method(spin_string text, struct reason *why);

/* Whether the text is `Name: value`, a header that a caller may set. Otherwise says why not, without the value. */
int is_header(spin_string text, struct reason *why);

/* Whether the URL names a proxy that libcurl can use. */
int is_proxy(spin_string text, struct reason *why);

#endif
