extension Feedback {
    /// The same feedback, each run of which `Loop.cancel(id:)`, `Emitter.cancel(id:)` and `Flow.cancel(id:)`
    /// end: its effect is cancelled, and the run has finished, without a failure, when the effect has.
    ///
    /// What the run has emitted before stays queued; what it emits afterwards is late. The trigger is none the
    /// wiser: the request of `onChange` or `onEach` counts as answered, and the next state or event starts a run
    /// as ever. Ids belong to one loop and may be shared by feedbacks and flows.
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
