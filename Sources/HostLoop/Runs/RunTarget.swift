public import Synchronization

/// It has the properties that the fastest path of an event reads, and no method: `Run` knows which class it
/// is.
// Safe because it has only an atomic and an immutable property.
@usableFromInline
class RunTarget<Event: Sendable>: @unchecked Sendable {
    /// The run whose call executes on the loop's executor, or 0; always 0 in a relay.
    @usableFromInline final let calling = Atomic<UInt64>(0)
    @usableFromInline final let isSlot: Bool

    @inlinable
    init(isSlot: Bool) {
        self.isSlot = isSlot
    }
}

/// The operations of a run on its loop, from any thread. `number` is the run's number.
@usableFromInline
protocol RunOperations<Event>: Sendable {
    associatedtype Event: Sendable

    /// Queues events as one entry. If the calling thread executes the run's call, the events are part of that
    /// call.
    func emit(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult

    /// Queues events as an entry of their own, also during a call.
    /// - Parameter ticket: Waits for room if there is none.
    /// - Returns: nil when the ticket is answered later.
    func post(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult?

    /// Counts an event of a run that has ended.
    func drop(_ event: Event, from number: UInt64)

    func isCancelled(_ number: UInt64) -> Bool
    func onCancel(_ number: UInt64, _ handler: CancelHandler)
    func finish(_ number: UInt64)
    func fail(_ number: UInt64, _ error: any Error)

    /// Calls `body` as another call of the run.
    func resume(_ number: UInt64, _ body: @escaping @Sendable () throws -> EffectStatus)

    /// Whether the calling thread executes the run's call, on the loop's executor.
    func isExecuting(_ number: UInt64) -> Bool

    /// The runs and flows of the loop that can be cancelled by an id.
    var cancellationIDs: CancellationIDs { get }
    var capacity: MailboxCapacity { get }

    /// Calls `body` once: when the mailbox has room for `weight` events, or the loop stops.
    func whenRoom(for weight: Int, _ body: @escaping @Sendable () -> Void) -> Cancellation

    /// Counts an event that was dropped before it came to a full mailbox.
    func countFull()
    var clock: any LoopClock { get }
}

/// A run of a parent, used as a run of its child: each event of the child becomes an event of the parent.
struct TranslatedRun<Event: Sendable, Outer: Sendable>: RunOperations {
    let outer: any RunOperations<Outer>
    let translate: @Sendable (Event) -> Outer

    private func translated(_ rest: ContiguousArray<Event>?) -> ContiguousArray<Outer>? {
        rest.map { ContiguousArray($0.map(translate)) }
    }

    func emit(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        outer.emit(translate(event), rest: translated(rest), from: number)
    }

    func post(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult? {
        outer.post(translate(event), rest: translated(rest), from: number, waiting: ticket)
    }

    func drop(_ event: Event, from number: UInt64) { outer.drop(translate(event), from: number) }
    func isCancelled(_ number: UInt64) -> Bool { outer.isCancelled(number) }
    func onCancel(_ number: UInt64, _ handler: CancelHandler) { outer.onCancel(number, handler) }
    func finish(_ number: UInt64) { outer.finish(number) }
    func fail(_ number: UInt64, _ error: any Error) { outer.fail(number, error) }
    func resume(_ number: UInt64, _ body: @escaping @Sendable () throws -> EffectStatus) {
        outer.resume(number, body)
    }
    func isExecuting(_ number: UInt64) -> Bool { outer.isExecuting(number) }
    var cancellationIDs: CancellationIDs { outer.cancellationIDs }
    var capacity: MailboxCapacity { outer.capacity }
    func whenRoom(for weight: Int, _ body: @escaping @Sendable () -> Void) -> Cancellation {
        outer.whenRoom(for: weight, body)
    }
    func countFull() { outer.countFull() }
    var clock: any LoopClock { outer.clock }
}
