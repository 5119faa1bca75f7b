#include "ack.h"
#include "../wire/subject.h"
#include <stdlib.h>
#include <string.h>

static const char begin[] = "$JS.ACK.";

int ack_is(spin_string subject) {
    return subject.size > sizeof begin - 1 && memcmp(subject.data, begin, sizeof begin - 1) == 0 &&
           !subject_fault(subject);
}

static int64_t number(spin_string part) {
    char digits[20] = "";
    if (part.size == 0 || part.size >= sizeof digits)
        return -1;
    memcpy(digits, part.data, part.size);
    return strspn(digits, "0123456789") == part.size ? strtoll(digits, NULL, 10) : -1;
}

// $JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERIES.SEQUENCE.CONSUMER-SEQUENCE.TIME.PENDING[.RANDOM]
// With a domain, later versions of the server may add more parts.
int ack_read(spin_string subject, struct ack *ack) {
    enum { most_parts = 11 };
    spin_string parts[most_parts];
    size_t count = 0;
    if (!ack_is(subject))
        return 0;
    for (size_t at = 0; at <= subject.size && count < most_parts; count++) {
        const char *dot = memchr(subject.data + at, '.', subject.size - at);
        size_t size = dot ? (size_t)(dot - subject.data) - at : subject.size - at;
        parts[count] = (spin_string){subject.data + at, size};
        at += size + 1;
    }
    if (count != 9 && count != 11)
        return 0;
    size_t first = count == 9 ? 4 : 6;
    *ack = (struct ack){number(parts[first]), number(parts[first + 1])};
    return ack->deliveries > 0 && ack->sequence >= 0;
}
