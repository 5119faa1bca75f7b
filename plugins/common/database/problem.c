#include "problem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int problem_set(struct problem *problem, int code, const char *format, ...) {
    char text[problem_size];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    problem->code = code;
    // A database may choose parts of it.
    problem->text[utf8_repair(text, strlen(text), problem->text)] = 0;
    return 0;
}
