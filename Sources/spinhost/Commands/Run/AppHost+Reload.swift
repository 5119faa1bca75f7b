import App
import Diagnostics
import HostLoop
import Manifest
import Records

// A manifest that is read again because a signal or a client asks for it.
extension AppHost {
    /// Reads the manifest again. If it has no faults, its app continues where the one is that runs, as under `dev`;
    /// otherwise nothing changes.
    ///
    /// - Parameter answer: called once with the outcome, as the control protocol has it.
    func reload(_ answer: @escaping @Sendable (Value) -> Void = { _ in }) async {
        await changes.take { [self] in
            guard let running = current.withLock({ $0 }), running.run.hasBegun, !running.run.isEnding,
                !stopper.isStopped
            else {
                let reason = Diagnostic(.error, .notRunning, "the app has not begun, or is ending")
                ErrorOutput.write(view.renderer.render(reason))
                return answer(reloaded(.refused, [reason], []))
            }
            service?.reloading()
            await reload(running, answer)
            service?.reloaded()
        }
    }

    private func reload(_ running: RunningApp, _ answer: @escaping @Sendable (Value) -> Void) async {
        let hasAnswered = Lock(false)
        let followed = await follow(
            ManifestWatch.Change(content: ManifestWatch.Content(of: path), isRetry: false), running
        ) { [self] settings in
            hasAnswered.withLock { $0 = true }
            answer(reloaded(.swapped, [], settings))
        }
        guard !hasAnswered.withLock({ $0 }) else { return }
        // The file was saved meanwhile. What was read of it has faults.
        if followed.answer == .tooEarly {
            running.printer.changedManifest(path, .refused, because: followed.reasons)
        }
        answer(reloaded(.refused, followed.reasons, []))
    }

    /// `{"ok":true,"swap":{"manifest":"app.toml","outcome":"swapped"}}`
    private func reloaded(
        _ outcome: SwapReport.Outcome, _ reasons: [Diagnostic], _ settings: [SettingsReport]
    ) -> Value {
        .record(
            [("ok", .bool(true))]
                + RunPrinter.changeOfManifest(path, outcome, because: reasons, settings: settings))
    }
}
