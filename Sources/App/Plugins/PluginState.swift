import Interfaces
public import Manifest
import PluginHost

/// A plugin of a running app.
public struct PluginState: Sendable {
    /// How far the host trusts the version.
    public enum Standing: String, Sendable {
        /// Nothing is known against it.
        case trusted
        /// It is new, and a fault brings the version before back.
        case probation
        /// It has crashed, and is not called any more.
        case quarantined
        /// Its process has ended too often, and is started again after a while.
        case resting
    }

    /// Its name in the manifest.
    public let name: String
    /// The version that new calls go to, as it calls itself; nil if the library declares none.
    public let version: String?
    /// The hash of the version's files; nil for a library of the system.
    public let hash: String?
    /// Whether a crash ends the call only.
    public let isolation: IsolationModel
    /// Whether it has instances, and how many of this version are started.
    public let hasInstances: Bool, startedInstances: Int
    /// How far the host trusts the version.
    public let standing: Standing
    /// Why it is in quarantine or rests, in words: `` effect `read` crashed with SIGSEGV at address 0x0 ``; nil if it
    /// does neither.
    public let reason: String?
}

extension App {
    /// The plugins of the manifest that a loop calls, in the order of the manifest.
    public var pluginStates: [PluginState] {
        manifest.plugins.enumerated().compactMap { index, model in
            guard let version = plugins.plugin(.plugin(index)) else { return nil }
            let image = version.image
            let rest = image.remote?.restReason
            let standing: PluginState.Standing =
                image.isQuarantined
                ? .quarantined
                : rest != nil ? .resting : image.probation == nil ? .trusted : .probation
            return PluginState(
                name: model.name, version: image.description?.version, hash: image.hash,
                isolation: model.isolation, hasInstances: version.instances != nil,
                startedInstances: image.startedInstances, standing: standing,
                reason: image.quarantineReason ?? rest)
        }
    }
}
