import Dispatch
import Manifest
public import PluginHost

extension App {
    /// How long a swap waits for the loops by default.
    public static let swapDeadline: Duration = .seconds(5)

    /// Loads the library of a plugin again, and has a run call the new version from the next step of each loop on.
    ///
    /// The loops continue meanwhile, with their states; nothing is withdrawn. A call that has begun ends in the version in
    /// which it began, and its emissions count. A call for an instance is cancelled in the plugin instead, and made again in the
    /// new version, with the same arguments. Calls for an instance wait while it hands over.
    ///
    /// Private libraries of the plugin that have changed are loaded again with it. A library of the system is refused. A
    /// pointer that a version has opened is closed by that version. The version before is unmapped when nothing refers to it and it
    /// can have left nothing behind; otherwise it stays mapped. Swaps happen one after the other, on a thread of their own.
    ///
    /// - Parameters:
    ///   - plugin: its name in the manifest.
    ///   - run: the run of this app; of several at a time, only this one calls the new version.
    ///   - deadline: how long a loop may take to reach the end of its step, and how long the functions of instances may
    ///     take together, before the swap is given up.
    ///   - tell: called with the result before this returns, and again if the new version is rolled back. The version before is
    ///     kept for the probation of the new one (`Probation`), and takes its place again after a crash (of a guarded
    ///     plugin), a hang that the watchdog sees, and an invalid value; the failure of an effect is none of these. Called on
    ///     another thread, one call after the other in an app.
    /// - Returns: the result. When another run has taken the place of this one, `tell` is not called. Never throws, as the
    ///   version that runs continues whatever happens.
    public func swap(
        _ plugin: String, in run: AppRun, deadline: Duration = swapDeadline,
        tell: @escaping @Sendable (SwapReport) -> Void = { _ in }
    ) async -> SwapReport {
        await withCheckedContinuation { continuation in
            swaps.async { [self] in
                let swap = Swap(of: plugin, in: run, of: self, within: deadline)
                guard !run.isFollowed else { return continuation.resume(returning: swap.followed) }
                let (report, kept) = swap.perform()
                if let kept { keep(kept, in: run, tell) }
                run.counted(report.outcome)
                tell(report)
                continuation.resume(returning: report)
            }
        }
    }

    /// How many libraries that were replaced or refused are in use, unmapped or kept now.
    public var replacedLibraries: RetiredImages.Counts { plugins.services.images.counts }

    /// The files that the library of a plugin was loaded from: its own, then its private libraries'. A change of one is
    /// a reason to swap it. Empty for a plugin that no loop calls, and for a library of the system.
    public func files(ofPlugin name: String) -> [String] {
        guard let index = manifest.plugins.firstIndex(where: { $0.name == name }) else { return [] }
        return plugins.plugin(.plugin(index))?.image.files ?? []
    }

    /// Keeps the version that was replaced while the new one is on probation and the run lasts.
    private func keep(
        _ kept: KeptVersion, in run: AppRun, _ tell: @escaping @Sendable (SwapReport) -> Void
    ) {
        // A version that was kept before is not returned to, and neither is one that is not called any more.
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
                run.counted(report.outcome)
                tell(report)
            }
        }
        run.onProbation(plugin: kept.plugin, probation)
    }
}
