public import Interfaces
import Records

// Reducers and event emitters of a plugin that was compiled with an app's header.
extension PluginImage {
    /// The function of a reducer that the plugin declares with `SPIN_REDUCER`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol` when the plugin declares no such reducer; `layoutMismatch`
    ///   when it was compiled with structs of another layout; `contradictoryPlugin` when its structs have
    ///   other sizes than their notes.
    func reducer(_ name: String, for layout: LoopLayout) throws(PluginError) -> FunctionAddress {
        guard let reducer = table?.reducers[name] else {
            throw missing("reducer", name, candidates: table?.reducers.keys.sorted() ?? [])
        }
        try check(layout)
        guard (reducer.stateSize, reducer.eventSize) == (UInt64(layout.state.size), UInt64(layout.eventSize))
        else {
            throw .contradiction(
                library,
                "reducer `\(name)` has a state of \(reducer.stateSize) bytes and events of \(reducer.eventSize), "
                    + "`\(layout.loop)` of \(layout.state.size) and \(layout.eventSize)")
        }
        // Safe because the table's functions live as long as the image.
        return unsafe FunctionAddress(name: name, image: self, pointer: reducer.function)
    }

    /// Checks the layout of a loop's structs, if the plugin was compiled with them.
    ///
    /// - Throws: `DiagnosticCode.layoutMismatch`.
    public func check(_ layout: LoopLayout) throws(PluginError) {
        do { try description?.check(layout) } catch {
            throw PluginError(error.code, error.message, help: error.help, library: library)
        }
    }

    /// The emitters of a plugin, and of the events of the loops that it was compiled with, by their addresses.
    ///
    /// - Throws: `contradictoryPlugin` when a struct has another size than its note says.
    static func bindings(
        _ description: PluginDescription, _ table: PluginTable, library: String
    ) throws(PluginError) -> [UInt: EmitterBinding] {
        for record in description.records {
            guard let size = table.records[record.name], size != record.type.size else { continue }
            throw .contradiction(
                library, "record `\(record.name)` has \(size) bytes, its declaration \(record.type.size)")
        }
        var bindings: [UInt: EmitterBinding] = [:]
        for emitter in description.emitters {
            guard let found = table.emitters[emitter.name] else { continue }
            bindings[found.address] = try EmitterBinding(emitter, found, library: library)
        }
        for layout in description.loops {
            let found = table.loops[layout.loop] ?? []
            guard found.count == layout.events.count else {
                throw .contradiction(library, "its `\(layout.eventName)` has other events")
            }
            for (event, emitter) in zip(layout.events, found) where bindings[emitter.address] == nil {
                bindings[emitter.address] = try EmitterBinding(
                    event: event, of: layout, emitter, library: library)
            }
        }
        return bindings
    }
}
