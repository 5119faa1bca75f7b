import CForeignCall
import CPluginABI
import Glibc

/// The tables of C functions for plugins. A table lives as long as its plugin is mapped.
enum HostTable {
    /// The table of plugins that are linked into the process. One copy of such a plugin serves all hosts.
    // Safe because the table is never written again.
    nonisolated(unsafe) static let shared = unsafe make(generation: 1)
    static let sharedKey = unsafe UInt(bitPattern: shared)

    /// A table for one loaded library.
    ///
    /// Each function leaves the guarded call that the thread may be in: a crash in the host is the host's own.
    static func make(generation: UInt64) -> UnsafePointer<spin_host> {
        // Safe because the functions check a plugin's arguments before they use them.
        let table = unsafe spin_host(
            size: UInt32(MemoryLayout<spin_host>.size), abi_major: UInt32(SPIN_ABI_MAJOR),
            abi_minor: UInt32(SPIN_ABI_MINOR), flags: 0, generation: generation, owner: nil,
            emit: { call, emitter, payload in
                GuardedCall.left { unsafe HostFunctions.emit(call, emitter, payload) }
            },
            finish: { call in GuardedCall.left { unsafe HostFunctions.finish(call) } },
            fail: { call, code, text in GuardedCall.left { unsafe HostFunctions.fail(call, code, text) } },
            cancelled: { call in GuardedCall.left { unsafe HostFunctions.isCancelled(call) ? 1 : 0 } },
            on_cancel: { call, function, argument in
                GuardedCall.left { unsafe HostFunctions.onCancel(call, function, argument) }
            },
            service: { host, id in unsafe GuardedCall.left { unsafe HostTable.service(host, id) } },
            emit_wait: { call, emitter, payload, timeout in
                GuardedCall.left { unsafe HostFunctions.emitWaiting(call, emitter, payload, timeout) }
            },
            deadline: { call in GuardedCall.left { unsafe HostFunctions.deadline(call) } })
        return unsafe immortal(table)
    }

    /// Stores `table` in the variable of a plugin that points to its host.
    static func publish(
        _ table: UnsafePointer<spin_host>, at slot: UnsafeMutablePointer<UnsafePointer<spin_host>?>
    ) {
        // Safe because all object pointers look alike in memory.
        unsafe foreign_publish(
            UnsafeMutableRawPointer(slot).assumingMemoryBound(to: UnsafeRawPointer?.self),
            UnsafeRawPointer(table))
    }

    static func service(
        _ host: UnsafePointer<spin_host>?, _ id: UnsafePointer<CChar>?
    ) -> UnsafeRawPointer? {
        // Safe because the plugin promises a NUL-terminated id, and the tables are immortal.
        guard let id = unsafe id, let image = unsafe HostRegistry.shared.image(of: host),
            unsafe !image.isGuarded || foreign_text_size(id) >= 0
        else { return nil }
        return switch unsafe String(cString: id) {
        case SPIN_LOG_SERVICE: unsafe UnsafeRawPointer(log)
        case SPIN_CLOCK_SERVICE: unsafe UnsafeRawPointer(clock)
        case SPIN_TIMER_SERVICE: unsafe UnsafeRawPointer(timer)
        case SPIN_OUTPUT_SERVICE: unsafe UnsafeRawPointer(output)
        case SPIN_WORK_SERVICE: unsafe UnsafeRawPointer(work)
        case SPIN_ARENA_SERVICE: unsafe UnsafeRawPointer(arena)
        default: nil
        }
    }

    // Safe because the table of the log service is never written after its initialisation.
    nonisolated(unsafe) private static let log = unsafe immortal(
        spin_log_service(
            size: UInt32(MemoryLayout<spin_log_service>.size), flags: 0,
            write: { host, call, level, text, size in
                GuardedCall.left { unsafe HostFunctions.writeLog(host, call, level, text, size) }
            }))

    // Safe because the table of the clock service is never written after its initialisation.
    nonisolated(unsafe) private static let clock = unsafe immortal(
        spin_clock_service(
            size: UInt32(MemoryLayout<spin_clock_service>.size), flags: 0,
            monotonic: { host in GuardedCall.left { unsafe HostFunctions.monotonicTime(host) } },
            wall: { host in GuardedCall.left { unsafe HostFunctions.wallTime(host) } }))

    // Safe because the table of the timer service is never written after its initialisation.
    nonisolated(unsafe) private static let timer = unsafe immortal(
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
    nonisolated(unsafe) private static let output = unsafe immortal(
        spin_output_service(
            size: UInt32(MemoryLayout<spin_output_service>.size), flags: 0,
            print: { host, text, size in
                GuardedCall.left { unsafe HostFunctions.print(host, text, size) }
            }))

    // Safe because the table of the work service is never written after its initialisation.
    nonisolated(unsafe) private static let work = unsafe immortal(
        spin_work_service(
            size: UInt32(MemoryLayout<spin_work_service>.size), flags: 0,
            submit: { host, function, argument in
                GuardedCall.left { unsafe HostFunctions.submit(host, function, argument) }
            }))

    // Safe because the table of the arena service is never written after its initialisation.
    nonisolated(unsafe) private static let arena = unsafe immortal(
        spin_arena_service(
            size: UInt32(MemoryLayout<spin_arena_service>.size), flags: 0,
            allocate: { _, call, size in
                unsafe GuardedCall.left { unsafe HostFunctions.allocate(call, size) }
            }))

    /// Frees the table of a plugin that is unmapped.
    static func free(_ table: UInt) {
        HostRegistry.shared.unregister(host: table)
        // Safe because `make` has allocated it, and only the unmapped plugin had its address.
        unsafe UnsafePointer<spin_host>(bitPattern: table)?.deallocate()
    }

    static func immortal<Table>(_ table: Table) -> UnsafePointer<Table> {
        // Safe because the memory is initialised here and never written or freed afterwards.
        let memory = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        unsafe memory.initialize(to: table)
        return unsafe UnsafePointer(memory)
    }
}
