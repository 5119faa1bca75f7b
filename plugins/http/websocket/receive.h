// What libwslay calls for the frames of the server.
#ifndef HTTP_RECEIVE_H
#define HTTP_RECEIVE_H

#include "frames.h"

/* Sets the functions that libwslay calls. Their context is the frames. */
void receive_set(struct wslay_event_callbacks *callbacks);

/* Reads no more frames, for this reason. */
void receive_stop(struct frames *frames, enum frames_problem problem);

#endif
