// TLS for libmosquitto, and bytes that are sent past its queue.
#ifndef MQTT_TLS_H
#define MQTT_TLS_H

#include "mqtt.h"
#include "../common/place.h"
#include <mosquitto.h>
#include <openssl/ssl.h>

/* Makes what connections with TLS need; NULL, and why not. The place must outlive it. */
SSL_CTX *tls_make(const spin_config *config, const struct place *place, char *reason, size_t size);

/* Has a client use it; an error of libmosquitto. */
int tls_use(struct mosquitto *client, SSL_CTX *context);

/* Whether the client is in the middle of a handshake, and the events of poll that it waits for. */
int tls_is_in_handshake(struct mosquitto *client, short *events);

/* Why a handshake has failed; NULL if it is not known. */
const char *tls_refusal(struct mosquitto *client);

/* Sends a whole packet at once, ahead of those in the queue of libmosquitto. The last packet of it must be whole.
 * 0: nothing was sent, or the connection is lost. */
int tls_send(struct mosquitto *client, const void *packet, size_t size);

#endif
