/// Whether loops share an instance of a plugin.
public enum InstanceScope: String, Sendable, CaseIterable {
    /// Each loop that uses the plugin has its own instance and calls it on the loop's executor.
    case loop
    /// All loops of the app share one instance, which the host calls on a serial queue.
    case app
}
