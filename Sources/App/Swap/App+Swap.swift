import Diagnostics
import Dispatch
import HostLoop
import Interfaces
import Manifest
public import PluginHost

extension App {
    /// How long a swap waits for the loops if it is not told.
    public static let swapDeadline: Duration = .seconds(5)

    /// Loads the library of a plugin anew, and has a run call the new version from the next step of each loop on.
    ///
    /// The loops go on meanwhile, with their states; nothing is withdrawn. A call that has begun ends in the version in which it
    /// began, and what it emits counts, unless it is one for an instance: then it is cancelled in the plugin, and made anew, with
    /// the same arguments, in the new version. Calls for an instance wait while it hands over. One swap happens after the other, on
    /// a thread of their own. A library of the system is refused. A pointer that a version has opened is closed by that version. The
    /// version before is unmapped when nothing refers to it and it can have left nothing behind, else it stays mapped.
    ///
    /// - Parameters:
    ///   - plugin: its name in the manifest.
    ///   - run: the run of this app; of several at a time, only this one calls the new version.
    ///   - deadline: how long a loop may take to come to the end of its step, and how long the functions of instances may take
    ///     together, before the swap is given up.
    ///   - tell: told what became of it before this returns, and told again if the new version is rolled back. For its first
    ///     `Probation.calls` calls the one before is kept, and takes its place again after a crash (of a guarded plugin), a hang that
    ///     the watchdog sees, and a value that is none; the failure of an effect is none of these. Called on another thread, one
    ///     after the other in an app.
    /// - Returns: what became of it, which nobody is told when another run has the place of this one; never throws, as the version that runs
    ///   goes on whatever happens.
    public func swap(
        _ plugin: String, in run: AppRun, deadline: Duration = swapDeadline,
        tell: @escaping @Sendable (SwapReport) -> Void = { _ in }
    ) async -> SwapReport {
        await withCheckedContinuation { continuation in
            swaps.async {
                guard !run.isFollowed else {
                    let reason = "the app of a changed manifest has the place of this one"
                    return continuation.resume(returning: SwapReport(.failed, plugin, because: reason))
                }
                let report = self.swapNow(plugin, in: run, deadline, tell)
                run.counted(report.outcome)
                tell(report)
                continuation.resume(returning: report)
            }
        }
    }

    /// What became by now of the libraries that were replaced or refused.
    public var replacedLibraries: RetiredImages.Counts { plugins.services.images.counts }

    /// Keeps the version that was replaced while the new one is on probation, and the run goes on.
    private func keep(
        _ version: KeptVersion, in run: AppRun, _ tell: @escaping @Sendable (SwapReport) -> Void
    ) {
        // A version that was kept before is not gone back to, and neither is one that is not called any more.
        version.old.image.probation?.end()
        guard !version.old.image.isQuarantined else {
            version.new.image.probation?.end()
            _ = version.conclude(.passed, in: run, of: plugins)
            return
        }
        guard let probation = version.new.image.probation else { return }
        probation.judge { [weak self, weak run] verdict in
            guard let self, let run else { return }
            swaps.async {
                guard let report = version.conclude(verdict, in: run, of: self.plugins) else { return }
                run.counted(report.outcome)
                tell(report)
            }
        }
        run.onProbation(plugin: version.plugin, probation)
    }

    private func swapNow(
        _ name: String, in run: AppRun, _ deadline: Duration,
        _ tell: @escaping @Sendable (SwapReport) -> Void
    ) -> SwapReport {
        guard let index = manifest.plugins.firstIndex(where: { $0.name == name }) else {
            let closest = Suggestion.closest(to: name, among: manifest.plugins.map(\.name))
            return SwapReport(
                .refused, name, because: "the manifest has no plugin `\(name)`",
                help: closest.map { "did you mean `\($0)`?" })
        }
        guard let old = plugins.plugin(.plugin(index)) else {
            return SwapReport(.refused, name, because: "no loop calls anything of `\(name)`")
        }
        var report = SwapReport(.refused, name, from: old.image.description?.version)
        guard case .file(let path) = manifest.plugins[index].location else {
            return report.with(.refused, because: "`\(old.image.library)` is a library of the system")
        }
        do throws(PluginError) {
            let hash = try PluginImage.hash(ofFile: path)
            report.hash = hash
            guard hash != old.image.hash else { return report.with(.unchanged) }
        } catch {
            return report.with(.failed, because: [Diagnostic(error)])
        }
        let staged: StagedLibrary
        do throws(PluginError) { staged = try plugins.stage(path) } catch {
            return report.with(.failed, because: [Diagnostic(error)])
        }
        // The file may have been replaced since.
        report.hash = staged.hash
        if let reason = plugins.rejection(ofHash: staged.hash) {
            StagingDirectory.remove(staged.path)
            return report.with(.refused, because: [.rejected(reason)])
        }
        switch trial?(SwapTrial(name, staged, config: old.config)) {
        case .passed?, nil: break
        case .refused(let reason)?:
            StagingDirectory.remove(staged.path)
            return report.with(.refused, because: [reason])
        case .failed(let reason)?:
            StagingDirectory.remove(staged.path)
            return report.with(.failed, because: [reason])
        }
        var new: LoadedPlugin
        do throws(App.Unavailable) { new = try plugins.loadAgain(index, from: staged) } catch {
            StagingDirectory.remove(staged.path)
            let isHost = error.diagnostics.contains { [.notStaged, .notLoaded].contains($0.code) }
            return report.with(isHost ? .failed : .refused, because: error.diagnostics)
        }
        report.to = new.image.description?.version
        report.hash = new.image.hash
        let effects = manifest.loops.flatMap(\.calledEffects).filter { $0.provider == .plugin(index) }
        if let hindrance = new.hindrance(replacing: old, for: effects) {
            return report.with(
                .refused, because: hindrance,
                help: "start the app anew, so that the manifest is checked with it")
        }
        do throws(LoadedPlugin.OtherSettings) { try new.takeSettings(of: old) } catch {
            return report.with(
                .refused, because: [Diagnostic(.error, .otherSettings, error.reason, help: error.help)])
        }
        let users = manifest.loops.indices.filter { manifest.loops[$0].plugins.contains(index) }
        let result: SwapFlip.Result
        run.flipBegins()
        if run.life.hasInstances(of: index) {
            let (trial, config) = (trial, new.config)
            let restoring = { @Sendable (states: [SavedState]) -> SwapTrial.Verdict in
                trial?(SwapTrial(name, staged, config: config, states: states)) ?? .passed
            }
            let handOver = HandOver(
                run, plugin: index, loops: users, from: old, to: new, within: deadline, trial: restoring)
            switch handOver.perform() {
            case .refused(let reasons): return report.with(.refused, because: reasons)
            case .failed(let reasons): return report.with(.failed, because: reasons)
            case .done(let flip, let pause, let state):
                (result, report.pause, report.state) = (flip, pause, state)
            }
        } else {
            result = SwapFlip(run, users, plugin: index).flip(from: old, to: new, within: deadline)
        }
        switch result {
        case .flipped(let pause):
            plugins.install(new, as: index)
            report.pause = report.pause ?? pause
            let swapped = report.with(.swapped)
            keep(
                KeptVersion(
                    plugin: index, old: old, new: new, users: users, report: swapped, limit: deadline),
                in: run, tell)
            return swapped
        case .ended: return report.with(.failed, because: "the app has ended")
        case .held(let loop):
            return report.with(.failed, because: [.held(manifest.loops[loop].name, deadline)])
        }
    }
}

extension SwapReport {
    fileprivate init(_ outcome: Outcome, _ plugin: String, from: String?) {
        self.init(
            outcome: outcome, plugin: plugin, from: from, to: nil, hash: nil, pause: nil, state: nil,
            reasons: [])
    }

    fileprivate init(_ outcome: Outcome, _ plugin: String, because reason: String, help: String? = nil) {
        self = SwapReport(outcome, plugin, from: nil).with(outcome, because: reason, help: help)
    }

    func with(_ outcome: Outcome, because reasons: [Diagnostic] = []) -> SwapReport {
        SwapReport(
            outcome: outcome, plugin: plugin, from: from, to: to, hash: hash, pause: pause, state: state,
            reasons: reasons)
    }

    fileprivate func with(_ outcome: Outcome, because reason: String, help: String? = nil) -> SwapReport {
        with(outcome, because: [.notSwapped(reason, help: help)])
    }
}

extension DiagnosticCode {
    /// P080: another version of a plugin cannot take the place of the one that runs.
    static let notSwapped = DiagnosticCode("P080")
    /// P085: another version of a plugin has other settings.
    static let otherSettings = DiagnosticCode("P085")
}
