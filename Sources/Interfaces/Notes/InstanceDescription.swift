/// What a plugin says about its instances (`SPIN_INSTANCE` and what goes with it).
public struct InstanceDescription: Hashable, Sendable {
    /// Its settings; nil for a plugin without.
    public let config: ConfigDescription?
    /// True when an instance is started and stopped (`SPIN_LIFE`).
    public let hasLife: Bool
    /// The schema of what an instance saves; nil when it hands nothing over (`SPIN_SWAP`).
    public let schema: UInt32?

    /// Reads what the notes say; nil when they say nothing of instances.
    ///
    /// - Throws: `InterfaceError` for settings, life or swap without an instance; for a statement that stands twice, save for
    ///   equal settings of several files; for settings that are none and a schema that is no number.
    init?(_ notes: [PluginNote], of id: String) throws(InterfaceError) {
        func only(_ kind: PluginNote.Kind, _ macro: String) throws(InterfaceError) -> PluginNote? {
            let found = notes.filter { $0.kind == kind }
            guard found.count > 1, kind != .config || Set(found).count > 1 else { return found.first }
            throw InterfaceError(
                .pluginDeclaresTwice, "plugin `\(id)` has `\(macro)` twice",
                help: ["it stands once in a plugin"])
        }
        let (config, life) = (try only(.config, "SPIN_CONFIG"), try only(.life, "SPIN_LIFE"))
        let swap = try only(.swap, "SPIN_SWAP")
        guard try only(.instance, "SPIN_INSTANCE") != nil else {
            let macro =
                config != nil ? "SPIN_CONFIG" : life != nil ? "SPIN_LIFE" : swap != nil ? "SPIN_SWAP" : nil
            guard let macro else { return nil }
            throw InterfaceError(
                .pluginDeclaration, "plugin `\(id)` has `\(macro)` and no instances",
                help: ["declare how they are made: `SPIN_INSTANCE(create, destroy);`"])
        }
        self.config = try config.map { note throws(InterfaceError) in try ConfigDescription(note, of: id) }
        hasLife = life != nil
        schema = try swap.map { note throws(InterfaceError) in
            guard let schema = UInt32(note[2]) else {
                throw InterfaceError(
                    .pluginDeclaration, "plugin `\(id)`: `\(note[2])` is no schema",
                    help: ["the third argument of `SPIN_SWAP` is a number, such as 1"])
            }
            return schema
        }
    }
}
