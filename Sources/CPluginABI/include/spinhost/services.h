/* spinhost/services.h: all services, and the proof of their layout (script/services writes this file). */
#ifndef SPINHOST_SERVICES_H
#define SPINHOST_SERVICES_H

#ifdef __cplusplus
extern "C" {
#endif

#include <spinhost/services/api.h>
#include <spinhost/services/arena.h>
#include <spinhost/services/buffer.h>
#include <spinhost/services/clock.h>
#include <spinhost/services/instance.h>
#include <spinhost/services/log.h>
#include <spinhost/services/metrics.h>
#include <spinhost/services/output.h>
#include <spinhost/services/poll.h>
#include <spinhost/services/room.h>
#include <spinhost/services/run.h>
#include <spinhost/services/timer.h>
#include <spinhost/services/work.h>

SPIN_SIZE(spin_api_service, 40);
SPIN_LAYOUT(spin_api_service, size, 0);
SPIN_LAYOUT(spin_api_service, flags, 4);
SPIN_LAYOUT(spin_api_service, publish, 8);
SPIN_LAYOUT(spin_api_service, withdraw, 16);
SPIN_LAYOUT(spin_api_service, acquire, 24);
SPIN_LAYOUT(spin_api_service, release, 32);

SPIN_SIZE(spin_arena_service, 16);
SPIN_LAYOUT(spin_arena_service, size, 0);
SPIN_LAYOUT(spin_arena_service, flags, 4);
SPIN_LAYOUT(spin_arena_service, allocate, 8);

SPIN_SIZE(spin_buffer_service, 32);
SPIN_LAYOUT(spin_buffer_service, size, 0);
SPIN_LAYOUT(spin_buffer_service, flags, 4);
SPIN_LAYOUT(spin_buffer_service, allocate, 8);
SPIN_LAYOUT(spin_buffer_service, retain, 16);
SPIN_LAYOUT(spin_buffer_service, release, 24);

SPIN_SIZE(spin_clock_service, 24);
SPIN_LAYOUT(spin_clock_service, size, 0);
SPIN_LAYOUT(spin_clock_service, flags, 4);
SPIN_LAYOUT(spin_clock_service, monotonic, 8);
SPIN_LAYOUT(spin_clock_service, wall, 16);

SPIN_SIZE(spin_instance_service, 16);
SPIN_LAYOUT(spin_instance_service, size, 0);
SPIN_LAYOUT(spin_instance_service, flags, 4);
SPIN_LAYOUT(spin_instance_service, call, 8);

SPIN_SIZE(spin_log_service, 16);
SPIN_LAYOUT(spin_log_service, size, 0);
SPIN_LAYOUT(spin_log_service, flags, 4);
SPIN_LAYOUT(spin_log_service, write, 8);

SPIN_SIZE(spin_metrics_service, 56);
SPIN_LAYOUT(spin_metrics_service, size, 0);
SPIN_LAYOUT(spin_metrics_service, flags, 4);
SPIN_LAYOUT(spin_metrics_service, counter, 8);
SPIN_LAYOUT(spin_metrics_service, gauge, 16);
SPIN_LAYOUT(spin_metrics_service, histogram, 24);
SPIN_LAYOUT(spin_metrics_service, add, 32);
SPIN_LAYOUT(spin_metrics_service, set, 40);
SPIN_LAYOUT(spin_metrics_service, observe, 48);

SPIN_SIZE(spin_output_service, 16);
SPIN_LAYOUT(spin_output_service, size, 0);
SPIN_LAYOUT(spin_output_service, flags, 4);
SPIN_LAYOUT(spin_output_service, print, 8);

SPIN_SIZE(spin_poll_service, 32);
SPIN_LAYOUT(spin_poll_service, size, 0);
SPIN_LAYOUT(spin_poll_service, flags, 4);
SPIN_LAYOUT(spin_poll_service, start, 8);
SPIN_LAYOUT(spin_poll_service, change, 16);
SPIN_LAYOUT(spin_poll_service, cancel, 24);

SPIN_SIZE(spin_room_service, 16);
SPIN_LAYOUT(spin_room_service, size, 0);
SPIN_LAYOUT(spin_room_service, flags, 4);
SPIN_LAYOUT(spin_room_service, on_room, 8);

SPIN_SIZE(spin_run_service, 24);
SPIN_LAYOUT(spin_run_service, size, 0);
SPIN_LAYOUT(spin_run_service, flags, 4);
SPIN_LAYOUT(spin_run_service, key, 8);
SPIN_LAYOUT(spin_run_service, attempt, 16);

SPIN_SIZE(spin_timer_service, 24);
SPIN_LAYOUT(spin_timer_service, size, 0);
SPIN_LAYOUT(spin_timer_service, flags, 4);
SPIN_LAYOUT(spin_timer_service, start, 8);
SPIN_LAYOUT(spin_timer_service, cancel, 16);

SPIN_SIZE(spin_work_service, 16);
SPIN_LAYOUT(spin_work_service, size, 0);
SPIN_LAYOUT(spin_work_service, flags, 4);
SPIN_LAYOUT(spin_work_service, submit, 8);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SPINHOST_SERVICES_H */
