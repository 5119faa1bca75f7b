import Interfaces
import PluginHost

/// Tries the rules of `CheckRule.Stage.instances` and `life`, with the defaults of the settings, or
/// with made ones.
struct InstanceTrial {
    let host: TrialHost
    let path: String
    let seed: UInt64

    func outcome(of rule: CheckRule) -> RuleOutcome {
        let image: PluginImage
        do { image = try host.open(path) } catch { return .skipped(error.message) }
        let trial: TrialInstance
        do { trial = try TrialInstance(of: image) } catch { return .skipped(error.reason) }
        let outcome: RuleOutcome
        do throws(PluginError) {
            switch rule {
            case .savedState: outcome = try save(trial)
            case .strangeState: outcome = try restore(trial)
            case .life: outcome = try live(trial)
            case .changedSettings: outcome = try change(trial)
            default: outcome = try make(trial)
            }
        } catch { return .failed(error.message) }
        // The faults of `stop` and `destroy`, which return nothing.
        let faults = RuleOutcome.of(host.reports(about: .fault, .brokenRule))
        return faults == .passed ? outcome : faults
    }

    private func make(_ trial: TrialInstance) throws(PluginError) -> RuleOutcome {
        for _ in 0..<100 {
            let instance = trial.next()
            try instance.create()
            instance.destroy()
        }
        return .passed
    }

    private func save(_ trial: TrialInstance) throws(PluginError) -> RuleOutcome {
        let (first, second) = (trial.next(), trial.next())
        guard first.savesState else { return .skipped("it does not save a state") }
        try first.create()
        let saved = try first.save()
        let again = try first.save()
        first.destroy()
        guard saved == again else { return .failed("an instance that saves twice saves different states") }
        try second.create()
        try second.restore(saved)
        let restored = try second.save()
        second.destroy()
        return saved == restored
            ? .passed
            : .failed(
                "an instance that restores the \(saved.data.count) bytes of another one saves \(restored.data.count) different bytes"
            )
    }

    /// Restores states that no instance has saved. An instance may accept or refuse them, but it must not
    /// crash.
    private func restore(_ trial: TrialInstance) throws(PluginError) -> RuleOutcome {
        let first = trial.next()
        guard first.savesState else { return .skipped("it does not save a state") }
        try first.create()
        let saved = try first.save()
        first.destroy()
        var random = RandomArguments(seed: seed, for: "restore")
        var states: [[UInt8]] = [[]]
        for size in [1, 7, 8, 64, 5000] + Array(repeating: saved.data.count, count: 16) {
            states.append((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        for _ in 0..<16 where !saved.data.isEmpty {
            states.append(Array(saved.data.prefix(Int.random(in: 0..<saved.data.count, using: &random))))
            var changed = saved.data
            changed[Int.random(in: changed.indices, using: &random)] ^= UInt8.random(
                in: 1...255, using: &random)
            states.append(changed)
        }
        for data in states {
            let state = SavedState(
                plugin: saved.plugin, version: saved.version, schema: saved.schema, data: data)
            _ = try accepts(state, trial.next())
        }
        let later = SavedState(
            plugin: saved.plugin, version: saved.version, schema: .max, data: saved.data)
        let isAccepted = try accepts(later, trial.next())
        return isAccepted && saved.schema != later.schema
            ? .failed("it restores a state with the schema \(later.schema), which it cannot know") : .passed
    }

    /// Whether the instance restores the state.
    ///
    /// - Throws: if it cannot be created, or `restore` does not return.
    private func accepts(_ state: SavedState, _ instance: PluginInstance) throws(PluginError) -> Bool {
        try instance.create()
        defer { instance.destroy() }
        do throws(PluginError) {
            try instance.restore(state)
            // It must be able to save a state that it has restored.
            _ = try instance.save()
            return true
        } catch {
            guard error.code == .stateRefused, error.cause == nil else { throw error }
            return false
        }
    }

    /// Gives made settings to an instance that runs. It may accept or refuse them, but it must not crash.
    private func change(_ trial: TrialInstance) throws(PluginError) -> RuleOutcome {
        guard trial.takesChangedSettings else { return .skipped("it has no `SPIN_RECONFIGURE`") }
        let instance = trial.next()
        var random = RandomArguments(seed: seed, for: "reconfigure")
        try instance.create()
        do throws(PluginError) { try instance.start() } catch {
            guard error.cause == nil else { throw error }
            TrialInstance.end(instance)
            return RuleOutcome(.warning, "with its default settings, \(error.message)")
        }
        for _ in 0..<64 {
            guard let settings = trial.settings(from: &random) else { continue }
            do throws(PluginError) { try instance.reconfigure(settings) } catch {
                guard error.cause == nil else { throw error }
            }
        }
        instance.stop()
        TrialInstance.end(instance)
        return .passed
    }

    /// Starts and stops two instances at a time, as two loops do, eight times.
    private func live(_ trial: TrialInstance) throws(PluginError) -> RuleOutcome {
        let before = ProcessState()
        for _ in 0..<8 {
            let instances = [trial.next(), trial.next()]
            for instance in instances { try instance.create() }
            for (index, instance) in instances.enumerated() {
                do throws(PluginError) { try instance.start() } catch {
                    guard error.cause == nil else { throw error }
                    for started in instances[..<index] { started.stop() }
                    for made in instances { TrialInstance.end(made) }
                    return RuleOutcome(.warning, "with its default settings, \(error.message)")
                }
            }
            for instance in instances.reversed() { instance.stop() }
            for instance in instances.reversed() { TrialInstance.end(instance) }
        }
        let more = ProcessState().threads - before.threads
        let changes = ProcessState().changes(since: before).map { "starting and stopping it changes \($0)" }
        // A plugin may keep a few threads, but not one for each instance.
        return .of(
            changes + (more > 8 ? ["\(more) threads remain after 16 instances were destroyed"] : []))
    }
}
