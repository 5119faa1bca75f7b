/// Who has an instance of a plugin.
public enum InstanceScope: String, Sendable, CaseIterable {
    /// Each loop that uses the plugin has one of its own, which its executor calls.
    case loop
    /// All loops of the app share one, which is called on a serial queue of its own.
    case app
}
