import Dispatch
import Manifest
public import PluginHost

extension App {
    /// How long a swap waits for the loops by default.
    public static let swapDeadline: Duration = .seconds(5)

    /// Loads the library of a plugin again. The run calls the new version from the next step of each loop on.
    ///
    /// The loops continue during the swap, with their states. A call that has begun ends in the version in
    /// which it began, and its emissions count. A call for an instance is cancelled in the plugin instead,
    /// and made again in the new version, with the same arguments. Calls for an instance wait while it hands
    /// over.
    ///
    /// Private libraries of the plugin that have changed are loaded again with it. A library of the system is
    /// refused. A version closes the pointers that it has opened. The version before is unmapped when nothing
    /// refers to it and nothing can point into it. Swaps happen one after the other, on a separate thread.
    ///
    /// - Parameters:
    ///   - plugin: its name in the manifest.
    ///   - run: the run of this app. If the app has several runs, only this one calls the new version.
    ///   - refused: the hash of a version that an earlier swap has refused (`SwapReport.hash`). If the file
    ///     still has this version, the host does not try it again, and the outcome is `unchanged`.
    ///   - deadline: how long a loop may take to reach the end of its step, and how long the functions of
    ///     instances may take together, before the swap fails.
    ///   - onReport: called with the result before this returns, and again after a roll-back. The host keeps
    ///     the version before during the probation of the new one (`Probation`). It rolls back after a crash
    ///     (of a guarded plugin), a hang that the watchdog sees, or an invalid value, but not after the
    ///     failure of an effect. Called on another thread, one call at a time in an app.
    /// - Returns: the result. If another run has taken the place of this one, `onReport` is not called. Never
    ///   throws, as the version that runs continues when a swap does not succeed.
    public func swap(
        _ plugin: String, in run: AppRun, unless refused: String? = nil, deadline: Duration = swapDeadline,
        onReport: @escaping @Sendable (SwapReport) -> Void = { _ in }
    ) async -> SwapReport {
        await withCheckedContinuation { continuation in
            swaps.async { [self] in
                let swap = Swap(of: plugin, in: run, of: self, unless: refused, within: deadline)
                guard !run.isFollowed else { return continuation.resume(returning: swap.followed) }
                let report = perform(swap, in: run, onReport)
                count(report, in: run)
                run.journal?.swapped(report)
                onReport(report)
                continuation.resume(returning: report)
            }
        }
    }

    /// How many replaced or refused libraries are in use, unmapped or kept mapped now.
    public var replacedLibraries: RetiredImages.Counts { plugins.services.images.counts }

    private func count(_ report: SwapReport, in run: AppRun) {
        // A client may name a plugin that the manifest does not have.
        if manifest.plugins.contains(where: { $0.name == report.plugin }) { run.tally.swapped(report) }
        run.counted(report.outcome)
    }

    /// Performs a swap. After the return nothing refers to the version before, unless a roll-back needs it. So a
    /// run that has ended counts it as unmapped.
    private func perform(
        _ swap: Swap, in run: AppRun, _ onReport: @escaping @Sendable (SwapReport) -> Void
    ) -> SwapReport {
        let (report, kept) = swap.perform()
        if let kept { keep(kept, in: run, onReport) }
        return report
    }

    /// Keeps the version before while the new one is on probation and the run lasts.
    private func keep(
        _ kept: KeptVersion, in run: AppRun, _ onReport: @escaping @Sendable (SwapReport) -> Void
    ) {
        // There is no roll-back to an even earlier version, nor to one in quarantine.
        kept.old.image.probation?.end()
        guard !kept.old.image.isQuarantined else {
            kept.new.image.probation?.end()
            _ = kept.conclude(.passed, in: run, of: plugins)
            return
        }
        guard let probation = kept.new.image.probation else { return }
        probation.judge(by: run.clock) { [weak self, weak run] verdict in
            guard let self, let run else { return }
            swaps.async {
                guard let report = kept.conclude(verdict, in: run, of: self.plugins) else { return }
                self.count(report, in: run)
                run.journal?.swapped(report)
                onReport(report)
            }
        }
        run.onProbation(plugin: kept.plugin, probation)
    }
}
