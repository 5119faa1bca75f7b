import HostLoop
public import Journal
public import Records

extension AppPort {
    /// What became of an event whose sender waits for the journal.
    public enum Durability: Hashable, Sendable {
        /// The entry of the event is committed. An event that changes nothing has an entry, too.
        case durable(position: UInt64)
        /// The mailbox is full: the event was dropped, and counted.
        case rejected
        /// The loop has stopped before it took the event.
        case stopped
        /// The journal cannot be written any more, for this reason.
        case failed(JournalError)
        /// The app has no journal, or the loop is not in it. The event was not sent.
        case notRecorded
    }

    /// Queues an event, and answers once its entry in the journal is committed. Never blocks.
    ///
    /// - Parameters:
    ///   - event: an index into the loop's `events`.
    ///   - payload: a record of the event's type.
    ///   - loop: an index into `Manifest.loops`.
    ///   - answer: called once, on any thread, perhaps before this returns. It must not block.
    /// - Throws: `NotBegun` before the loops have begun.
    public func send(
        event: Int, payload: Record, toLoop loop: Int,
        whenDurable answer: @escaping @Sendable (Durability) -> Void
    ) throws(NotBegun) {
        let running = try running(loop)
        guard let journal = journal(ofLoop: loop) else { return answer(.notRecorded) }
        let receipt = JournalReceipt { durability in
            // A journal that fails stops the loop.
            if durability == .stopped, let failure = journal.status.failure {
                return answer(.failed(failure))
            }
            answer(durability)
        }
        switch running.emit(AppEvent(index: event, payload: payload.keeping(receipt))) {
        case .queued: break
        case .full: receipt.settle(.rejected)
        case .cancelled, .stopped: receipt.settle(.stopped)
        }
    }
}
