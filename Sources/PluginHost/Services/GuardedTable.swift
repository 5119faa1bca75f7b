import CForeignCall
import CPluginABI

/// The tables of C functions for guarded plugins. Their functions leave the guard, and then do what those of
/// `HostTable` do.
enum GuardedTable {
    // Safe because the host's tables are immortal, and these functions only pass on their arguments.

    /// The table for one loaded library, whose functions call those of `plain`.
    static func make(_ plain: spin_host) -> spin_host {
        var table = unsafe plain
        unsafe table.emit = { call, emitter, payload in
            GuardedCall.left { unsafe HostFunctions.emit(call, emitter, payload) }
        }
        unsafe table.finish = { call in GuardedCall.left { unsafe HostFunctions.finish(call) } }
        unsafe table.fail = { call, code, text in
            GuardedCall.left { unsafe HostFunctions.fail(call, code, text) }
        }
        unsafe table.cancelled = { call in
            GuardedCall.left { unsafe HostFunctions.isCancelled(call) ? 1 : 0 }
        }
        unsafe table.on_cancel = { call, function, argument in
            GuardedCall.left { unsafe HostFunctions.onCancel(call, function, argument) }
        }
        unsafe table.service = { host, id in
            unsafe GuardedCall.left { unsafe HostTable.service(host, id, isGuarded: true) }
        }
        unsafe table.emit_wait = { call, emitter, payload, timeout in
            GuardedCall.left { unsafe HostFunctions.emitWaiting(call, emitter, payload, timeout) }
        }
        unsafe table.deadline = { call in GuardedCall.left { unsafe HostFunctions.deadline(call) } }
        return unsafe table
    }

    // Safe because the table of the log service is never written after its initialisation.
    nonisolated(unsafe) static let log = unsafe HostTable.immortal(
        spin_log_service(
            size: UInt32(MemoryLayout<spin_log_service>.size), flags: 0,
            write: { host, call, level, text, size in
                GuardedCall.left { unsafe HostFunctions.writeLog(host, call, level, text, size) }
            }))

    // Safe because the table of the clock service is never written after its initialisation.
    nonisolated(unsafe) static let clock = unsafe HostTable.immortal(
        spin_clock_service(
            size: UInt32(MemoryLayout<spin_clock_service>.size), flags: 0,
            monotonic: { host in GuardedCall.left { unsafe HostFunctions.monotonicTime(host) } },
            wall: { host in GuardedCall.left { unsafe HostFunctions.wallTime(host) } }))

    // Safe because the table of the timer service is never written after its initialisation.
    nonisolated(unsafe) static let timer = unsafe HostTable.immortal(
        spin_timer_service(
            size: UInt32(MemoryLayout<spin_timer_service>.size), flags: 0,
            start: { host, call, first, interval, fire, argument, release, timer in
                GuardedCall.left {
                    unsafe HostFunctions.startTimer(
                        host, call, first, interval, fire, argument, release, timer)
                }
            },
            cancel: { host, timer in
                GuardedCall.left { unsafe HostFunctions.cancelTimer(host, timer) }
            }))

    // Safe because the table of the output service is never written after its initialisation.
    nonisolated(unsafe) static let output = unsafe HostTable.immortal(
        spin_output_service(
            size: UInt32(MemoryLayout<spin_output_service>.size), flags: 0,
            print: { host, text, size in
                GuardedCall.left { unsafe HostFunctions.print(host, text, size) }
            }))

    // Safe because the table of the work service is never written after its initialisation.
    nonisolated(unsafe) static let work = unsafe HostTable.immortal(
        spin_work_service(
            size: UInt32(MemoryLayout<spin_work_service>.size), flags: 0,
            submit: { host, function, argument in
                GuardedCall.left { unsafe HostFunctions.submit(host, function, argument) }
            }))

    // Safe because the table of the arena service is never written after its initialisation.
    nonisolated(unsafe) static let arena = unsafe HostTable.immortal(
        spin_arena_service(
            size: UInt32(MemoryLayout<spin_arena_service>.size), flags: 0,
            allocate: { _, call, size in
                unsafe GuardedCall.left { unsafe HostFunctions.allocate(call, size) }
            }))
}
