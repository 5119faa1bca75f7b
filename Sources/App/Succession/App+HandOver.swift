import Dispatch
public import Manifest
import PluginHost

extension App {
    /// What runs from now on.
    public struct Follower: Sendable {
        /// The app of the other manifest.
        public let app: App
        /// Its run, which has begun.
        public let run: AppRun
    }

    /// Has the app of a changed manifest go on where a run of this one is: only what has changed begins, or ends.
    ///
    /// Each loop goes on between two of its steps: with its state, as far as names and types of fields are the same; with the events
    /// that wait; and with the runs of feedbacks of which the manifest says the same. Instances go on when their library and settings
    /// are the same. What calls and devices emit afterwards comes to the other app's loops, by the names of events and fields; what means
    /// nothing there is discarded, and counted. A feedback that begins anew runs, if its state asks for a run. A loop
    /// that had stopped goes on as it ended, and stops again if its `until` holds still.
    ///
    /// Libraries that only the other app has are tried first, as those of a swap are. Probations of plugins end. When something is in the
    /// way, nothing has changed. Takes its turn among swaps of plugins. `run` ends as `AppOutcome.followed`; its end comes
    /// when effects of what is gone have come to theirs.
    ///
    /// - Parameters:
    ///   - run: the run of this app.
    ///   - manifest: checked.
    ///   - observer: sees every step from then on.
    ///   - port: made for the other manifest; the loops can be reached through it then.
    ///   - deadline: how long a loop may take to come to the end of its step, and new instances to be made and started.
    ///   - willGoOn: called once nothing is in the way, before the other app's observer sees anything.
    /// - Returns: what runs from now on, or all that is in the way, with places in `manifest`.
    public func handOver(
        _ run: AppRun, to manifest: Manifest, observer: (any AppObserver)? = nil, port: AppPort? = nil,
        deadline: Duration = swapDeadline, willGoOn: @escaping @Sendable () -> Void = {}
    ) async -> Result<Follower, Unavailable> {
        await withCheckedContinuation { continuation in
            swaps.async { [self] in
                // What is kept to go back to belongs to this app: it is freed first, in its turn.
                for probation in run.probations { probation.pass() }
                swaps.async {
                    continuation.resume(
                        returning: self.handOverNow(run, to: manifest, observer, port, deadline, willGoOn))
                }
            }
        }
    }

    private func handOverNow(
        _ run: AppRun, to manifest: Manifest, _ observer: (any AppObserver)?, _ port: AppPort?,
        _ deadline: Duration, _ willGoOn: () -> Void
    ) -> Result<Follower, Unavailable> {
        let app: App
        do throws(Unavailable) { app = try App(manifest, goingOnWith: self) } catch {
            return .failure(error)
        }
        let follower = Follower(
            app: app, run: app.makeRun(observer: observer, port: port, goingOnWith: run))
        let reasons = AppSuccession(
            manifest: self.manifest, run: run, plugins: plugins, newManifest: manifest,
            newRun: follower.run, newPlugins: app.plugins, limit: deadline
        ).perform(willGoOn)
        guard reasons.isEmpty else {
            follower.run.discard()
            app.close()
            return .failure(Unavailable(diagnostics: reasons))
        }
        return .success(follower)
    }
}
