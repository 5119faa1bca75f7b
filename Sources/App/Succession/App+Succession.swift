import Diagnostics
import Dispatch
public import Manifest
import PluginHost

extension App {
    /// The app and the run that have taken the place of others.
    public struct Follower: Sendable {
        /// The app of the changed manifest.
        public let app: App
        /// Its run, which has begun.
        public let run: AppRun
        /// The instances whose settings have changed.
        public let settings: [SettingsReport]
    }

    /// Has the app of a changed manifest take the place of a run of this one. Parts that have not changed
    /// continue.
    ///
    /// Each loop continues between two of its steps. It keeps the fields of its state whose names and types
    /// are the same, its waiting events, and the runs of feedbacks that both manifests declare in the same
    /// way. Instances are kept when their library is the same, and they take over changed settings
    /// (`SPIN_RECONFIGURE`). When one refuses, all instances of its plugin are made again.
    ///
    /// Later emissions reach the new app's loops, by the names of events and fields. An event that the new
    /// loop does not have is discarded, and counted. A feedback that begins again runs if its state asks for
    /// it. A stopped loop takes part too: it stops again if its `until` still holds. All instances of a loop with a key
    /// continue, in one go.
    ///
    /// Libraries that only the new app has are tried first, as in a swap. Probations of plugins end. If the
    /// succession is refused, nothing has changed. It waits for swaps that are under way, and later swaps
    /// wait for it. A journal of `run` gets another epoch, with the states of the new app. `run` ends with
    /// `AppOutcome.followed`, once the effects that the new app does not have are over.
    ///
    /// - Parameters:
    ///   - run: the run of this app.
    ///   - manifest: the changed manifest, checked.
    ///   - observer: sees every step from then on.
    ///   - port: made for the changed manifest. The loops can be reached through it afterwards.
    ///   - deadline: how long a loop may take to reach the end of its step, and new instances to be made and
    ///     started.
    ///   - willSucceed: called once when the succession is certain, before the new app's observer sees anything,
    ///     with the instances whose settings have changed.
    /// - Returns: the new app and its run, or the reasons for the refusal, with places in `manifest`.
    public func succeed(
        _ run: AppRun, by manifest: Manifest, observer: (any AppObserver)? = nil, port: AppPort? = nil,
        deadline: Duration = swapDeadline,
        willSucceed: @escaping @Sendable ([SettingsReport]) -> Void = { _ in }
    ) async -> Result<Follower, AppRefusal> {
        await withCheckedContinuation { continuation in
            swaps.async { [self] in
                // Versions that are kept for a roll-back belong to this app, so they are freed first, in
                // their turn.
                for probation in run.probations { probation.pass() }
                swaps.async {
                    continuation.resume(
                        returning: self.succeedNow(run, by: manifest, observer, port, deadline, willSucceed))
                }
            }
        }
    }

    func succeedNow(
        _ run: AppRun, by manifest: Manifest, _ observer: (any AppObserver)?, _ port: AppPort?,
        _ limit: Duration, _ willSucceed: ([SettingsReport]) -> Void
    ) -> Result<Follower, AppRefusal> {
        if let refusal = self.manifest.refusesKey(in: manifest) { return .failure(AppRefusal(refusal)) }
        // Why plugins do not take over their changed settings, by their names.
        var refused: [String: SettingsChange.Refusal] = [:]
        while true {
            let earlier = refused.values.sorted { $0.instance < $1.instance }.map { Diagnostic($0.error) }
            func failure(_ refusal: AppRefusal) -> Result<Follower, AppRefusal> {
                .failure(
                    AppRefusal(earlier + refusal.diagnostics, isTemporary: refusal.isTemporary))
            }
            let app: App
            do throws(AppRefusal) {
                app = try App(manifest, succeeding: self, renewed: Set(refused.keys))
            } catch { return failure(error) }
            let newRun = app.makeRun(
                observer: observer, port: port,
                journal: run.journal.map { AppJournal(succeeding: $0, manifest) }, succeeding: run)
            let settings = SettingsChange(
                newRun.life, after: run.life, of: self.manifest, refused: refused, within: limit)
            do throws(AppRefusal) {
                try AppSuccession(from: self, run, to: app, newRun, settings, within: limit).perform {
                    willSucceed(settings.reports)
                }
                return .success(Follower(app: app, run: newRun, settings: settings.reports))
            } catch {
                newRun.discard()
                app.close()
                guard let refusal = settings.refusal else { return failure(error) }
                refused[refusal.plugin] = refusal
            }
        }
    }
}
