#include "settings.h"
#include <mosquitto.h>
#include <string.h>

/* The most bytes of a text in a packet. */
enum { longest_text = 65535 };

static int has_nul(spin_string text) { return memchr(text.data, 0, text.size) != NULL; }

// Whether a text can be in a packet. mosquitto_validate_utf8 refuses control characters too.
static int is_text(spin_string text) {
    return text.size <= longest_text && !has_nul(text) &&
           mosquitto_validate_utf8(text.data, (int)text.size) == MOSQ_ERR_SUCCESS;
}

static const char *text_fault(spin_string text) {
    if (text.size == 0)
        return "the topic is empty";
    if (text.size > longest_text)
        return "the topic has more than 65535 bytes";
    return is_text(text) ? NULL : "the topic has a control character or another one that MQTT does not allow";
}

const char *topic_fault(spin_string topic) {
    const char *why = text_fault(topic);
    if (!why && mosquitto_pub_topic_check(topic.data) != MOSQ_ERR_SUCCESS)
        why = "the topic of a message has no `+` and no `#`";
    return why;
}

static const char shared[] = "$share/";

static int is_shared(const char *filter) { return strncmp(filter, shared, sizeof shared - 1) == 0; }

const char *filter_topic(const char *filter) {
    const char *group = filter + sizeof shared - 1;
    return is_shared(filter) ? group + strcspn(group, "/") + 1 : filter;
}

// Whether a group has a name, and a topic follows.
static int is_group(const char *group) {
    size_t size = strcspn(group, "/+#");
    return size > 0 && group[size] == '/' && group[size + 1];
}

const char *filter_fault(spin_string filter) {
    const char *why = text_fault(filter);
    if (!why && is_shared(filter.data) && !is_group(filter.data + sizeof shared - 1))
        why = "a shared topic must be `$share/GROUP/TOPIC`, and a group has no `+` and no `#`";
    if (!why && mosquitto_sub_topic_check(filter.data) != MOSQ_ERR_SUCCESS)
        why = "`+` must be a whole level of the topic, and `#` must be the last one";
    return why;
}

static const char *file_fault(const spin_config *config, const struct place *place) {
    if (!place->has_tls && config->ca_file.size + config->certificate_file.size + config->key_file.size > 0)
        return "settings `ca_file`, `certificate_file` and `key_file`: the broker must begin with `mqtts://`";
    if ((config->certificate_file.size > 0) != (config->key_file.size > 0))
        return "settings `certificate_file` and `key_file`: one needs the other";
    if (has_nul(config->ca_file) || has_nul(config->certificate_file) || has_nul(config->key_file))
        return "settings `ca_file`, `certificate_file` and `key_file`: a name has a NUL character";
    return NULL;
}

const char *settings_read(const spin_config *config, struct place *place) {
    static const struct place_kind urls = {"mqtt://", "mqtts://", 1883, 8883};
    if (!place_read(config->broker, &urls, place))
        return "setting `broker`: it must be `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`";
    if (config->client.size > 0 && !is_text(config->client))
        return "setting `client`: it is too long, or has a character that MQTT does not allow";
    if (config->keeps_session && config->client.size == 0)
        return "setting `keeps_session`: it needs the setting `client`";
    if (config->user.size > 0 && !is_text(config->user))
        return "setting `user`: it is too long, or has a character that MQTT does not allow";
    if (config->password.size > longest_text || has_nul(config->password))
        return "setting `password`: it is too long, or has a NUL character";
    if (config->password.size > 0 && config->user.size == 0)
        return "setting `password`: it needs the setting `user`";
    if (config->will_topic.size > 0 && topic_fault(config->will_topic))
        return "setting `will_topic`: messages cannot have this topic";
    if (config->will_payload.size > longest_text)
        return "setting `will_payload`: it has more than 65535 bytes";
    if (config->will_topic.size == 0 &&
        (config->will_payload.size > 0 || config->will_qos || config->will_retained))
        return "settings `will_payload`, `will_qos` and `will_retained`: they need the setting `will_topic`";
    if (config->reconnect_least > config->reconnect_most)
        return "setting `reconnect_least`: it is greater than `reconnect_most`";
    return file_fault(config, place);
}
