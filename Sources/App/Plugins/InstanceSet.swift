import HostLoop
import Manifest
import PluginHost
import Records

/// The plugin instances of one run of an app. In a succession, some come from the run before. The others are
/// not made yet.
struct InstanceSet: Sendable {
    private struct Entry: Sendable {
        let slot: InstanceSlot
        /// The instance's place in this run's manifest.
        let place: InstanceSlot.Place
        /// This app's plugin, for an instance that comes from the run before; else nil.
        let continues: PluginVersion?
    }

    /// In the order in which instances are made and started.
    private let entries: [Entry]

    /// - Parameters:
    ///   - plugins: the plugins that have instances, by their index in the manifest.
    ///   - slots: the instances of the run before; the set takes those whose library this app has loaded,
    ///     too.
    init(_ manifest: Manifest, _ plugins: [Int: PluginVersion], succeeding slots: [InstanceSlot] = []) {
        entries = manifest.plugins.enumerated().flatMap { index, model -> [Entry] in
            guard let plugin = plugins[index] else { return [] }
            let users = manifest.loops.indices.filter { loop in
                manifest.loops[loop].calledEffects.contains { $0.provider == .plugin(index) }
            }
            func entry(_ loop: Int?, _ name: String) -> Entry {
                let place = InstanceSlot.Place(plugin: index, loop: loop, name: name)
                // The name identifies the plugin and the loop.
                if let slot = slots.first(where: {
                    $0.name == name && $0.installed.content.plugin.image === plugin.image
                }) {
                    return Entry(slot: slot, place: place, continues: plugin)
                }
                let sharedExecutor = loop == nil ? LoopExecutor.serial("plugin \(name)", blocking: true) : nil
                return Entry(
                    slot: InstanceSlot(plugin.makeContent(), at: place, sharedExecutor: sharedExecutor),
                    place: place, continues: nil
                )
            }
            guard model.instance == .loop else { return users.isEmpty ? [] : [entry(nil, model.name)] }
            return users.map { entry($0, "\(model.name) of \(manifest.loops[$0].name)") }
        }
    }

    var slots: [InstanceSlot] { entries.map(\.slot) }

    /// The instances that come from the run before, made and started already.
    var continuing: [InstanceSlot] { entries.filter { $0.continues != nil }.map(\.slot) }

    /// The settings that this run's manifest gives an instance of the run before.
    struct ChangedSettings: Sendable {
        let slot: InstanceSlot
        let before: Record
        let after: Record
    }

    /// Changed settings of the instances that come from the run before.
    var changedSettings: [ChangedSettings] {
        entries.compactMap { entry in
            guard let after = entry.continues?.config, let before = entry.slot.instance.config,
                before.type == after.type, before != after
            else { return nil }
            return ChangedSettings(slot: entry.slot, before: before, after: after)
        }
    }

    /// Moves the instances of the run before to this run. No loop may be in a step.
    func adopt() {
        for entry in entries {
            guard let plugin = entry.continues else { continue }
            entry.slot.move(to: entry.place)
            entry.slot.prepare(plugin)
        }
    }

    /// The instance that a loop's effect is called for; nil if the effect takes none.
    func slot(for effect: EffectReference, loop: Int) -> InstanceSlot? {
        guard effect.takesInstance, case .plugin(let plugin) = effect.provider else { return nil }
        return entries.first { entry in
            entry.place.plugin == plugin && (entry.place.loop == nil || entry.place.loop == loop)
        }?.slot
    }
}
