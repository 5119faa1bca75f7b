import HostLoop
import Manifest
import PluginHost

/// The instances of plugins that one run of an app has: prepared, none of them made yet.
struct InstanceSet: Sendable {
    /// One instance and who it is for.
    struct Member: Sendable {
        let instance: PluginInstance
        /// The plugin, as an index into `Manifest.plugins`.
        let plugin: Int
        /// The loop, as an index into `Manifest.loops`; nil for the one that all share.
        let loop: Int?
        /// Where it is called when all share it.
        let lane: LoopExecutor?
        /// `PLUGIN`, or `PLUGIN of LOOP`, for messages.
        let name: String
    }

    /// In the order in which they are made and started.
    let members: [Member]

    /// - Parameter interfaces: those of the plugins that have instances, by the plugin's index.
    init(_ manifest: Manifest, _ interfaces: [Int: InstanceInterface]) {
        members = manifest.plugins.enumerated().flatMap { index, plugin -> [Member] in
            guard let interface = interfaces[index] else { return [] }
            let users = manifest.loops.indices.filter { loop in
                manifest.loops[loop].calledEffects.contains { $0.provider == .plugin(index) }
            }
            guard plugin.instance == .loop else {
                guard !users.isEmpty else { return [] }
                return [
                    Member(
                        instance: PluginInstance(interface, config: plugin.config), plugin: index, loop: nil,
                        lane: .serial("plugin \(plugin.name)", blocking: true), name: plugin.name)
                ]
            }
            return users.map { loop in
                Member(
                    instance: PluginInstance(interface, config: plugin.config), plugin: index, loop: loop,
                    lane: nil, name: "\(plugin.name) of \(manifest.loops[loop].name)")
            }
        }
    }

    /// The instance that an effect of a loop is called for; nil when it takes none.
    func member(for effect: EffectReference, loop: Int) -> Member? {
        guard effect.takesInstance, case .plugin(let plugin) = effect.provider else { return nil }
        return members.first { $0.plugin == plugin && ($0.loop == nil || $0.loop == loop) }
    }
}
