// Each file of the plugin includes this first.
#ifndef MQTT_H
#define MQTT_H

// For getaddrinfo_a. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, broker, SPIN_REQUIRED,
             "The broker, as `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` with TLS."),
            (spin_string, client, "", "The client id; empty: the broker makes one."),
            (bool, keeps_session, 0,
             "Whether the broker keeps subscriptions and messages while the app is away. It needs `client`."),
            (spin_string, user, "", "The name of the user; empty: none."),
            (spin_secret, password, {}, "The password of the user."),
            (spin_duration, keep_alive, "1m", "5s", "18h",
             "How long a connection may be silent before the plugin asks the broker for an answer."),
            (spin_string, will_topic, "",
             "The topic of a message that the broker sends when the client is lost; empty: none."),
            (spin_string, will_payload, "", "The text of that message."),
            (int32_t, will_qos, 0, 0, 2, "The QoS of that message."),
            (bool, will_retained, 0, "Whether the broker keeps that message for later subscribers."),
            (spin_string, ca_file, "", "A file of certificates to trust, in place of the system's."),
            (spin_string, certificate_file, "", "The certificate of the client, with its chain, as PEM."),
            (spin_string, key_file, "", "The key of that certificate, as PEM, without a password."),
            (spin_duration, reconnect_least, "1s", "10ms", "1h", "How long it waits before it connects again."),
            (spin_duration, reconnect_most, "1m", "10ms", "24h", "How long it waits after many failures."),
            (int64_t, largest_message, 1048576, 0, 16777216, "The most bytes of the payload of a message."),
            (int32_t, most_waiting, 1000, 1, 100000, "The most calls of `publish` that have not ended."));

/* The codes of failures, besides those of the ABI. */
enum { MQTT_TOO_MANY = -2, MQTT_REFUSED = -128, MQTT_NO_CONNECTION = -129 };

#endif
