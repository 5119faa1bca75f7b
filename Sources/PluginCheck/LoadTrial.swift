import Interfaces
import PluginHost

/// Tries the rules of `CheckRule.Stage.loading`.
struct LoadTrial {
    let host: TrialHost
    let path: String

    func outcome(of rule: CheckRule) -> RuleOutcome {
        do throws(PluginError) {
            switch rule {
            case .loadsTwice: return try loadTwice()
            case .quietLoading: return try loadQuietly()
            default: return try load()
            }
        } catch {
            return rule == .quietLoading
                ? .skipped("it breaks `\(CheckRule.loads.rawValue)`") : .failed(error.message)
        }
    }

    /// Checks that the library has everything that its notes describe, with the same types.
    private func load() throws(PluginError) -> RuleOutcome {
        let image = try host.open(path)
        guard let plugin = image.description else { return .passed }
        for effect in plugin.effects { _ = try image.effect(effect.name) }
        if plugin.instance != nil { _ = try InstanceInterface(of: image) }
        for reducer in plugin.reducers {
            for layout in plugin.loops
            where layout.stateName == reducer.stateType && layout.eventName == reducer.eventType {
                _ = try ReducerInterface(reducer.name, of: image, for: layout)
            }
        }
        return .passed
    }

    private func loadTwice() throws(PluginError) -> RuleOutcome {
        let first = try host.open(path)
        let second = try host.open(path)
        return first.description == second.description
            ? .passed : .failed("its description is different when it is loaded a second time")
    }

    private func loadQuietly() throws(PluginError) -> RuleOutcome {
        let before = ProcessState()
        _ = try host.open(path)
        let after = ProcessState()
        let changed = after.changes(since: before).map { "loading it changes \($0)" }
        let found = RuleOutcome.of(changed + host.reports(about: .replacedHandler))
        guard found == .passed else { return found }
        let threads = after.threads - before.threads
        let files = after.files - before.files
        let kept = [(threads, "thread"), (files, "open file")].filter { $0.0 > 0 }.map {
            "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")"
        }
        return kept.isEmpty
            ? .passed : RuleOutcome(.warning, "loading it creates \(kept.joined(separator: " and "))")
    }
}
