import Diagnostics
import Interfaces
import Manifest
import PluginHost

/// One swap: replaces the version of a plugin that runs by the version in its file. Use it once, on a thread
/// that may block.
struct Swap {
    private let app: App
    private let run: AppRun
    private let name: String
    private let refused: String?
    private let limit: Duration

    init(of name: String, in run: AppRun, of app: App, unless refused: String?, within limit: Duration) {
        (self.name, self.run, self.app, self.refused, self.limit) = (name, run, app, refused, limit)
    }

    /// The report for a run whose place another run has taken.
    var followed: SwapReport {
        SwapReport(name).with(
            .failed,
            because: [
                Diagnostic(.notRunning, "the app of a changed manifest has taken the place of this one")
            ])
    }

    /// Performs the swap.
    ///
    /// - Returns: the result, and the version before, to be kept during the probation; nil if nothing was
    ///   swapped.
    func perform() -> (report: SwapReport, kept: KeptVersion?) {
        var report = SwapReport(name)
        do throws(AppRefusal) {
            guard let kept = try change(&report) else { return (report.with(.unchanged), nil) }
            return (kept.report, kept)
        } catch {
            guard !error.isTemporary else { return (report.with(.failed, because: error.diagnostics), nil) }
            if let hash = error.hash {
                report.hash = hash
                guard hash != refused else { return (report.with(.unchanged), nil) }
            }
            return (report.with(.refused, because: error.diagnostics), nil)
        }
    }

    private func change(_ report: inout SwapReport) throws(AppRefusal) -> KeptVersion? {
        let (manifest, plugins) = (app.manifest, app.plugins)
        guard !manifest.isLocked else { throw AppRefusal(.locked) }
        let (index, old) = try find()
        report.from = old.image.description?.version
        let model = manifest.plugins[index]
        guard case .file(let path) = model.location else {
            throw AppRefusal(Diagnostic(.systemLibrary, "`\(old.image.library)` is a library of the system"))
        }
        let staged = try plugins.stage(path, sha256: model.sha256)
        report.hash = staged.hash
        guard staged.hash != old.image.hash, staged.hash != refused else { return nil }
        var new = try plugins.load(index, from: staged, config: old.config, replacing: old, trial: app.trial)
        report.to = new.image.description?.version
        try plugins.check(new, index, replacing: old)
        try new.takeSettings(of: old)
        let users = manifest.loops.indices.filter { manifest.loops[$0].plugins.contains(index) }
        run.switchBegins()
        try exchange(index, users, old, new, staged, &report)
        plugins.install(new, as: index)
        return KeptVersion(
            plugin: index, old: old, new: new, users: users, report: report.with(.swapped), limit: limit)
    }

    private func find() throws(AppRefusal) -> (Int, PluginVersion) {
        guard let index = app.manifest.plugins.firstIndex(where: { $0.name == name }) else {
            let closest = Suggestion.closest(to: name, among: app.manifest.plugins.map(\.name))
            throw AppRefusal(
                Diagnostic(
                    .noPlugin, "the manifest has no plugin `\(name)`",
                    help: closest.map { "did you mean `\($0)`?" }))
        }
        guard let loaded = app.plugins.plugin(.plugin(index)) else {
            throw AppRefusal(Diagnostic(.noPlugin, "no loop calls anything of `\(name)`"))
        }
        return (index, loaded)
    }

    /// Has the run call the new version, and its instances hand over.
    private func exchange(
        _ index: Int, _ users: [Int], _ old: PluginVersion, _ new: PluginVersion, _ staged: StagedLibrary,
        _ report: inout SwapReport
    ) throws(AppRefusal) {
        let handOver = HandOver(run, plugin: index, users: users, from: old, to: new, within: limit)
        let hasInstances = !handOver.exchanges.isEmpty
        var (states, loopPause): ([SavedState?], Duration) = ([], .zero)
        report.pause = try handOver.perform { () throws(AppRefusal) -> Duration in
            var (began, deadline) = (ContinuousClock.now, Deadline(after: limit))
            try Change.perform([
                handOver.prepare,
                Change.Step { () throws(AppRefusal) in
                    (began, deadline) = (.now, Deadline(after: limit))
                },
                handOver.freeTables { deadline },
                handOver.pause { deadline },
                handOver.carry {
                    deadline
                } take: {
                    states = $0
                },
                Change.Step { () throws(AppRefusal) in
                    let tried = ContinuousClock.now
                    let saved = states.compactMap(\.self)
                    // A plugin in a worker must not run outside of its sandbox.
                    if !saved.isEmpty, new.image.remote == nil {
                        try app.trial.perform(
                            SwapTrial(name, staged, config: new.config, states: saved))
                    }
                    // The trial's time does not count for the plugin's functions.
                    deadline = deadline.postponed(by: tried.duration(to: .now))
                },
                handOver.start {
                    deadline
                } restoring: {
                    states
                },
                handOver.installNew,
                Change.Step { () throws(AppRefusal) in
                    loopPause = try switchLoops(users, index, old, new)
                },
            ])
            handOver.open()
            guard hasInstances else { return loopPause }
            defer { handOver.keepOld() }
            return began.duration(to: .now)
        }
        if hasInstances { report.state = states.contains { $0 != nil } ? .carried : .fresh }
    }

    private func switchLoops(
        _ users: [Int], _ index: Int, _ old: PluginVersion, _ new: PluginVersion
    ) throws(AppRefusal) -> Duration {
        let loops = LoopSwitch(run, users, plugin: index)
        switch loops.perform(to: new, orBackTo: old, by: Deadline(after: limit)) {
        case .switched(let pause): return pause
        case .ended: throw AppRefusal(.ended, isTemporary: true)
        case .held(let loop):
            throw AppRefusal(.held(app.manifest.loops[loop].name, limit), isTemporary: true)
        }
    }
}
