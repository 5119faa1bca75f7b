public import CPluginABI
import Interfaces

/// An effect of a plugin that is linked into the process.
// Safe because code and constants of the process are immortal.
@safe
struct LinkedEffect: @unchecked Sendable {
    let function: UnsafeRawPointer
}

extension PluginImage {
    /// Makes an image of a plugin that is linked into the process, such as `std`. Its constants must be
    /// immortal.
    ///
    /// One copy of such a plugin serves all hosts of the process. A function with a call reaches that call's
    /// host. A function without one, such as `spin_print`, reaches the host that is calling the plugin on
    /// this thread. On its own threads, such a function answers `SPIN_NO_HOST`.
    ///
    /// - Parameters:
    ///   - effects: pointers to the constants of `SPIN_EFFECT`, ended by a null pointer.
    ///   - emitters: pointers to the constants of `SPIN_EMITTER`, ended by a null pointer.
    /// - Throws: `PluginError` when the constants are invalid, as `open` does.
    public static func linked(
        _ info: UnsafePointer<spin_plugin_info>, effects: UnsafePointer<UnsafePointer<spin_effect>?>,
        emitters: UnsafePointer<UnsafePointer<spin_emitter>?>, services: HostServices
    ) throws(PluginError) -> PluginImage {
        // Safe because the caller promises immortal constants of the ABI's types.
        let effects = unsafe constants(effects)
        let emitters = unsafe constants(emitters)
        let id = unsafe text(info.pointee.id)
        var notes = unsafe [
            PluginNote(
                .plugin,
                ["\(info.pointee.abi_major).\(info.pointee.abi_minor)", id, text(info.pointee.version)])
        ]
        notes += unsafe effects.map { effect in
            unsafe PluginNote(
                .effect,
                [
                    text(effect.pointee.name), text(effect.pointee.prototype), text(effect.pointee.fails_if),
                    text(effect.pointee.doc),
                ])
        }
        notes += unsafe emitters.map { emitter in
            unsafe PluginNote(
                .emitter,
                [text(emitter.pointee.name), text(emitter.pointee.prototype), text(emitter.pointee.doc)])
        }
        let description: PluginDescription
        do { description = try PluginDescription(notes: notes) } catch {
            throw PluginError(error.code, error.message, help: error.help, library: id)
        }
        var functions: [String: LinkedEffect] = [:]
        for (index, effect) in description.effects.enumerated() {
            guard let function = unsafe effects[index].pointee.function else {
                throw .contradiction(id, "its effect `\(effect.name)` has no function")
            }
            functions[effect.name] = unsafe LinkedEffect(
                function: unsafeBitCast(function, to: UnsafeRawPointer.self))
        }
        var bindings: [UInt: EmitterBinding] = [:]
        for (index, emitter) in description.emitters.enumerated() {
            let constant = unsafe emitters[index]
            bindings[UInt(bitPattern: constant)] = unsafe try EmitterBinding(
                emitter, constant: constant, library: id)
        }
        guard let slot = unsafe info.pointee.host else { throw .contradiction(id, "it takes no host") }
        unsafe HostTable.publish(HostTable.shared, at: slot)
        return PluginImage(
            library: id, staged: nil, description: description, services: services,
            code: .linked(functions),
            emitters: bindings)
    }

    private static func constants<Constant>(
        _ list: UnsafePointer<UnsafePointer<Constant>?>
    ) -> [UnsafePointer<Constant>] {
        // Safe because the list ends with a null pointer.
        var found: [UnsafePointer<Constant>] = unsafe []
        while let constant = unsafe list[found.count] { unsafe found.append(constant) }
        return unsafe found
    }

    private static func text(_ constant: UnsafePointer<CChar>?) -> String {
        // Safe because the constants of the ABI are NUL-terminated.
        unsafe constant.map { unsafe String(cString: $0) } ?? ""
    }
}
