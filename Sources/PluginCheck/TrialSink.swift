import CPluginABI
import HostLoop
import PluginHost

/// Where the emissions and the end of a tried call go.
final class TrialSink: CallSink {
    private struct Notes {
        var emissions = 0
        var rejections: [String] = []
    }

    private let notes = Lock(Notes())

    /// What was emitted and is no event.
    var rejections: [String] { notes.withLock { $0.rejections } }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        let count = notes.withLock { notes in
            notes.emissions += 1
            return notes.emissions
        }
        // Like a loop that is fast, and has room for a thousand events in one call.
        return count <= 1000 || wait != .none ? SPIN_OK : SPIN_FULL
    }

    func rejected(emitter: String?, reason: String) {
        let place = emitter.map { "emission `\($0)`: " } ?? ""
        notes.withLock { $0.rejections.append(place + reason) }
    }

    func finished() {}

    func failed(code: Int32, text: String) {}
}
