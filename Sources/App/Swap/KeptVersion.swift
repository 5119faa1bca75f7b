import Diagnostics
import HostLoop
import Manifest
import PluginHost

/// A version of a plugin that another one has replaced, and that takes its place again if that one fails its probation.
struct KeptVersion: Sendable {
    /// The plugin's index in the manifest.
    let plugin: Int
    let old: LoadedPlugin
    let new: LoadedPlugin
    /// The loops that call it.
    let users: [Int]
    /// The report of the swap.
    let report: SwapReport
    /// How long loops and functions of instances may take.
    let limit: Duration

    /// Acts on the verdict of the probation; the report of a roll-back, nil when there is nothing to report.
    func conclude(_ verdict: Probation.Verdict, in run: AppRun, of plugins: PluginSet) -> SwapReport? {
        // It may have been replaced meanwhile, or belong to another app.
        guard !run.isFollowed, plugins.plugin(.plugin(plugin))?.image === new.image else { return nil }
        switch verdict {
        case .passed:
            install(new, run, plugins)
            try? handOver(run).perform { () throws(AppRefusal) in handOver(run).discardKept() }
            return nil
        case .failed(let reason): return rollBack(reason, run, plugins)
        }
    }

    private func handOver(_ run: AppRun) -> HandOver {
        HandOver(run, plugin: plugin, users: users, backTo: old, within: limit)
    }

    /// Has the loops call a version, on probation no more, and runs begin with it.
    private func install(_ version: LoadedPlugin, _ run: AppRun, _ plugins: PluginSet) {
        let settled = version.settled()
        plugins.install(settled, as: plugin)
        for seat in run.life.seats where seat.plugin == plugin { seat.prepare(settled) }
        run.use(settled, as: plugin, in: users)
    }

    private func rollBack(_ reason: String, _ run: AppRun, _ plugins: PluginSet) -> SwapReport {
        run.flipBegins()
        plugins.reject(new.image, because: reason)
        let diagnostic = Diagnostic(
            .rolledBack, "the new version did not stand its probation: \(reason)",
            help: "it is not tried again until the file changes")
        do throws(AppRefusal) {
            let faults = try returnToOld(run)
            install(old, run, plugins)
            return report.with(faults.isEmpty ? .rolledBack : .failed, because: [diagnostic] + faults)
        } catch { return report.with(.failed, because: [diagnostic] + error.diagnostics) }
    }

    /// Has the loops call the old version again, and its instances, with the state that they had when they stopped.
    ///
    /// - Returns: what is wrong with that. A loop that is held in a call of the new version calls the old one from the end of
    ///   that step on.
    /// - Throws: when the instances of the new version stay.
    private func returnToOld(_ run: AppRun) throws(AppRefusal) -> [Diagnostic] {
        let handOver = handOver(run)
        if handOver.exchanges.isEmpty, run.life.hasInstances(of: plugin) { throw AppRefusal(.ended) }
        return try handOver.perform { () throws(AppRefusal) -> [Diagnostic] in
            try Change.perform([handOver.pause { Deadline(after: limit) }])
            handOver.takeKept()
            // One that does not return is left as it is: the others do not depend on it.
            let isStopped = handOver.new.members.isEmpty ? true : Deadline(after: limit).run { handOver.new.stop(); return true }
            var faults = handOver.startOldAgain().faults
            let loops = LoopSwitch(run, users, plugin: plugin)
            switch loops.perform(to: old, orBackTo: nil, by: Deadline(after: limit)) {
            case .switched: break
            case .ended: if handOver.exchanges.isEmpty { throw AppRefusal(.ended) }
            case .held(let loop): faults.append(.held(run.life.loops[loop], limit))
            }
            if isStopped == true { handOver.discard(handOver.new) }
            return faults
        }
    }
}
