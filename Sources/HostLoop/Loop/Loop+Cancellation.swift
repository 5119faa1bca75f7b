extension Loop {
    /// Cancels the flows of this loop that are `cancellable(id:)` with this id, on the calling thread, from
    /// any thread. Their runs finish; events that they have emitted stay queued.
    public func cancel(id: some Hashable & Sendable) {
        core.cancel(CancellationIDs.ID(id))
    }
}

extension Emitter {
    /// Cancels the flows of the loop that are `cancellable(id:)` with this id, on the calling thread, from any
    /// thread. Their runs finish; events that they have emitted stay queued.
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
