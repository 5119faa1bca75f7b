#include "line_emission.h"
#include <errno.h>

static int emit_found(struct worker *worker, struct line_emission *lines, enum line_found found,
                      spin_string text) {
    switch (found) {
    case LINE_NONE:
        return 1;
    case LINE_FOUND:
        return worker_goes_on(worker, lines->emit(worker->call, text));
    case LINE_TOO_LONG:
        worker_fail(worker, 0, "line %lld of %s is longer than %zu bytes", (long long)lines->reader.count + 1,
                    lines->name, LINE_LIMIT);
        return 0;
    case LINE_NO_MEMORY:
        worker_fail(worker, ENOMEM, "cannot read %s", lines->name);
        return 0;
    }
    return 0;
}

int emit_whole_lines(struct worker *worker, struct line_emission *lines) {
    for (;;) {
        spin_string text = {0};
        enum line_found found = line_reader_next(&lines->reader, &text);
        if (found == LINE_NONE)
            return 1;
        if (!emit_found(worker, lines, found, text))
            return 0;
    }
}

int emit_last_line(struct worker *worker, struct line_emission *lines) {
    spin_string text = {0};
    enum line_found found = line_reader_rest(&lines->reader, &text);
    return emit_found(worker, lines, found, text);
}
