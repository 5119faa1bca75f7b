import HostLoop

/// A call that waits at the gate of an instance, within the run that it is for, which stays pending.
// Safe because `order` is written before the call is shared, and read under the lock of its seat or after that.
final class ParkedCall: @unchecked Sendable {
    private let seat: InstanceSeat
    private let run: Run<AppEvent>
    /// What the call was prepared for.
    let source: EffectSource
    let body: InstanceSeat.Body
    /// Its place among those that wait.
    @safe @exclusivity(unchecked) var order = 0

    init(
        _ seat: InstanceSeat, _ run: Run<AppEvent>, _ source: EffectSource,
        _ body: @escaping InstanceSeat.Body
    ) {
        (self.seat, self.run, self.source, self.body) = (seat, run, source, body)
    }

    /// Its turn has come: it is made where the effects of its feedback execute.
    func ask() { run.resume { [self] in try seat.make(self, $0) } }

    /// From now on the run takes the call away when it is cancelled.
    func hearCancellation() {
        run.onCancel { [self] in
            leave()
            run.finish()
        }
    }

    /// It waits no more.
    func leave() { seat.drop(self) }
}
