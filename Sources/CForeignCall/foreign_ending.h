// What a process leaves when it ends by a crash. Safe in signal handlers.
#pragma once

#include <cstddef>

/// Writes all bytes, unless a write fails.
void foreign_write_all(int file, const char *text, size_t size);

/// Whether reports have a file (`foreign_report_to`).
bool foreign_ending_has_file();

/// Writes a report to its file, and then the output that waits (`foreign_report_output`). NULL: there is no report.
void foreign_ending_report(const char *text, size_t size);
