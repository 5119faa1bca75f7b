import HostLoop

/// Cancelling by id. Ids belong to one loop: another loop does not see them, and a stopped one has none. In
/// subscriptions outside of loops they belong to that one subscription.
extension Flow {
    /// The same flow, which `Flow.cancel(id:)`, `Loop.cancel(id:)` and `Emitter.cancel(id:)` end: its source
    /// is cancelled and it completes quietly, so that the run which it is the effect of finishes.
    ///
    /// What it has handed over before is not taken back. Several flows may have the same id.
    /// - Parameters:
    ///   - id: Ids of different types differ.
    ///   - cancelInFlight: Whether subscribing first cancels everything else with the id.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Flow {
        let id = CancellationIDs.ID(id)
        return Flow { output in
            let ids = output.scope.life.ids
            if cancelInFlight { ids.cancel(id) }
            let sink = FlowCancellable(output)
            sink.register(id, in: ids)
            start(sink)
        }
    }

    /// A flow without values that, when it is subscribed to, cancels everything with the id, and completes.
    public static func cancel(id: some Hashable & Sendable) -> Flow {
        let id = CancellationIDs.ID(id)
        return Flow { sink in
            sink.scope.life.ids.cancel(id)
            sink.finish()
        }
    }
}
