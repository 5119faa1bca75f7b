/// The isolation of a plugin from its host: `isolation`.
public enum IsolationModel: String, Sendable, CaseIterable {
    /// No isolation: a crash in a call of the plugin ends the process.
    case inline
    /// A crash in a call of the plugin is a fault of that call, and the host does not call the plugin again.
    case guarded
    /// The plugin runs in a process of its own, under the rules of a `SandboxModel`.
    case process
}
