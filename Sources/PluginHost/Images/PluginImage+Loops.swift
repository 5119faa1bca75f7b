import CPluginABI
public import Interfaces
import Records

// Reducers and event emitters of a plugin that was compiled with an app's header.
extension PluginImage {
    /// The function of a reducer that the plugin declares with `SPIN_REDUCER`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol` when the plugin declares no such reducer; `layoutMismatch`
    ///   when it was compiled with structs of another layout; `contradictoryPlugin` when it does not export
    ///   the reducer as declared.
    func reducer(_ name: String, for layout: LoopLayout) throws(PluginError) -> FunctionAddress {
        let declared = description?.reducers.map(\.name) ?? []
        guard declared.contains(name), case .loaded(let loaded) = code else {
            throw missing("reducer", name, candidates: declared)
        }
        try check(layout)
        // Safe because a declared constant is of the ABI's type and lives as long as the image.
        let constant: UnsafePointer<spin_reducer> = unsafe try loaded.constant("spin_reducer_\(name)")
        let sizes = unsafe (constant.pointee.state_size, constant.pointee.event_size)
        guard sizes == (UInt64(layout.state.size), UInt64(layout.eventSize)) else {
            throw .contradiction(
                library,
                "reducer `\(name)` has a state of \(sizes.0) bytes and events of \(sizes.1), "
                    + "`\(layout.loop)` of \(layout.state.size) and \(layout.eventSize)")
        }
        guard let function = unsafe constant.pointee.function else {
            throw .contradiction(library, "its reducer `\(name)` has no function")
        }
        return unsafe FunctionAddress(
            name: name, image: self, pointer: unsafeBitCast(function, to: UnsafeRawPointer.self))
    }

    /// Checks the layout of a loop's structs, if the plugin was compiled with them.
    ///
    /// - Throws: `DiagnosticCode.layoutMismatch`.
    public func check(_ layout: LoopLayout) throws(PluginError) {
        do { try description?.check(layout) } catch {
            throw PluginError(error.code, error.message, help: error.help, library: library)
        }
    }

    /// The event emitters of the loops that the plugin was compiled with, by the addresses of their
    /// constants.
    static func eventEmitters(
        _ loops: [LoopLayout], in loaded: LoadedLibrary
    ) throws(PluginError) -> [UInt: EmitterBinding] {
        var emitters: [UInt: EmitterBinding] = [:]
        for layout in loops where !layout.events.isEmpty {
            // Safe because a constant that the notes promise is of the ABI's type.
            let loop: UnsafePointer<spin_loop> = unsafe try loaded.constant("spin_loop_\(layout.loop)")
            guard let events = unsafe loop.pointee.events,
                unsafe loop.pointee.event_count == layout.events.count
            else { throw .contradiction(loaded.library, "its `\(layout.eventName)` has other events") }
            for (index, event) in layout.events.enumerated() {
                let constant = unsafe events + index
                emitters[UInt(bitPattern: constant)] = unsafe try EmitterBinding(
                    event: event, of: layout, constant: constant, library: loaded.library)
            }
        }
        return emitters
    }
}
