import HostLoop
import Journal
import Records

// When the app has a changed manifest.
extension JournaledLoop {
    /// Appends what is known of a loop that rests. The app continues with another epoch.
    func rest() {
        recorder.delivered()
        recorder.finished(time: WallClock.coarse, isDone: false)
        isFresh = false
        append()
    }

    /// Continues a loop of the app before, in the epoch that begins.
    ///
    /// - Parameters:
    ///   - entries: what the epoch begins with.
    ///   - past: what the journal says of that loop.
    ///   - messages: those whose events wait in the loop.
    ///   - continued: the feedbacks whose runs continue, by those of the loop before.
    func succeed(
        _ past: LoopPast, messages: [(receiver: Int, position: UInt64, events: Int)], in state: Record,
        step: UInt64, _ continued: [Int: Int], time: Int64, into entries: ByteWriter
    ) {
        let kept = Set(continued.values)
        let encoder = LoopEncoder(
            schema.loops[index], index: index,
            latest: past.feedbacks.enumerated().map { kept.contains($0) ? $1.latest : 0 })
        isResumed = true
        encoder.started(state, step: step, time: time, position: past.position, isDelivered: true)
        for (feedback, known) in past.feedbacks.enumerated() {
            for run in known.open {
                if kept.contains(feedback) {
                    encoder.began(feedback: feedback, run: run.number, events: run.events, hasWaited: false)
                } else {
                    encoder.ended(feedback: feedback, run: run.number, .cancelled)
                }
            }
            if kept.contains(feedback) { for _ in known.waiting { encoder.asked(feedback: feedback) } }
        }
        for message in messages {
            encoder.received(feedback: message.receiver, position: message.position, events: message.events)
        }
        // Safe because the bytes are borrowed for the call.
        unsafe encoder.bytes.withBytes { unsafe entries.put(raw: $0) }
        recorder.continue(encoder)
    }

    /// Passes on what effects of the loop send from now on. The caller holds `order`.
    ///
    /// - Parameter follower: continues the loop; nil when none does.
    func handOver(to follower: LoopAssembly?, message: @escaping @Sendable (AppMessage) -> AppMessage?) {
        succession.withLock { succession in
            succession =
                follower?.journal.map { .loop($0, feedbacks: follower?.continued ?? [:], message: message) }
                ?? .nobody
        }
    }
}
