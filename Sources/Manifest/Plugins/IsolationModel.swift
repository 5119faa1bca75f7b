/// How far a plugin is kept apart from its host: `isolation`.
public enum IsolationModel: String, Sendable, CaseIterable {
    /// Not at all: a crash in a call of it ends the process.
    case inline
    /// A crash in a call of it is a fault of that call, and the plugin is not called again.
    case guarded
}
