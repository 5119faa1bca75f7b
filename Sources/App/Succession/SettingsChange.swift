import Diagnostics
import HostLoop
import Manifest
import PluginHost
import Records

/// Has the instances that continue in a succession take over changed settings: all or none of them. Use it
/// once, on a thread that may block.
final class SettingsChange: Sendable {
    /// Why an instance does not take over its settings.
    struct Refusal: Sendable {
        /// The plugin's name in the manifest.
        let plugin: String
        let instance: String
        let error: PluginError
    }

    private typealias Changed = InstanceSet.ChangedSettings

    /// The instances whose settings have changed, as it will be when this has succeeded.
    let reports: [SettingsReport]
    private let changed: [Changed]
    private let life: PluginLife
    /// The names of the plugins, by their index in the manifest of the run before.
    private let plugins: [String]
    private let limit: Duration
    private let newRefusal = Lock<Refusal?>(nil)

    /// - Parameters:
    ///   - newLife: the instances of the run that follows.
    ///   - life: the instances of the run before, whose manifest is `manifest`.
    ///   - refused: why plugins have refused before, by their names. Their instances are made again.
    ///   - limit: how long the functions of the instances may take together.
    init(
        _ newLife: PluginLife, after life: PluginLife, of manifest: Manifest, refused: [String: Refusal],
        within limit: Duration
    ) {
        changed = newLife.changedSettings
        (self.life, self.limit, plugins) = (life, limit, manifest.plugins.map(\.name))
        reports = newLife.slots.compactMap { [changed] slot in
            guard let before = life.slots.first(where: { $0.name == slot.name }),
                let was = before.instance.config, let now = slot.instance.config
            else { return nil }
            if changed.contains(where: { $0.slot === slot }) {
                return SettingsReport(instance: slot.name, outcome: .accepted, reason: nil)
            }
            guard was != now else { return nil }
            return SettingsReport(
                instance: slot.name, outcome: .renewed,
                reason: refused[manifest.plugins[before.plugin].name]?.error.message)
        }
    }

    /// The instance that has refused; nil if none has.
    var refusal: Refusal? { newRefusal.withLock { $0 } }

    /// Calls the functions of the instances while calls of effects wait. All loops must rest.
    var step: Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            guard !changed.isEmpty else { return }
            try life.beginExchange()
            let deadline = Deadline(after: limit)
            for change in changed { change.slot.close() }
            let busy = deadline.waitForAll(changed.filter { $0.slot.sharedExecutor != nil }) { change, idle in
                change.slot.whenIdle(idle)
            }
            if let change = busy.first {
                end()
                throw AppRefusal(.late("a call of \(change.slot.name)", limit), isTemporary: true)
            }
            let refusal = deadline.run(late: { [self] in endLate($0) }) { [self] in apply() }
            guard let refusal else {
                throw AppRefusal(.late(life.calling ?? "reconfigure", limit), isTemporary: true)
            }
            end()
            guard let refusal else { return }
            newRefusal.exchange(refusal)
            throw AppRefusal(Diagnostic(refusal.error))
        }
    }

    private func apply() -> Refusal? {
        for (index, change) in changed.enumerated() {
            do throws(PluginError) { try give(change.after, to: change.slot) } catch {
                takeBack(changed[..<index])
                return Refusal(
                    plugin: plugins[change.slot.plugin], instance: change.slot.name, error: error)
            }
        }
        return nil
    }

    private func takeBack(_ accepted: ArraySlice<Changed>) {
        for change in accepted.reversed() where !change.slot.instance.image.isQuarantined {
            do throws(PluginError) { try give(change.before, to: change.slot) } catch {
                change.slot.instance.image.report(
                    "\(change.slot.name) keeps the changed settings, which the app does not have: "
                        + error.message)
            }
        }
    }

    private func give(_ config: Record, to slot: InstanceSlot) throws(PluginError) {
        try life.calling("reconfigure", slot) { () throws(PluginError) in
            try slot.instance.reconfigure(config)
        }
    }

    private func end() {
        for change in changed { change.slot.open() }
        life.endExchange()
    }

    /// The functions have returned after the deadline, and the change was refused.
    private func endLate(_ refusal: Refusal?) {
        if refusal == nil { takeBack(changed[...]) }
        end()
    }
}
