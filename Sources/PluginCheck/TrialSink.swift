import CPluginABI
import HostLoop
import PluginHost

/// Receives the emissions and the end of a call during a trial.
// Safe because the call is only read for its inputs, which do not change while it runs.
final class TrialSink: CallSink, @unchecked Sendable {
    private struct Notes {
        var emissions = 0
        var rejections: [String] = []
    }

    private let notes = Lock(Notes())
    private let arena = Lock<CallArena?>(nil)
    private let call: PreparedCall

    /// A sink for the emissions of `call`.
    init(of call: PreparedCall) { self.call = call }

    // Safe because this object keeps the call.
    func isArgument(_ data: UnsafeRawPointer) -> Bool { unsafe call.hasArgument(data) }

    func keep(_ arena: CallArena) { self.arena.exchange(arena) }

    private let number = UInt64.random(in: 0 ... .max)

    /// The reasons for invalid emissions.
    var rejections: [String] { notes.withLock { $0.rejections } }

    var key: String? { "check/\(number)" }

    var attempt: UInt32 { 1 }

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
