#include "outbox.h"
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(created, (spin_string, path), (spin_string, name), (bool, folder), (bool, present));
SPIN_EMITTER(changed, (spin_string, path), (spin_string, name));
SPIN_EMITTER(removed, (spin_string, path), (spin_string, name), (bool, folder));
SPIN_EMITTER(moved, (spin_string, from), (spin_string, path), (spin_string, name), (bool, folder));
SPIN_EMITTER(rescan, (spin_string, reason));

static void free_report(struct report *report) {
    free(report->path);
    free(report->from);
    free(report);
}

int outbox_add(struct outbox *outbox, enum report_kind kind, int is_folder, const char *path,
               const char *from) {
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return 0;
    report->kind = kind;
    report->is_folder = is_folder;
    report->path = strdup(path);
    report->from = from ? strdup(from) : NULL;
    if (!report->path || (from && !report->from)) {
        free_report(report);
        return 0;
    }
    if (outbox->last)
        outbox->last->next = report;
    else
        outbox->first = report;
    outbox->last = report;
    return 1;
}

static spin_string text_of(const char *text) { return (spin_string){text, strlen(text)}; }

static spin_string name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return text_of(slash && slash[1] ? slash + 1 : path);
}

static spin_status emit(const struct report *report, spin_call *call) {
    spin_string path = text_of(report->path), name = name_of(report->path);
    switch (report->kind) {
    case REPORT_PRESENT:
    case REPORT_CREATED:
        return spin_wait_created(call, path, name, report->is_folder, report->kind == REPORT_PRESENT, 0);
    case REPORT_CHANGED:
        return spin_wait_changed(call, path, name, 0);
    case REPORT_REMOVED:
        return spin_wait_removed(call, path, name, report->is_folder, 0);
    case REPORT_MOVED:
        return spin_wait_moved(call, text_of(report->from), path, name, report->is_folder, 0);
    case REPORT_RESCAN:
        return spin_wait_rescan(call, path, 0);
    }
    return SPIN_OK;
}

static void remove_first(struct outbox *outbox) {
    struct report *report = outbox->first;
    outbox->first = report->next;
    if (!outbox->first)
        outbox->last = NULL;
    free_report(report);
}

int outbox_emit(struct outbox *outbox, struct task *task) {
    while (outbox->first) {
        if (!task_continues(task, emit(outbox->first, task->call)))
            return 0;
        remove_first(outbox);
    }
    return 1;
}

void outbox_free(struct outbox *outbox) {
    while (outbox->first)
        remove_first(outbox);
}
