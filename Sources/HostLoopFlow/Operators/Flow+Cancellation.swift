import HostLoop

/// Cancellation by id. An id is valid within one loop, until that loop stops. In a subscription outside of
/// loops, an id is valid within that subscription.
extension Flow {
    /// The same flow, cancellable with `Flow.cancel(id:)`, `Loop.cancel(id:)` and `Emitter.cancel(id:)`.
    ///
    /// Such a call cancels the source, and the flow completes without a failure. If the flow is the effect
    /// of a run, the run then finishes. Values emitted before the call are not withdrawn. Several flows may
    /// have the same id.
    /// - Parameters:
    ///   - id: Ids of different types differ.
    ///   - cancelInFlight: Whether a new subscription first cancels all other flows and runs with the id.
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

    /// A flow without values: each subscription cancels all flows and runs with the id, and completes.
    public static func cancel(id: some Hashable & Sendable) -> Flow {
        let id = CancellationIDs.ID(id)
        return Flow { sink in
            sink.scope.life.ids.cancel(id)
            sink.finish()
        }
    }
}
