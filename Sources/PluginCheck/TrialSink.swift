import CPluginABI
import HostLoop
import PluginHost

/// Receives the emissions and the end of a call during a trial.
final class TrialSink: CallSink {
    private struct Notes {
        var emissions = 0
        var rejections: [String] = []
    }

    private let notes = Lock(Notes())

    /// The reasons for invalid emissions.
    var rejections: [String] { notes.withLock { $0.rejections } }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        let count = notes.withLock { notes in
            notes.emissions += 1
            return notes.emissions
        }
        // Behaves like a fast loop with room for a thousand events of one call.
        return count <= 1000 || wait != .none ? SPIN_OK : SPIN_FULL
    }

    func rejected(emitter: String?, reason: String) {
        let subject = emitter.map { "emission `\($0)`: " } ?? ""
        notes.withLock { $0.rejections.append(subject + reason) }
    }

    func finished() {}

    func failed(code: Int32, text: String) {}
}
