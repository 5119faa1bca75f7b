import HostLoop
import Manifest
import PluginHost

/// The instances of plugins that one run of an app has: prepared, none of them made yet but those of a run whose place it takes.
struct InstanceSet: Sendable {
    private struct Entry: Sendable {
        let seat: InstanceSeat
        /// Where it is in this run's manifest.
        let place: InstanceSeat.Place
        /// What is called there, when it sits there already.
        let goesOn: LoadedPlugin?
    }

    /// In the order in which they are made and started.
    private let entries: [Entry]

    /// - Parameters:
    ///   - plugins: those that have instances, by the plugin's index.
    ///   - seats: those of the run before, which go on when their libraries do.
    init(_ manifest: Manifest, _ plugins: [Int: LoadedPlugin], goingOnWith seats: [InstanceSeat] = []) {
        entries = manifest.plugins.enumerated().flatMap { index, model -> [Entry] in
            guard let plugin = plugins[index] else { return [] }
            let users = manifest.loops.indices.filter { loop in
                manifest.loops[loop].calledEffects.contains { $0.provider == .plugin(index) }
            }
            func entry(_ loop: Int?, _ name: String) -> Entry {
                let place = InstanceSeat.Place(plugin: index, loop: loop, name: name)
                // Its name says which plugin's it is, and which loop's.
                if let seat = seats.first(where: {
                    $0.name == name && $0.seating.occupant.plugin.image === plugin.image
                }) {
                    return Entry(seat: seat, place: place, goesOn: plugin)
                }
                let lane = loop == nil ? LoopExecutor.serial("plugin \(name)", blocking: true) : nil
                return Entry(
                    seat: InstanceSeat(plugin.occupant(), at: place, lane: lane), place: place, goesOn: nil)
            }
            guard model.instance == .loop else { return users.isEmpty ? [] : [entry(nil, model.name)] }
            return users.map { entry($0, "\(model.name) of \(manifest.loops[$0].name)") }
        }
    }

    /// Where they sit, in that order.
    var seats: [InstanceSeat] { entries.map(\.seat) }

    /// Those that are made and started already.
    var goingOn: [InstanceSeat] { entries.filter { $0.goesOn != nil }.map(\.seat) }

    /// Those that go on belong to this run from now on; no loop is in a step.
    func takePlace() {
        for entry in entries {
            guard let plugin = entry.goesOn else { continue }
            entry.seat.move(to: entry.place)
            entry.seat.prepare(plugin)
        }
    }

    /// Where the instance sits that an effect of a loop is called for; nil when it takes none.
    func seat(for effect: EffectReference, loop: Int) -> InstanceSeat? {
        guard effect.takesInstance, case .plugin(let plugin) = effect.provider else { return nil }
        return entries.first { entry in
            entry.place.plugin == plugin && (entry.place.loop == nil || entry.place.loop == loop)
        }?.seat
    }
}
