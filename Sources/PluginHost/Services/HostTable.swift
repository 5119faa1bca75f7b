import CForeignCall
import CPluginABI
import Glibc

/// The tables of C functions for plugins. A table lives as long as its plugin is mapped.
///
/// Each function leaves the guarded call that the thread may be in: a crash in the host is the host's own.
enum HostTable {
    /// The table of plugins that are linked into the process. One copy of such a plugin serves all hosts.
    // Safe because the table is never written again.
    nonisolated(unsafe) static let shared = unsafe make(generation: 1)
    static let sharedKey = unsafe UInt(bitPattern: shared)

    /// A table for one loaded library.
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
            unsafe PluginArguments.isReadable(id, isGuarded: image.isGuarded)
        else { return nil }
        return unsafe ServiceTables.table(of: String(cString: id))
    }

    /// Frees the table of a plugin that is unmapped.
    static func free(_ table: UInt) {
        HostRegistry.shared.unregister(host: table)
        PluginBuffers.shared.releaseAll(of: table)
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
