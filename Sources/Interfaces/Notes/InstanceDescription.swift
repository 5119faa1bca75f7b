/// The description of a plugin's instances in its notes (`SPIN_INSTANCE`, `SPIN_CONFIG`, `SPIN_LIFE`,
/// `SPIN_SWAP`).
public struct InstanceDescription: Hashable, Sendable {
    /// Its settings; nil for a plugin without settings.
    public let config: ConfigDescription?
    /// True if the host starts and stops an instance (`SPIN_LIFE`).
    public let hasLife: Bool
    /// The schema of the state that an instance saves; nil if it saves none (`SPIN_SWAP`).
    public let schema: UInt32?

    /// Reads the notes; nil if they have no `SPIN_INSTANCE` and nothing that needs it.
    ///
    /// - Throws: `InterfaceError` for settings, life or swap without `SPIN_INSTANCE`; for a repeated macro,
    ///   except equal settings in several files; for invalid settings, and for a schema that is not a number.
    init?(_ notes: [PluginNote], of id: String) throws(InterfaceError) {
        func only(_ kind: PluginNote.Kind, _ macro: String) throws(InterfaceError) -> PluginNote? {
            let found = notes.filter { $0.kind == kind }
            guard found.count > 1, kind != .config || Set(found).count > 1 else { return found.first }
            throw InterfaceError(
                .pluginDeclaresTwice, "plugin `\(id)` has `\(macro)` twice",
                help: ["write it once in a plugin"])
        }
        let (config, life) = (try only(.config, "SPIN_CONFIG"), try only(.life, "SPIN_LIFE"))
        let swap = try only(.swap, "SPIN_SWAP")
        guard try only(.instance, "SPIN_INSTANCE") != nil else {
            let macro =
                config != nil ? "SPIN_CONFIG" : life != nil ? "SPIN_LIFE" : swap != nil ? "SPIN_SWAP" : nil
            guard let macro else { return nil }
            throw InterfaceError(
                .pluginDeclaration, "plugin `\(id)` has `\(macro)`, but no instances",
                help: ["declare how to create them: `SPIN_INSTANCE(create, destroy);`"])
        }
        self.config = try config.map { note throws(InterfaceError) in try ConfigDescription(note, of: id) }
        hasLife = life != nil
        schema = try swap.map { note throws(InterfaceError) in
            guard let schema = UInt32(note[2]) else {
                throw InterfaceError(
                    .pluginDeclaration, "plugin `\(id)`: the schema `\(note[2])` is not a number",
                    help: ["write a number as the third argument of `SPIN_SWAP`, such as 1"])
            }
            return schema
        }
    }
}
