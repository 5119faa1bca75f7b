import CForeignCall
import CPluginABI
import Interfaces

/// Reads the descriptions of a table, whatever bytes it has. It follows no pointer out of the library.
struct PluginTableReader {
    /// The size of each struct in ABI 2.0, in bytes. A library must not have a shorter one; these never change.
    enum Least {
        static let entry = 56
        static let effect = 48
        static let emitter = 40
        static let reducer = 64
        static let loop = 24
        static let instance = 24
        static let config = 16
        static let life = 24
        static let swap = 32
        static let record = 32
        static let reconfigure = 16
    }

    let memory: ImageMemory
    let library: String

    func fault(_ what: String) -> PluginError { .contradiction(library, "its `spin_entry` \(what)") }

    /// Checks the version that a table is for, and the minor version that it needs.
    func check(major: UInt32, minor: UInt32) throws(PluginError) {
        guard major == SPIN_ABI_MAJOR, minor <= SPIN_ABI_MINOR else {
            throw PluginError(
                .abiMismatch,
                "the `spin_entry` of `\(library)` needs ABI \(major).\(minor), this host has \(ABIVersion.host)",
                help: ["use a host for that version, or rebuild the library with this host's header"],
                library: library)
        }
    }

    /// The addresses of the descriptions, each once.
    func descriptions(_ entry: spin_entry) throws(PluginError) -> [UnsafeRawPointer] {
        // Safe because the list is read only after its memory was checked.
        guard let first = unsafe UnsafeRawPointer(entry.descriptions),
            let end = unsafe UnsafeRawPointer(entry.descriptions_end)
        else { return unsafe [] }
        let stride = unsafe MemoryLayout<UnsafeRawPointer>.stride
        let (size, overflows) = Int(bitPattern: end).subtractingReportingOverflow(Int(bitPattern: first))
        guard !overflows, size >= 0, size % stride == 0, unsafe isAligned(first),
            unsafe memory.contains(first, size)
        else { throw fault("has a list outside of the library") }
        return unsafe try list(first, count: size / stride)
    }

    private func list(_ first: UnsafeRawPointer, count: Int) throws(PluginError) -> [UnsafeRawPointer] {
        var addresses: [UnsafeRawPointer] = unsafe []
        var seen: Set<UInt> = []
        for index in 0..<count {
            // Safe because the caller has checked the memory.
            let address = unsafe first.load(
                fromByteOffset: index * MemoryLayout<UnsafeRawPointer>.stride, as: UnsafeRawPointer?.self)
            guard let address = unsafe address else { throw fault("has a null pointer in its list") }
            if seen.insert(UInt(bitPattern: address)).inserted { unsafe addresses.append(address) }
        }
        return unsafe addresses
    }

    private func isAligned(_ address: UnsafeRawPointer) -> Bool {
        unsafe UInt(bitPattern: address) % UInt(MemoryLayout<UnsafeRawPointer>.alignment) == 0
    }

    /// Reads a description into the table.
    func read(_ address: UnsafeRawPointer, into table: inout PluginTable) throws(PluginError) {
        guard unsafe isAligned(address), unsafe memory.contains(address, MemoryLayout<spin_description>.size)
        else { throw fault("has a description outside of the library") }
        // Safe because the memory was checked.
        let head = unsafe address.load(as: spin_description.self)
        try check(major: UInt32(SPIN_ABI_MAJOR), minor: UInt32(head.minor))
        func add(_ kind: PluginNote.Kind, _ texts: [String] = []) throws(PluginError) {
            let statement = PluginStatement(kind, texts)
            guard table.statements.updateValue(statement, forKey: statement.subject) == nil else {
                throw fault("has \(statement.subject) twice")
            }
        }
        switch PluginNote.Kind(rawValue: UInt32(head.kind)) {
        case .effect:
            let effect = unsafe try copy(address, spin_effect(), Least.effect)
            let texts = unsafe try texts([effect.name, effect.prototype, effect.fails_if, effect.doc])
            try add(.effect, texts)
            unsafe table.effects[texts[0]] = try code(
                unsafeBitCast(effect.function, to: UnsafeRawPointer?.self), "effect `\(texts[0])`")
        case .emitter:
            let emitter = unsafe try copy(address, spin_emitter(), Least.emitter)
            let texts = unsafe try texts([emitter.name, emitter.prototype, emitter.doc])
            try add(.emitter, texts)
            table.emitters[texts[0]] = unsafe PluginTable.Emitter(
                address: UInt(bitPattern: address), payloadSize: emitter.payload_size)
        case .reducer:
            let reducer = unsafe try copy(address, spin_reducer(), Least.reducer)
            let texts = unsafe try texts([reducer.name, reducer.state_type, reducer.event_type, reducer.doc])
            try add(.reducer, texts)
            table.reducers[texts[0]] = unsafe PluginTable.Reducer(
                function: try code(
                    unsafeBitCast(reducer.function, to: UnsafeRawPointer?.self), "reducer `\(texts[0])`"),
                stateSize: reducer.state_size, eventSize: reducer.event_size)
        case .loop:
            let loop = unsafe try copy(address, spin_loop(), Least.loop)
            let texts = unsafe try texts([loop.name])
            try add(.loop, texts)
            table.loops[texts[0]] = unsafe try events(UnsafeRawPointer(loop.events))
        case .instance:
            let value = unsafe try copy(address, spin_plugin_instance(), Least.instance)
            try add(.instance)
            table.instance = unsafe try functions(
                unsafeBitCast(value.create, to: UnsafeRawPointer?.self),
                unsafeBitCast(value.destroy, to: UnsafeRawPointer?.self), .instance)
        case .config:
            let value = unsafe try copy(address, spin_plugin_config(), Least.config)
            try add(.config)
            table.configSize = value.config_size
        case .life:
            let value = unsafe try copy(address, spin_plugin_life(), Least.life)
            try add(.life)
            table.life = unsafe try functions(
                unsafeBitCast(value.start, to: UnsafeRawPointer?.self),
                unsafeBitCast(value.stop, to: UnsafeRawPointer?.self), .life)
        case .swap:
            let value = unsafe try copy(address, spin_plugin_swap(), Least.swap)
            try add(.swap, [String(value.schema)])
            table.swap = unsafe try functions(
                unsafeBitCast(value.save, to: UnsafeRawPointer?.self),
                unsafeBitCast(value.restore, to: UnsafeRawPointer?.self), .swap)
        case .record:
            let record = unsafe try copy(address, spin_record(), Least.record)
            let texts = unsafe try texts([record.name, record.declaration])
            try add(.record, texts)
            table.records[texts[0]] = unsafe record.record_size
        case .reconfigure:
            let value = unsafe try copy(address, spin_plugin_reconfigure(), Least.reconfigure)
            try add(.reconfigure)
            unsafe table.reconfigure = try code(
                unsafeBitCast(value.reconfigure, to: UnsafeRawPointer?.self), PluginNote.Kind.reconfigure.word
            )
        case .plugin, nil: throw fault("has a description of kind \(head.kind)")
        }
    }

    /// The emitters of a loop's events: pointers up to a null pointer.
    private func events(_ first: UnsafeRawPointer?) throws(PluginError) -> [PluginTable.Emitter] {
        guard var next = unsafe first else { return [] }
        var emitters: [PluginTable.Emitter] = []
        while true {
            guard unsafe isAligned(next), unsafe memory.contains(next, MemoryLayout<UnsafeRawPointer>.size)
            else {
                throw fault("has a list of events outside of the library")
            }
            // Safe because the memory was checked.
            guard let address = unsafe next.load(as: UnsafeRawPointer?.self) else { return emitters }
            let emitter = unsafe try copy(address, spin_emitter(), Least.emitter)
            emitters.append(
                unsafe PluginTable.Emitter(
                    address: UInt(bitPattern: address), payloadSize: emitter.payload_size))
            unsafe next += MemoryLayout<UnsafeRawPointer>.stride
        }
    }

    private func copy<Value: BitwiseCopyable>(
        _ address: UnsafeRawPointer, _ zero: Value, _ least: Int
    ) throws(PluginError) -> Value {
        var value = zero
        guard unsafe memory.copy(address, into: &value, least: least) else {
            throw fault("has a description that is too short, or outside of the library")
        }
        return value
    }

    /// The texts of a description; empty for null pointers.
    func texts(_ addresses: [UnsafePointer<CChar>?]) throws(PluginError) -> [String] {
        var texts: [String] = []
        for index in unsafe addresses.indices {
            guard let text = unsafe memory.text(addresses[index]) else {
                throw fault("has a text that is not UTF-8, or outside of the library")
            }
            texts.append(text)
        }
        return texts
    }

    /// The address of a function, in this library or another one.
    private func code(_ address: UnsafeRawPointer?, _ subject: String) throws(PluginError) -> UnsafeRawPointer
    {
        // Safe because the function only compares the address with those of mapped libraries.
        guard let address = unsafe address, unsafe foreign_image_of(address) != nil else {
            throw fault("has \(subject) without a function")
        }
        return unsafe address
    }

    private func functions(
        _ first: UnsafeRawPointer?, _ second: UnsafeRawPointer?, _ kind: PluginNote.Kind
    ) throws(PluginError) -> PluginTable.Functions {
        unsafe PluginTable.Functions(first: try code(first, kind.word), second: try code(second, kind.word))
    }
}
