// script/services writes this file.
import CPluginABI

/// The tables of the services. Each function leaves the guarded call that the thread may be in.
enum ServiceTables {
    /// The table of a service; nil for an id that this host does not have.
    static func table(of id: String) -> UnsafeRawPointer? {
        switch id {
        case SPIN_API_SERVICE: unsafe UnsafeRawPointer(api)
        case SPIN_ARENA_SERVICE: unsafe UnsafeRawPointer(arena)
        case SPIN_BUFFER_SERVICE: unsafe UnsafeRawPointer(buffer)
        case SPIN_CLOCK_SERVICE: unsafe UnsafeRawPointer(clock)
        case SPIN_INSTANCE_SERVICE: unsafe UnsafeRawPointer(instance)
        case SPIN_LOG_SERVICE: unsafe UnsafeRawPointer(log)
        case SPIN_METRICS_SERVICE: unsafe UnsafeRawPointer(metrics)
        case SPIN_OUTPUT_SERVICE: unsafe UnsafeRawPointer(output)
        case SPIN_POLL_SERVICE: unsafe UnsafeRawPointer(poll)
        case SPIN_ROOM_SERVICE: unsafe UnsafeRawPointer(room)
        case SPIN_RUN_SERVICE: unsafe UnsafeRawPointer(run)
        case SPIN_TIMER_SERVICE: unsafe UnsafeRawPointer(timer)
        case SPIN_WORK_SERVICE: unsafe UnsafeRawPointer(work)
        default: nil
        }
    }

    // Safe because the table of the api service is never written after its initialisation.
    nonisolated(unsafe) private static let api = unsafe HostTable.immortal(
        spin_api_service(
            size: UInt32(MemoryLayout<spin_api_service>.size), flags: 0,
            publish: { host, name, major, minor, table, size in
                GuardedCall.left {
                    unsafe ApiService.publish(host, name, major, minor, table, size)
                }
            },
            withdraw: { host, name in
                GuardedCall.left {
                    unsafe ApiService.withdraw(host, name)
                }
            },
            acquire: { host, name, major, least_minor, wanted, context, table, size, use in
                GuardedCall.left {
                    unsafe ApiService.acquire(
                        host, name, major, least_minor, wanted, context, table, size, use)
                }
            },
            release: { host, use in
                GuardedCall.left {
                    unsafe ApiService.release(host, use)
                }
            }))

    // Safe because the table of the arena service is never written after its initialisation.
    nonisolated(unsafe) private static let arena = unsafe HostTable.immortal(
        spin_arena_service(
            size: UInt32(MemoryLayout<spin_arena_service>.size), flags: 0,
            allocate: { host, call, size in
                unsafe GuardedCall.left {
                    unsafe ArenaService.allocate(host, call, size)
                }
            }))

    // Safe because the table of the buffer service is never written after its initialisation.
    nonisolated(unsafe) private static let buffer = unsafe HostTable.immortal(
        spin_buffer_service(
            size: UInt32(MemoryLayout<spin_buffer_service>.size), flags: 0,
            allocate: { host, size in
                unsafe GuardedCall.left {
                    unsafe BufferService.allocate(host, size)
                }
            },
            retain: { host, call, data in
                GuardedCall.left {
                    unsafe BufferService.retain(host, call, data)
                }
            },
            release: { host, data in
                GuardedCall.left {
                    unsafe BufferService.release(host, data)
                }
            }))

    // Safe because the table of the clock service is never written after its initialisation.
    nonisolated(unsafe) private static let clock = unsafe HostTable.immortal(
        spin_clock_service(
            size: UInt32(MemoryLayout<spin_clock_service>.size), flags: 0,
            monotonic: { host in
                GuardedCall.left {
                    unsafe ClockService.monotonic(host)
                }
            },
            wall: { host in
                GuardedCall.left {
                    unsafe ClockService.wall(host)
                }
            }))

    // Safe because the table of the instance service is never written after its initialisation.
    nonisolated(unsafe) private static let instance = unsafe HostTable.immortal(
        spin_instance_service(
            size: UInt32(MemoryLayout<spin_instance_service>.size), flags: 0,
            call: { host, call in
                unsafe GuardedCall.left {
                    unsafe InstanceService.call(host, call)
                }
            }))

    // Safe because the table of the log service is never written after its initialisation.
    nonisolated(unsafe) private static let log = unsafe HostTable.immortal(
        spin_log_service(
            size: UInt32(MemoryLayout<spin_log_service>.size), flags: 0,
            write: { host, call, level, text, size, fields, count in
                GuardedCall.left {
                    unsafe LogService.write(host, call, level, text, size, fields, count)
                }
            }))

    // Safe because the table of the metrics service is never written after its initialisation.
    nonisolated(unsafe) private static let metrics = unsafe HostTable.immortal(
        spin_metrics_service(
            size: UInt32(MemoryLayout<spin_metrics_service>.size), flags: 0,
            counter: { host, name, help, labels, label_count in
                GuardedCall.left {
                    unsafe MetricsService.counter(host, name, help, labels, label_count)
                }
            },
            gauge: { host, name, help, labels, label_count in
                GuardedCall.left {
                    unsafe MetricsService.gauge(host, name, help, labels, label_count)
                }
            },
            histogram: { host, name, help, labels, label_count, bounds, bound_count in
                GuardedCall.left {
                    unsafe MetricsService.histogram(
                        host, name, help, labels, label_count, bounds, bound_count)
                }
            },
            add: { host, metric, amount in
                GuardedCall.left {
                    unsafe MetricsService.add(host, metric, amount)
                }
            },
            set: { host, metric, value in
                GuardedCall.left {
                    unsafe MetricsService.set(host, metric, value)
                }
            },
            observe: { host, metric, value in
                GuardedCall.left {
                    unsafe MetricsService.observe(host, metric, value)
                }
            }))

    // Safe because the table of the output service is never written after its initialisation.
    nonisolated(unsafe) private static let output = unsafe HostTable.immortal(
        spin_output_service(
            size: UInt32(MemoryLayout<spin_output_service>.size), flags: 0,
            print: { host, text, size in
                GuardedCall.left {
                    unsafe OutputService.print(host, text, size)
                }
            }))

    // Safe because the table of the poll service is never written after its initialisation.
    nonisolated(unsafe) private static let poll = unsafe HostTable.immortal(
        spin_poll_service(
            size: UInt32(MemoryLayout<spin_poll_service>.size), flags: 0,
            start: { host, call, descriptor, events, ready, context, release, poll in
                GuardedCall.left {
                    unsafe PollService.start(host, call, descriptor, events, ready, context, release, poll)
                }
            },
            change: { host, poll, events in
                GuardedCall.left {
                    unsafe PollService.change(host, poll, events)
                }
            },
            cancel: { host, poll in
                GuardedCall.left {
                    unsafe PollService.cancel(host, poll)
                }
            }))

    // Safe because the table of the room service is never written after its initialisation.
    nonisolated(unsafe) private static let room = unsafe HostTable.immortal(
        spin_room_service(
            size: UInt32(MemoryLayout<spin_room_service>.size), flags: 0,
            on_room: { host, call, function, context in
                GuardedCall.left {
                    unsafe RoomService.onRoom(host, call, function, context)
                }
            }))

    // Safe because the table of the run service is never written after its initialisation.
    nonisolated(unsafe) private static let run = unsafe HostTable.immortal(
        spin_run_service(
            size: UInt32(MemoryLayout<spin_run_service>.size), flags: 0,
            key: { host, call, to, capacity in
                GuardedCall.left {
                    unsafe RunService.key(host, call, to, capacity)
                }
            },
            attempt: { host, call in
                GuardedCall.left {
                    unsafe RunService.attempt(host, call)
                }
            }))

    // Safe because the table of the timer service is never written after its initialisation.
    nonisolated(unsafe) private static let timer = unsafe HostTable.immortal(
        spin_timer_service(
            size: UInt32(MemoryLayout<spin_timer_service>.size), flags: 0,
            start: { host, call, first, interval, fire, context, release, timer in
                GuardedCall.left {
                    unsafe TimerService.start(host, call, first, interval, fire, context, release, timer)
                }
            },
            cancel: { host, timer in
                GuardedCall.left {
                    unsafe TimerService.cancel(host, timer)
                }
            }))

    // Safe because the table of the work service is never written after its initialisation.
    nonisolated(unsafe) private static let work = unsafe HostTable.immortal(
        spin_work_service(
            size: UInt32(MemoryLayout<spin_work_service>.size), flags: 0,
            submit: { host, function, context in
                GuardedCall.left {
                    unsafe WorkService.submit(host, function, context)
                }
            }))
}
