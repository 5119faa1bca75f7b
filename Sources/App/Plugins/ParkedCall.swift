import HostLoop

/// A call that waits at the gate of an instance. Its run stays pending.
// Safe because `order` is written before the call is shared, and read under the lock of its slot or later.
final class ParkedCall: @unchecked Sendable {
    private let slot: InstanceSlot
    private let run: Run<AppEvent>
    /// The version that the call was prepared for.
    let source: EffectSource
    let body: InstanceSlot.Body
    /// The call's place among waiting calls.
    @safe @exclusivity(unchecked) var order = 0

    init(
        _ slot: InstanceSlot, _ run: Run<AppEvent>, _ source: EffectSource,
        _ body: @escaping InstanceSlot.Body
    ) {
        (self.slot, self.run, self.source, self.body) = (slot, run, source, body)
    }

    /// Resumes the call on the executor of its feedback.
    func ask() { run.resume { [self] in try slot.make(self, $0) } }

    /// From now on, a cancellation of the run withdraws the call.
    func hearCancellation() {
        run.onCancel { [self] in
            leave()
            run.finish()
        }
    }

    func leave() { slot.drop(self) }
}
