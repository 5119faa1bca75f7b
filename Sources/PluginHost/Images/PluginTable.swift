import CForeignCall
import CPluginABI
import Interfaces

/// What the table of a library describes: its `spin_entry`, read once, after the library is loaded.
// Safe because all pointers are to constants and code of the library, which the image keeps mapped.
@safe
package struct PluginTable: @unchecked Sendable {
    struct Emitter {
        /// What the plugin passes to the host.
        let address: UInt
        let payloadSize: UInt64
    }

    @safe
    struct Reducer {
        let function: UnsafeRawPointer
        let stateSize, eventSize: UInt64
    }

    /// Two functions of the library: `create` and `destroy`, `start` and `stop`, or `save` and `restore`.
    @safe
    struct Functions {
        let first, second: UnsafeRawPointer
    }

    /// Where the library takes the host's table.
    let host: UnsafeMutablePointer<UnsafePointer<spin_host>?>
    /// What the notes of the library must say, too, by subject.
    var statements: [String: PluginStatement] = [:]
    var effects: [String: UnsafeRawPointer] = unsafe [:]
    var emitters: [String: Emitter] = [:]
    var reducers: [String: Reducer] = [:]
    /// The emitters of the loops' events, in order.
    var loops: [String: [Emitter]] = [:]
    /// The sizes of the structs that it declares, in bytes.
    var records: [String: UInt64] = [:]
    var instance: Functions?
    var configSize: UInt64?
    var life: Functions?
    var swap: Functions?
    var reconfigure: UnsafeRawPointer?

    /// What the table describes, such as ``effect `fetch` ``, in alphabetical order.
    package var subjects: [String] { statements.keys.sorted() }

    /// Reads a table.
    ///
    /// - Throws: `contradictoryPlugin` when it is malformed, or points out of `memory`; `abiMismatch` when it
    ///   is for another major version or needs a newer minor one.
    package init(
        _ address: UnsafeRawPointer, in memory: ImageMemory, library: String
    ) throws(PluginError) {
        let reader = PluginTableReader(memory: memory, library: library)
        var entry = unsafe spin_entry()
        guard unsafe memory.copy(address, into: &entry, least: PluginTableReader.Least.entry) else {
            throw reader.fault("is too short")
        }
        try unsafe reader.check(major: entry.abi_major, minor: entry.abi_minor)
        guard let slot = unsafe entry.host,
            unsafe memory.contains(slot, MemoryLayout.size(ofValue: slot), writing: true)
        else { throw reader.fault("has no place for the host's table") }
        unsafe host = slot
        let identity = PluginStatement(.plugin, unsafe try reader.texts([entry.id, entry.version]))
        statements[identity.subject] = identity
        let descriptions = unsafe try reader.descriptions(entry)
        for index in unsafe descriptions.indices { unsafe try reader.read(descriptions[index], into: &self) }
    }
}
