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

    /// Has the app of a changed manifest take the place of a run of this one: only what has changed begins, or ends.
    ///
    /// Each loop continues between two of its steps: with its state, as far as names and types of fields are the same; with the
    /// events that wait; and with the runs of feedbacks of which the manifest says the same. Instances are kept when their
    /// library and settings are the same. Events that calls and devices emit afterwards reach the other app's loops, by the
    /// names of events and fields; an event that has no meaning there is discarded, and counted. A feedback that begins again
    /// runs, if its state asks for a run. A loop that had stopped stays so, and stops again if its `until` holds still.
    ///
    /// Libraries that only the other app has are tried first, as those of a swap are. Probations of plugins end. When something is
    /// in the way, nothing has changed. Takes its turn among swaps of plugins. `run` ends as `AppOutcome.followed`, once the
    /// effects that the other app does not have are over.
    ///
    /// - Parameters:
    ///   - run: the run of this app.
    ///   - manifest: checked.
    ///   - observer: sees every step from then on.
    ///   - port: made for the other manifest; the loops can be reached through it then.
    ///   - deadline: how long a loop may take to reach the end of its step, and new instances to be made and started.
    ///   - willGoOn: called once nothing is in the way, before the other app's observer sees anything.
    /// - Returns: what runs from now on, or all that is in the way, with places in `manifest`.
    public func handOver(
        _ run: AppRun, to manifest: Manifest, observer: (any AppObserver)? = nil, port: AppPort? = nil,
        deadline: Duration = swapDeadline, willGoOn: @escaping @Sendable () -> Void = {}
    ) async -> Result<Follower, AppRefusal> {
        await withCheckedContinuation { continuation in
            swaps.async { [self] in
                // Versions that are kept to return to belong to this app: they are freed first, in their turn.
                for probation in run.probations { probation.pass() }
                swaps.async {
                    continuation.resume(
                        returning: self.succeed(run, by: manifest, observer, port, deadline, willGoOn))
                }
            }
        }
    }

    private func succeed(
        _ run: AppRun, by manifest: Manifest, _ observer: (any AppObserver)?, _ port: AppPort?,
        _ limit: Duration, _ willGoOn: () -> Void
    ) -> Result<Follower, AppRefusal> {
        let app: App
        do throws(AppRefusal) { app = try App(manifest, goingOnWith: self) } catch {
            return .failure(error)
        }
        let newRun = app.makeRun(observer: observer, port: port, goingOnWith: run)
        do throws(AppRefusal) {
            try AppSuccession(from: self, run, to: app, newRun, within: limit).perform(willGoOn)
            return .success(Follower(app: app, run: newRun))
        } catch {
            newRun.discard()
            app.close()
            return .failure(error)
        }
    }
}
