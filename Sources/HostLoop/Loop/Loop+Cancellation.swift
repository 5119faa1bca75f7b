extension Loop {
    /// Cancels what in this loop is `cancellable(id:)` with this id, flows and runs of feedbacks, on the calling
    /// thread, from any thread. Their runs finish; events that they have emitted stay queued.
    public func cancel(id: some Hashable & Sendable) {
        core.cancel(CancellationIDs.ID(id))
    }
}

extension Emitter {
    /// Cancels what in the loop is `cancellable(id:)` with this id, flows and runs of feedbacks, on the calling
    /// thread, from any thread. Their runs finish; events that they have emitted stay queued.
    public func cancel(id: some Hashable & Sendable) {
        mailbox?.cancel(CancellationIDs.ID(id))
    }
}

extension Mailbox {
    /// What can be cancelled by an id, made when it is first asked for.
    final var cancellationIDs: CancellationIDs {
        inbox.withLock { inbox in
            if let ids = inbox.runs.cancellationIDs { return ids }
            let ids = CancellationIDs()
            inbox.runs.cancellationIDs = ids
            return ids
        }
    }

    final func cancel(_ id: CancellationIDs.ID) {
        inbox.withLock { $0.annex.isEmpty ? nil : $0.runs.cancellationIDs }?.cancel(id)
    }
}
