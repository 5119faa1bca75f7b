// Each file of the plugin includes this first.
#ifndef NATS_H
#define NATS_H

// For getaddrinfo_a and names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_list_string, servers, SPIN_REQUIRED,
             "The servers, as `nats://HOST[:PORT]`, or `tls://HOST[:PORT]` with TLS."),
            (spin_string, name, "", "The name of the client, which the server shows; empty: none."),
            (spin_string, user, "", "The name of the user; empty: none."),
            (spin_secret, password, {}, "The password of the user."),
            (spin_secret, token, {}, "The token of the client."),
            (spin_secret, nkey, {}, "The seed of the client's nkey, which begins with `SU`."),
            (spin_secret, credentials, {}, "The content of a file of credentials: a JWT and the seed of its nkey."),
            (spin_string, ca_file, "", "A file of certificates to trust, in place of the system's."),
            (spin_string, certificate_file, "", "The certificate of the client, with its chain, as PEM."),
            (spin_string, key_file, "", "The key of that certificate, as PEM, without a password."),
            (spin_string, inbox, "_INBOX", "How the subjects begin on which the client gets answers."),
            (spin_duration, connect_timeout, "10s", "10ms", "1h",
             "How long a server may take until a connection is up."),
            (spin_duration, request_timeout, "5s", "10ms", "1h",
             "How long a call may take that sends something, also without a connection."),
            (spin_duration, keep_alive, "1m", "5s", "18h",
             "How long a connection may be silent before the plugin asks the server for an answer."),
            (spin_duration, reconnect_least, "1s", "10ms", "1h", "How long it waits before it connects again."),
            (spin_duration, reconnect_most, "1m", "10ms", "24h", "How long it waits after many failures."),
            (int64_t, largest_message, 1048576, 0, 67108864,
             "The most bytes of the headers and the data of a message."),
            (int32_t, most_waiting, 1000, 1, 100000, "The most calls that send something and have not ended."),
            (int32_t, most_held, 10000, 1, 1000000,
             "The most messages that a call of `subscribe` holds while its loop has no room."),
            (int64_t, most_held_bytes, 16777216, 1024, 1073741824, "The most bytes of these messages."));

/* The codes of failures, besides those of the ABI. */
enum {
    NATS_TOO_MANY = -2,
    NATS_REFUSED = -128,
    NATS_NO_CONNECTION = -129,
    NATS_NO_RESPONDERS = -130,
    NATS_TIMEOUT = -131
};

enum { most_reason = 256 };

#endif
