// What an instance hands over to another one: the messages of cancelled calls.
#include "keep.h"
#include "../wire/subject.h"
#include "../../common/instance/rest.h"

/* What precedes the texts of a call, and those of a message. The data of a message come last. */
struct call_head {
    int64_t missed;
    uint32_t subject, queue, key, count;
};
struct message_head {
    int64_t missed;
    uint32_t subject, reply, header, data;
};

static spin_status save_message(const struct held *held, spin_saving *saving) {
    const struct message *message = &held->message;
    struct message_head head = {held->missed, (uint32_t)message->subject.size, (uint32_t)message->reply.size,
                                (uint32_t)message->header.size, (uint32_t)message->data.size};
    spin_status status = spin_write(saving, &head, sizeof head);
    // The texts and the data follow one another in the memory of the message.
    size_t size = (size_t)head.subject + head.reply + head.header + head.data;
    return status == SPIN_OK ? spin_write(saving, message->subject.data, size) : status;
}

static spin_status save_call(const struct kept *kept, spin_saving *saving) {
    struct call_head head = {kept->hold.missed, (uint32_t)kept->subject.size, (uint32_t)kept->queue.size,
                             (uint32_t)kept->key.size, (uint32_t)kept->hold.count};
    spin_status status = spin_write(saving, &head, sizeof head);
    if (status == SPIN_OK)
        status = spin_write(saving, kept->subject.data, (size_t)head.subject + head.queue + head.key);
    for (const struct held *held = kept->hold.first; held && status == SPIN_OK; held = held->next)
        status = save_message(held, saving);
    return status;
}

spin_status keep_save(const struct keep *keep, spin_saving *saving) {
    spin_status status = SPIN_OK;
    for (const struct kept *kept = keep->first; kept && status == SPIN_OK; kept = kept->next)
        status = save_call(kept, saving);
    return status;
}

static int restore_message(struct hold *hold, struct rest *rest) {
    struct message_head head;
    if (!rest_copy(rest, &head, sizeof head))
        return 0;
    const char *texts = rest_take(rest, (uint64_t)head.subject + head.reply + head.header + head.data);
    if (!texts || head.missed < 0 || head.subject == 0)
        return 0;
    const char *reply = texts + head.subject, *header = reply + head.reply, *data = header + head.header;
    const struct message message = {{texts, head.subject},
                                    {reply, head.reply},
                                    {header, head.header},
                                    {(const uint8_t *)data, head.data}};
    hold->missed = head.missed;
    return hold_add(hold, &message);
}

static int restore_call(struct keep *keep, struct rest *rest) {
    struct call_head head;
    if (!rest_copy(rest, &head, sizeof head))
        return 0;
    const char *texts = rest_take(rest, (uint64_t)head.subject + head.queue + head.key);
    if (!texts || head.missed < 0 || (head.count == 0 && head.missed == 0))
        return 0;
    spin_string subject = {texts, head.subject}, queue = {texts + head.subject, head.queue};
    spin_string key = {queue.data + queue.size, head.key};
    struct kept *kept = pattern_fault(subject) || (queue.size > 0 && subject_fault(queue))
                            ? NULL
                            : keep_make(keep, subject, queue, key);
    int is_valid = kept != NULL;
    for (uint32_t i = 0; is_valid && i < head.count; i++)
        is_valid = restore_message(&kept->hold, rest);
    if (is_valid)
        kept->hold.missed = head.missed;
    return is_valid;
}

int keep_restore(struct keep *keep, const uint8_t *data, size_t size) {
    struct rest rest = {data, size};
    while (rest.size > 0)
        if (!restore_call(keep, &rest)) {
            keep_free(keep);
            return 0;
        }
    return 1;
}
