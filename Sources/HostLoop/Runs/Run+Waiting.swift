/// Emissions for threads that may block, and for tasks that pass a value down a chain first.
extension Run {
    /// Queues events as one entry like `emit(contentsOf:)`, but blocks the calling thread while a bounded
    /// mailbox has no room for them. It does so under every overflow rule.
    ///
    /// It is for the caller's own threads, for example a thread that reads a file faster than the loop
    /// processes its lines. The mailbox serves waiting threads and tasks in order. It wakes a thread once
    /// half of the room is free, or once that many events were taken, so a thread does not wake for each
    /// event. The wait ends at once when the run is cancelled or the loop stops.
    /// - Parameter limit: How long to wait, by the loop's clock; nil waits without a limit.
    /// - Returns: `.queued`. It is `.full` after `limit`, and for more events than the mailbox can ever hold.
    ///   It is `.cancelled` and `.stopped` as for `emit`. Nothing is queued unless the answer is `.queued`.
    /// - Precondition: The thread must not execute a loop's steps: see `LoopExecutor.isLooping`. It must not
    ///   be a thread of Swift's cooperative pool, or the clock's.
    @discardableResult
    public func emit(contentsOf events: some Sequence<Event>, waiting limit: Duration?) -> EmitResult {
        precondition(
            !LoopExecutor.isLooping,
            "an effect waited for room on the executor of a loop, which alone could make it: use `emit` there"
        )
        var rest = ContiguousArray(events)
        guard !rest.isEmpty else { return isCancelled ? .cancelled : .queued }
        let first = rest.removeFirst()
        let ticket = RoomTicket(blocking: true)
        if let result = operations.post(
            first, rest: rest.isEmpty ? nil : rest, from: number, waiting: ticket)
        {
            return result
        }
        let isOver = CancelHandler.Expiry()
        // A modifier may end the run before the mailbox knows of it.
        operations.onCancel(number, CancelHandler(until: isOver) { ticket.giveUp(.cancelled) })
        let timer = limit.map { limit in
            clock.schedule(at: clock.now.advanced(by: limit)) { ticket.giveUp(.full) }
        }
        defer {
            isOver.set()
            timer?.cancel()
        }
        return ticket.block()
    }

    /// Queues an event like `emit`. If a bounded mailbox has no room, the event waits with the ticket.
    package func emit(_ event: Event, waiting ticket: RoomTicket) -> EmitResult? {
        operations.isExecuting(number)
            ? emit(event) : operations.post(event, rest: nil, from: number, waiting: ticket)
    }
}
