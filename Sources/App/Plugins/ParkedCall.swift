import HostLoop

/// A call that waits at the gate of an instance. Its run stays pending.
// Safe because `order` is written before the call is shared, and read under the lock of its seat or later.
final class ParkedCall: @unchecked Sendable {
    private let seat: InstanceSeat
    private let run: Run<AppEvent>
    /// The version that the call was prepared for.
    let source: EffectSource
    let body: InstanceSeat.Body
    /// The call's place among waiting calls.
    @safe @exclusivity(unchecked) var order = 0

    init(
        _ seat: InstanceSeat, _ run: Run<AppEvent>, _ source: EffectSource,
        _ body: @escaping InstanceSeat.Body
    ) {
        (self.seat, self.run, self.source, self.body) = (seat, run, source, body)
    }

    /// Resumes the call on the executor of its feedback.
    func ask() { run.resume { [self] in try seat.make(self, $0) } }

    /// From now on, a cancellation of the run withdraws the call.
    func hearCancellation() {
        run.onCancel { [self] in
            leave()
            run.finish()
        }
    }

    func leave() { seat.drop(self) }
}
