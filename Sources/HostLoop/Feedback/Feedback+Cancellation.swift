extension Feedback {
    /// The same feedback, with runs that `Loop.cancel(id:)`, `Emitter.cancel(id:)` and `Flow.cancel(id:)`
    /// end. The effect is cancelled. The run finishes, without a failure, when the effect has ended.
    ///
    /// Events that the run has emitted before stay queued; later ones are late. The trigger does not see the
    /// cancellation: the request of `onChange` or `onEach` counts as answered, and the next state or event
    /// starts a run as before. Ids belong to one loop. Feedbacks and flows may share them.
    /// - Parameters:
    ///   - id: Ids of different types differ.
    ///   - cancelInFlight: Whether a run that starts first cancels everything else with the id.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Feedback {
        let id = CancellationIDs.ID(id)
        return wrapping {
            { effect in
                { state, event, run in
                    let ids = run.cancellationIDs
                    if cancelInFlight { ids.cancel(id) }
                    let relay = RunRelay(run)
                    let ticket = ids.add(id) { relay.cancel() }
                    relay.whenOver { ids.remove(ticket) }
                    return try relay.call { try effect(state, event, $0) }
                }
            }
        }
    }
}
