// Files as answers.
#ifndef SERVE_FILES_H
#define SERVE_FILES_H

#include "exchange.h"

/* Answers a GET or HEAD whose path names a file in the folder: 1 with what libmicrohttpd says of that. 0 if it is no
 * such request. */
int files_answer(struct exchange *exchange, enum MHD_Result *result);

#endif
