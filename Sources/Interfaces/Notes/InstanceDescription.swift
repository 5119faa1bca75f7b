/// The description of a plugin's instances in its notes (`SPIN_INSTANCE`, `SPIN_CONFIG`, `SPIN_LIFE`,
/// `SPIN_SWAP`, `SPIN_RECONFIGURE`).
public struct InstanceDescription: Hashable, Sendable {
    /// Its settings; nil for a plugin without settings.
    public let config: ConfigDescription?
    /// True if the host starts and stops an instance (`SPIN_LIFE`).
    public let hasLife: Bool
    /// The schema of the state that an instance saves; nil if it saves none (`SPIN_SWAP`).
    public let schema: UInt32?
    /// True if an instance takes over changed settings while it runs (`SPIN_RECONFIGURE`).
    public let takesChangedSettings: Bool

    /// Reads the notes; nil if they have no `SPIN_INSTANCE` and nothing that needs it.
    ///
    /// - Throws: `InterfaceError` for another macro of instances without `SPIN_INSTANCE`, and for a repeated
    ///   macro, except equal settings in several files. Also for invalid settings, a schema that is not a number,
    ///   and `SPIN_RECONFIGURE` without settings.
    init?(_ notes: [PluginNote], of id: String) throws(InterfaceError) {
        func only(_ kind: PluginNote.Kind, _ macro: String) throws(InterfaceError) -> PluginNote? {
            let found = notes.filter { $0.kind == kind }
            guard found.count > 1 else { return found.first }
            throw Self.twice(macro, id)
        }
        let config = notes.first { $0.kind == .config }
        let life = try only(.life, "SPIN_LIFE")
        let swap = try only(.swap, "SPIN_SWAP")
        let reconfigure = try only(.reconfigure, "SPIN_RECONFIGURE")
        guard try only(.instance, "SPIN_INSTANCE") != nil else {
            guard let first = [config, life, swap, reconfigure].compactMap(\.self).first else { return nil }
            throw InterfaceError(
                .pluginDeclaration, "plugin `\(id)` has \(first.kind.word), but no instances",
                help: ["declare how to create them: `SPIN_INSTANCE(create, destroy);`"])
        }
        self.config = try Self.config(notes, of: id)
        guard reconfigure == nil || config != nil else {
            throw InterfaceError(
                .pluginDeclaration, "plugin `\(id)` has `SPIN_RECONFIGURE`, but no settings",
                help: ["declare settings with `SPIN_CONFIG`, or remove `SPIN_RECONFIGURE`"])
        }
        takesChangedSettings = reconfigure != nil
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

    /// The settings; nil without `SPIN_CONFIG`. Each file of the plugin that includes it has a note. In C and in
    /// C++ the texts may differ, as `true` does.
    private static func config(
        _ notes: [PluginNote], of id: String
    ) throws(InterfaceError) -> ConfigDescription? {
        var config: ConfigDescription?
        for note in notes where note.kind == .config {
            let read = try ConfigDescription(note, of: id)
            guard config == nil || config == read else { throw twice("SPIN_CONFIG", id) }
            config = read
        }
        return config
    }

    private static func twice(_ macro: String, _ id: String) -> InterfaceError {
        InterfaceError(
            .pluginDeclaresTwice, "plugin `\(id)` has `\(macro)` twice", help: ["write it once in a plugin"])
    }
}
