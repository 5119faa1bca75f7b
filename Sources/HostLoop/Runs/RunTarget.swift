/// What a run speaks to: the slot of its feedback, or a relay between an effect and its run.
@usableFromInline
protocol RunTarget<Event>: AnyObject, Sendable {
    associatedtype Event: Sendable

    /// Queues events as one entry: as a part of the run's call if the calling thread is in it.
    func emit(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult

    /// Queues events as an entry of their own, also within a call.
    /// - Parameter ticket: Waits for room if there is none.
    /// - Returns: nil when the ticket is answered later.
    func post(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult?

    /// Counts an event of a run that is over.
    func drop(_ event: Event, from number: UInt64)

    func isCancelled(_ number: UInt64) -> Bool
    func onCancel(_ number: UInt64, _ handler: CancelHandler)
    func finish(_ number: UInt64)
    func fail(_ number: UInt64, _ error: any Error)

    /// Calls `body` as a further call of the run.
    func resume(_ number: UInt64, _ body: @escaping Run<Event>.Resumption)

    /// Whether the calling thread is in the run's call on the loop's executor.
    func isExecuting(_ number: UInt64) -> Bool

    /// The runs and flows of the loop that can be cancelled by an id.
    var cancellationIDs: CancellationIDs { get }
    var capacity: MailboxCapacity { get }
    var clock: any LoopClock { get }
}
