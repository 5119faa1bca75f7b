import Diagnostics
import HostLoop
import Manifest
import PluginHost

/// A version of a plugin that another one has replaced, and that takes its place again if that one does not stand its probation.
struct KeptVersion: Sendable {
    /// The plugin's index in the manifest.
    let plugin: Int
    let old: LoadedPlugin
    let new: LoadedPlugin
    /// The loops that call it.
    let users: [Int]
    /// What was told of the swap.
    let report: SwapReport
    /// How long loops and functions of instances may take.
    let limit: Duration

    /// What came of the probation, and what is told then; nil when there is nothing to tell.
    func conclude(_ verdict: Probation.Verdict, in run: AppRun, of plugins: PluginSet) -> SwapReport? {
        // It may have been replaced meanwhile, or belong to another app.
        guard !run.isFollowed else { return nil }
        guard plugins.plugin(.plugin(plugin))?.image === new.image else { return nil }
        switch verdict {
        case .passed:
            settle(run, plugins)
            return nil
        case .failed(let reason): return rollBack(reason, run, plugins)
        }
    }

    /// Nobody goes back any more: what was kept for that is freed.
    private func settle(_ run: AppRun, _ plugins: PluginSet) {
        install(new, run, plugins)
        guard case .begun = run.life.beginExchange() else { return }
        defer { run.life.endExchange() }
        HandOver(run, plugin: plugin, loops: users, backFrom: new, to: old, within: limit)?.discardKept()
    }

    /// Has the loops call a version, on probation no more, and runs begin with it.
    private func install(_ version: LoadedPlugin, _ run: AppRun, _ plugins: PluginSet) {
        let settled = version.settled()
        plugins.install(settled, as: plugin)
        for seat in run.life.seats where seat.plugin == plugin { seat.prepare(settled) }
        for loop in users {
            _ = run.betweenSteps(ofLoop: loop) { [plugin] in $0.use(settled, as: plugin) }
        }
    }

    private func rollBack(_ reason: String, _ run: AppRun, _ plugins: PluginSet) -> SwapReport {
        run.flipBegins()
        plugins.reject(new.image, because: reason)
        let diagnostic = Diagnostic(
            .error, .rolledBack, "the new version did not stand its probation: \(reason)",
            help: ["it is not tried again until the file changes"])
        var (isBack, faults) = (true, [Diagnostic]())
        if run.life.hasInstances(of: plugin) {
            let way = HandOver(run, plugin: plugin, loops: users, backFrom: new, to: old, within: limit)
            (isBack, faults) = way?.rollBack() ?? (false, [.notSwapped("the app has ended")])
        } else {
            switch SwapFlip(run, users, plugin: plugin).flip(from: new, to: old, within: limit) {
            case .flipped: break
            case .ended: (isBack, faults) = (false, [.notSwapped("the app has ended")])
            case .held(let loop): (isBack, faults) = (false, [.held(run.life.loops[loop], limit)])
            }
        }
        if isBack { install(old, run, plugins) }
        return report.with(faults.isEmpty ? .rolledBack : .failed, because: [diagnostic] + faults)
    }
}

extension Diagnostic {
    /// A library was rolled back, for the reason.
    static func rejected(_ reason: String, at place: SourceSpan? = nil) -> Diagnostic {
        Diagnostic(
            .error, .rejected, "this library was rolled back: \(reason)", at: place,
            help: ["build it anew; one with other bytes is tried"])
    }
}

extension DiagnosticCode {
    /// P083: the new version of a plugin did not stand its probation.
    static let rolledBack = DiagnosticCode("P083")
    /// P084: a library whose bytes were rolled back is not tried again.
    static let rejected = DiagnosticCode("P084")
}
