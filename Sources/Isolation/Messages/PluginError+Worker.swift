import PluginHost

extension PluginError {
    /// A worker could not be started, for this reason.
    static func notStarted(_ reason: String) -> PluginError {
        PluginError(.workerNotStarted, "the worker of a plugin could not be started: \(reason)")
    }

    /// A worker has ended, for this reason, and with it what it was asked for.
    static func ended(_ reason: String) -> PluginError { PluginError(.workerEnded, reason) }
}
