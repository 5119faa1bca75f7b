import Diagnostics
import HostLoop
import Manifest
import PluginHost

/// The version before of a plugin, kept for a roll-back while the new version is on probation.
struct KeptVersion: Sendable {
    /// The plugin's index in the manifest.
    let plugin: Int
    let old: PluginVersion
    let new: PluginVersion
    /// The loops that call it.
    let users: [Int]
    /// The report of the swap.
    let report: SwapReport
    /// How long loops and functions of instances may take.
    let limit: Duration

    /// Acts on the verdict of the probation.
    ///
    /// - Returns: the report of a roll-back; nil if there was none.
    func conclude(_ verdict: Probation.Verdict, in run: AppRun, of plugins: PluginSet) -> SwapReport? {
        // The new version may be replaced already, or the run may have a successor.
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

    /// Ends the probation of a version, makes it the current one, and has the loops call it.
    private func install(_ version: PluginVersion, _ run: AppRun, _ plugins: PluginSet) {
        let settled = version.settled()
        plugins.install(settled, as: plugin)
        for slot in run.life.slots where slot.plugin == plugin { slot.prepare(settled) }
        run.use(settled, as: plugin, in: users)
    }

    private func rollBack(_ reason: String, _ run: AppRun, _ plugins: PluginSet) -> SwapReport {
        run.switchBegins()
        plugins.reject(new.image, because: reason)
        let diagnostic = Diagnostic(
            .rolledBack, "the new version failed its probation: \(reason)",
            help: "the host does not try it again until the file changes")
        do throws(AppRefusal) {
            let faults = try returnToOld(run)
            install(old, run, plugins)
            return report.with(faults.isEmpty ? .rolledBack : .failed, because: [diagnostic] + faults)
        } catch { return report.with(.failed, because: [diagnostic] + error.diagnostics) }
    }

    /// Has the loops call the old version again. Its instances have the state that they had when they were
    /// stopped.
    ///
    /// - Returns: the errors. A loop that is held in a call of the new version calls the old one from the end
    ///   of its step on.
    /// - Throws: the reason why there was no roll-back; the instances of the new version stay then.
    private func returnToOld(_ run: AppRun) throws(AppRefusal) -> [Diagnostic] {
        let handOver = handOver(run)
        if handOver.exchanges.isEmpty, run.life.hasInstances(of: plugin) { throw AppRefusal(.ended) }
        return try handOver.perform { () throws(AppRefusal) -> [Diagnostic] in
            try Change.perform([handOver.pause { Deadline(after: limit) }])
            handOver.takeKept()
            // Neither a `stop` that does not return nor a plugin that uses a table must prevent the roll-back.
            var faults: [Diagnostic] = []
            do throws(AppRefusal) { try new.image.closeTables(by: Deadline(after: limit), limit) } catch {
                faults = error.diagnostics
            }
            let isStopped =
                handOver.new.members.isEmpty || !faults.isEmpty
                ? faults.isEmpty
                : Deadline(after: limit).run {
                    handOver.new.stop(); return true
                }
            faults += handOver.startOldAgain().faults
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
