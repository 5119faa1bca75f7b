/// Emissions for threads that may block, and for tasks that pass a value down a chain first.
extension Run {
    /// Queues events as one entry like `emit(contentsOf:)`, but blocks the calling thread while a bounded
    /// mailbox has no room for them. It does so under every overflow rule.
    ///
    /// It is for the caller's own threads, for example a thread that reads a file faster than the loop
    /// processes its lines. The mailbox serves waiting threads and tasks in order. It wakes a thread once
    /// half of the room is free, or once that many events were taken, so a thread does not wake for each
    /// event. The wait ends at once when the run is cancelled or the loop stops.
    /// - Parameter limit: How long to wait, by the loop's clock; nil waits without a limit. With zero the call
    ///   does not wait: unlike `emit`, it neither drops events nor counts a drop.
    /// - Returns: `.queued`. It is `.full` after `limit`, and for more events than the mailbox can ever hold.
    ///   It is `.cancelled` and `.stopped` as for `emit`. Nothing is queued unless the answer is `.queued`.
    /// - Precondition: The thread must not execute a loop's steps: see `LoopExecutor.isLooping`. It must not
    ///   be a thread of Swift's cooperative pool, or the clock's.
    @inlinable @discardableResult
    public func emit(contentsOf events: some Sequence<Event>, waiting limit: Duration?) -> EmitResult {
        var rest = ContiguousArray(events)
        guard !rest.isEmpty else { return isCancelled ? .cancelled : .queued }
        let first = rest.removeFirst()
        return emit(first, rest: rest.isEmpty ? nil : rest, waiting: limit)
    }

    /// Queues an event, but blocks the calling thread while a bounded mailbox has no room for it: the same as
    /// `emit(contentsOf:waiting:)` for one event.
    @inlinable @discardableResult
    public func emit(_ event: Event, waiting limit: Duration?) -> EmitResult {
        emit(event, rest: nil, waiting: limit)
    }

    @inlinable
    func emit(_ event: Event, rest: ContiguousArray<Event>?, waiting limit: Duration?) -> EmitResult {
        precondition(
            !LoopExecutor.isLooping,
            "an effect waited for room on the executor of a loop, which alone could make it: use `emit` there"
        )
        let ticket = RoomTicket(blocking: true)
        return post(event, rest: rest, waiting: ticket) ?? answer(of: ticket, within: limit)
    }

    /// Queues an entry of its own. If there is no room, the entry waits with the ticket.
    @inlinable
    func post(_ event: Event, rest: ContiguousArray<Event>?, waiting ticket: RoomTicket) -> EmitResult? {
        guard target.isSlot else {
            return operations.post(event, rest: rest, from: number, waiting: ticket)
        }
        // Safe because the flag says so.
        return unsafe unsafeDowncast(target, to: RunSlot<Event>.self)
            .post(event, rest: rest, from: number, waiting: ticket)
    }

    /// Blocks until the ticket is answered, or the time is over.
    @usableFromInline
    func answer(of ticket: RoomTicket, within limit: Duration?) -> EmitResult {
        if let limit, limit <= .zero {
            ticket.giveUp(.full)
            // The draining thread may have served the entry, and is about to answer.
            return ticket.block()
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

    /// Calls `body` once, on any thread: as soon as a bounded mailbox has room for `weight` events and half of
    /// its room is free, or that many events were taken; or the loop stops. At once if it is so already. The
    /// mailbox calls those who wait in order. `body` must not wait, and must not run code of the loop.
    @discardableResult
    package func whenRoom(for weight: Int = 1, _ body: @escaping @Sendable () -> Void) -> Cancellation {
        operations.whenRoom(for: weight, body)
    }

    /// Whether the mailbox can ever hold `weight` events at once.
    package func canHold(_ weight: Int) -> Bool { operations.capacity.limit.map { weight <= $0 } ?? true }

    /// Whether the calling thread executes the run's call, on the loop's executor.
    package var isExecuting: Bool { operations.isExecuting(number) }

    /// Queues an event like `emit`. If a bounded mailbox has no room, the event waits with the ticket.
    package func emit(_ event: Event, waiting ticket: RoomTicket) -> EmitResult? {
        operations.isExecuting(number)
            ? emit(event) : post(event, rest: nil, waiting: ticket)
    }
}
