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
        door?.cancel(CancellationIDs.ID(id))
    }
}
