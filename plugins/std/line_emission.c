#include "line_emission.h"
#include <errno.h>

ssize_t read_lines(struct task *task, struct line_emission *lines, int descriptor) {
    ssize_t count = line_reader_fill(&lines->reader, descriptor);
    lines->is_at_end = count == 0;
    if (count >= 0)
        return count;
    if (errno == EINTR || errno == EAGAIN)
        return 0;
    task_fail(task, errno, "cannot read %s", lines->name);
    return -1;
}

int emit_lines(struct task *task, struct line_emission *lines) {
    struct line_reader *reader = &lines->reader;
    for (;;) {
        spin_string text = {0};
        enum line_found found = line_reader_next(reader, &text);
        if (found == LINE_NONE && lines->is_at_end)
            found = line_reader_rest(reader, &text);
        switch (found) {
        case LINE_NONE:
            return 1;
        case LINE_FOUND:
            if (task_continues(task, lines->emit(task->call, text)))
                break;
            line_reader_back(reader);
            return 0;
        case LINE_TOO_LONG:
            task_fail(task, 0, "line %lld of %s is longer than %zu bytes", (long long)reader->count + 1,
                      lines->name, LINE_LIMIT);
            return 0;
        case LINE_NO_MEMORY:
            task_fail(task, ENOMEM, "cannot read %s", lines->name);
            return 0;
        }
    }
}
