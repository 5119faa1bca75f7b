import HostLoop
import Manifest
import PluginHost

/// The instances of plugins that one run of an app has: prepared, none of them made yet.
struct InstanceSet: Sendable {
    /// In the order in which they are made and started.
    let seats: [InstanceSeat]

    /// - Parameter plugins: those that have instances, by the plugin's index.
    init(_ manifest: Manifest, _ plugins: [Int: LoadedPlugin]) {
        seats = manifest.plugins.enumerated().flatMap { index, model -> [InstanceSeat] in
            guard let plugin = plugins[index] else { return [] }
            let users = manifest.loops.indices.filter { loop in
                manifest.loops[loop].calledEffects.contains { $0.provider == .plugin(index) }
            }
            guard model.instance == .loop else {
                guard !users.isEmpty else { return [] }
                return [
                    InstanceSeat(
                        plugin.occupant(), plugin: index, loop: nil,
                        lane: .serial("plugin \(model.name)", blocking: true), name: model.name)
                ]
            }
            return users.map { loop in
                InstanceSeat(
                    plugin.occupant(), plugin: index, loop: loop, lane: nil,
                    name: "\(model.name) of \(manifest.loops[loop].name)")
            }
        }
    }

    /// Where the instance sits that an effect of a loop is called for; nil when it takes none.
    func seat(for effect: EffectReference, loop: Int) -> InstanceSeat? {
        guard effect.takesInstance, case .plugin(let plugin) = effect.provider else { return nil }
        return seats.first { $0.plugin == plugin && ($0.loop == nil || $0.loop == loop) }
    }
}
